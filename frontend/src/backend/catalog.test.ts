import { describe, expect, it, vi } from "vitest";
import { FakeBackend } from "@/testing/fakeBackend";
import { aBot, aProvider, someSettings } from "@/testing/fakeData";
import { Catalog, createQueryClient, keys } from "./catalog";
import { connect } from "./index";
import type { BotList, ProviderList, Settings } from "./types";

const renamed = (name: string) => aBot({ name });

describe("the live catalog", () => {
  it("does not let a reply that was read before a change hide the change", async () => {
    const fake = new FakeBackend({ bots: [aBot({ name: "Before" })] });
    fake.install(window);
    const catalog = new Catalog(createQueryClient());
    const reading = catalog.readBots();
    catalog.apply([{ revision: fake.revision + 1, bot: renamed("After") }]);
    expect((await reading).bots.map((b) => b.name)).toEqual(["After"]);
  });

  it("does not let an older change undo what a newer reply says", () => {
    const catalog = new Catalog(createQueryClient());
    catalog.queries.setQueryData<BotList>(keys.bots, { revision: 9, bots: [renamed("Newer")] });
    catalog.apply([{ revision: 8, bot: renamed("Older") }]);
    expect(catalog.queries.getQueryData<BotList>(keys.bots)?.bots[0]?.name).toBe("Newer");
  });

  it("takes removed records out of every list", () => {
    const catalog = new Catalog(createQueryClient());
    catalog.queries.setQueryData<BotList>(keys.bots, { revision: 1, bots: [aBot({ id: "x" })] });
    catalog.queries.setQueryData<ProviderList>(keys.providers, { revision: 1, providers: [aProvider({ id: "p" })] });
    catalog.apply([{ revision: 2, removed: "x" }]);
    catalog.apply([{ revision: 3, removed: "p" }]);
    expect(catalog.queries.getQueryData<BotList>(keys.bots)?.bots).toEqual([]);
    expect(catalog.queries.getQueryData<ProviderList>(keys.providers)?.providers).toEqual([]);
  });

  it("keeps the settings with the higher revision", () => {
    const catalog = new Catalog(createQueryClient());
    catalog.takeSettings({ ...someSettings, revision: 5, theme: "dark" });
    catalog.apply([{ revision: 1, settings: { ...someSettings, revision: 4, theme: "light" } }]);
    expect(catalog.queries.getQueryData<Settings>(keys.settings)?.theme).toBe("dark");
  });

  it("forgets what it knew when revisions begin anew, since the backend was restarted", async () => {
    const fake = new FakeBackend({ bots: [aBot({ name: "Stored" })] });
    fake.revision = 3;
    fake.install(window);
    const catalog = new Catalog(createQueryClient());
    catalog.apply([{ revision: 50, bot: renamed("Of the former process") }]);
    catalog.apply([{ revision: 2, provider: aProvider() }]);
    expect((await catalog.readBots()).bots[0]?.name).toBe("Stored");
  });

  it("reads everything that is shown again after a gap in the feed", () => {
    const fake = new FakeBackend();
    fake.install(window);
    const { catalog } = connect();
    const invalidate = vi.spyOn(catalog.queries, "invalidateQueries");
    fake.emit({ kind: "resync" });
    expect(invalidate).toHaveBeenCalledWith();
  });
});
