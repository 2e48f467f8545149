import { describe, expect, it } from "vitest";
import { FakeBackend } from "@/testing/fakeBackend";
import { backend } from "./client";
import { RejectionError, toRejection } from "./rejection";

describe("refusals", () => {
  const wanted = { code: "agent_busy", message: "It works.", fatal: false };

  it.each([
    ["an object", wanted],
    ["its JSON text", JSON.stringify(wanted)],
    ["an Error with its JSON text", new Error(JSON.stringify(wanted))],
  ])("are understood when they come as %s", (_how, reason) => {
    expect(toRejection(reason)).toMatchObject(wanted);
  });

  it("become gateway_error when they are only a text", () => {
    expect(toRejection("boom")).toMatchObject({ code: "gateway_error", message: "boom", fatal: false });
  });

  it("keep fatal", () => {
    expect(toRejection({ code: "gateway_stopped", message: "", fatal: true }).fatal).toBe(true);
  });

  it("are thrown by the client, also for a method that the shell does not have", async () => {
    const fake = new FakeBackend();
    fake.install(window);
    await expect(backend.Bots.Get("nobody")).rejects.toBeInstanceOf(RejectionError);
    window.go = undefined;
    await expect(backend.Bots.List()).rejects.toMatchObject({ code: "unknown_method" });
  });

  it("make an empty list of a missing one", async () => {
    window.go = { api: { Providers: { Detect: async () => null } } };
    expect(await backend.Providers.Detect()).toEqual([]);
  });
});
