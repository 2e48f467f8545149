import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aSession } from "@/testing/fakeData";
import { expectAccessible, renderApp } from "@/testing/render";

const start = () =>
  renderApp({
    path: "/trash",
    sessions: [
      aSession({ id: "t1", title: "Thrown away", deleted_at: Date.now() }),
      aSession({ id: "t2", title: "Also gone", deleted_at: Date.now() }),
      aSession({ id: "k", title: "Kept" }),
    ],
  });
const main = async () => within(await screen.findByRole("main"));

describe("the trash", () => {
  it("holds deleted conversations only, and restores them", async () => {
    const { fake, user } = start();
    await (await main()).findByText("Thrown away");
    expect((await main()).queryByText("Kept")).toBeNull();
    await expectAccessible();
    await user.click(screen.getAllByRole("button", { name: "Restore" })[0] as HTMLElement);
    await waitFor(() => expect([...fake.sessions.values()].filter((s) => s.deleted_at)).toHaveLength(1));
    await waitFor(async () => expect((await main()).getAllByRole("listitem")).toHaveLength(1));
  });

  it("deletes one for good only after asking", async () => {
    const { fake, user } = start();
    await user.click(await screen.findByRole("button", { name: "Delete Thrown away for good" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Delete “Thrown away” for good?" }));
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(fake.sessions.has("t1")).toBe(true);
    await user.click(await screen.findByRole("button", { name: "Delete Thrown away for good" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete for good" }));
    await waitFor(() => expect(fake.sessions.has("t1")).toBe(false));
  });

  it("is emptied as a whole", async () => {
    const { fake, user } = start();
    await user.click(await screen.findByRole("button", { name: "Empty trash" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete 2 conversations for good?" });
    await user.click(within(dialog).getByRole("button", { name: "Empty trash" }));
    await screen.findByText("The trash is empty");
    expect([...fake.sessions.keys()]).toEqual(["k"]);
  });
});
