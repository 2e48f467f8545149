import { toRejection } from "./rejection";
import type * as wire from "./types";

type Method = (...args: unknown[]) => Promise<unknown>;

/** The id under which this page gets its events. The desktop window is always "window". */
export function clientId(): string {
  return window.mobius?.client ?? "window";
}

async function call<T>(service: string, method: string, ...args: unknown[]): Promise<T> {
  try {
    const found: Method | undefined = window.go?.api?.[service]?.[method];
    if (!found) throw { code: "unknown_method", message: `${service}.${method}`, fatal: false };
    return (await found(...args)) as T;
  } catch (reason) {
    throw toRejection(reason);
  }
}

/** A Go list without items arrives as null. */
async function list<T>(service: string, method: string, ...args: unknown[]): Promise<T[]> {
  return (await call<T[] | null>(service, method, ...args)) ?? [];
}

/** The services of backend/api. Every call rejects with a RejectionError. */
export const backend = {
  Bots: {
    List: () => call<wire.BotList>("Bots", "List").then((r) => ({ ...r, bots: r.bots ?? [] })),
    Get: (id: string) => call<wire.Bot>("Bots", "Get", id),
    Create: (draft: wire.BotDraft) => call<wire.Bot>("Bots", "Create", draft),
    Update: (update: wire.BotUpdate) => call<wire.Bot>("Bots", "Update", update),
    Delete: (id: string, expectedRevision: number) => call<wire.BotDeletion>("Bots", "Delete", id, expectedRevision),
    Defaults: () => call<wire.BotDefaults>("Bots", "Defaults"),
    SetDefaults: (expectedRevision: number, config: wire.BotConfig) =>
      call<wire.BotDefaults>("Bots", "SetDefaults", expectedRevision, config),
    Capabilities: () => list<wire.CapabilityInfo>("Bots", "Capabilities"),
  },
  Sessions: {
    List: (query: wire.SessionQuery) =>
      call<wire.SessionPage>("Sessions", "List", query).then((r) => ({ ...r, sessions: r.sessions ?? [] })),
    Create: (draft: wire.SessionDraft) => call<wire.Session>("Sessions", "Create", draft),
    Open: (request: wire.OpenRequest) =>
      call<wire.OpenSession>("Sessions", "Open", request).then((r) => ({
        ...r,
        queue: r.queue ?? [],
        page: { ...r.page, events: r.page.events ?? [] },
      })),
    History: (request: wire.HistoryRequest) =>
      call<wire.EventPage>("Sessions", "History", request).then((r) => ({ ...r, events: r.events ?? [] })),
    Submit: (submission: wire.Submission) => call<wire.Accepted>("Sessions", "Submit", submission),
    Rename: (id: string, title: string) => call<wire.Session>("Sessions", "Rename", id, title),
    Pin: (id: string, pinned: boolean) => call<wire.Session>("Sessions", "Pin", id, pinned),
    Delete: (ids: string[]) => list<string>("Sessions", "Delete", ids),
    Undelete: (ids: string[]) => list<string>("Sessions", "Undelete", ids),
    Purge: (ids: string[]) => list<string>("Sessions", "Purge", ids),
    Relink: (id: string, workspace: string) => call<wire.Session>("Sessions", "Relink", id, workspace),
  },
  Providers: {
    Kinds: () => list<wire.ProviderKind>("Providers", "Kinds"),
    List: () => call<wire.ProviderList>("Providers", "List").then((r) => ({ ...r, providers: r.providers ?? [] })),
    Save: (draft: wire.ProviderDraft) => call<wire.ProviderInstance>("Providers", "Save", draft),
    Remove: (id: string) => call<void>("Providers", "Remove", id),
    SetCredential: (id: string, key: string) => call<wire.ProviderInstance>("Providers", "SetCredential", id, key),
    ClearCredential: (id: string) => call<wire.ProviderInstance>("Providers", "ClearCredential", id),
    Test: (draft: wire.ProviderDraft) => call<wire.ProviderTest>("Providers", "Test", draft),
    Models: (id: string, refresh: boolean) => list<wire.Model>("Providers", "Models", id, refresh),
    SetModel: (id: string, model: wire.Model) => call<void>("Providers", "SetModel", id, model),
    Detect: () => list<wire.Detected>("Providers", "Detect"),
    Adopt: (found: wire.Detected) => call<wire.ProviderInstance>("Providers", "Adopt", found),
  },
  Workspace: {
    Info: (path: string) => call<wire.WorkspaceInfo>("Workspace", "Info", path),
    Recent: () => list<wire.WorkspaceInfo>("Workspace", "Recent"),
    Folders: (path: string) =>
      call<wire.FolderListing>("Workspace", "Folders", path).then((r) => ({ ...r, folders: r.folders ?? [] })),
    Files: (sessionId: string, query: string) => list<wire.FileMatch>("Workspace", "Files", sessionId, query),
  },
  Settings: {
    Get: () => call<wire.Settings>("Settings", "Get"),
    Set: (settings: wire.Settings) => call<wire.Settings>("Settings", "Set", settings),
  },
  System: {
    Info: () => call<wire.SystemInfo>("System", "Info"),
    Doctor: () => call<wire.DoctorReport>("System", "Doctor").then((r) => ({ ...r, checks: r.checks ?? [] })),
    Painted: () => call<void>("System", "Painted"),
    Watch: (client: string, sessionIds: string[]) => call<void>("System", "Watch", client, sessionIds),
  },
  Rescue: {
    Status: () => call<wire.RescueStatus>("Rescue", "Status").then((r) => ({ ...r, backups: r.backups ?? [] })),
    Restore: (backup: string) => call<wire.RescueResult>("Rescue", "Restore", backup),
    Salvage: () => call<wire.RescueResult>("Rescue", "Salvage"),
    StartFresh: () => call<wire.RescueResult>("Rescue", "StartFresh"),
  },
};

/** Things that only the desktop window can do; each says whether it could. */
export const desktop = {
  /** The system's folder dialog, or null where there is none. An empty text means that it was cancelled. */
  chooseFolder(start: string): Promise<string> | null {
    const choose = window.go?.main?.App?.ChooseFolder;
    return choose ? choose(start).then(String) : null;
  },
  /** Opens a web or mail address outside of this window. */
  openExternal(url: string): void {
    const open = window.go?.main?.App?.OpenURL ?? window.runtime?.BrowserOpenURL;
    if (open) void open(url);
    else window.open(url, "_blank", "noopener,noreferrer");
  },
  /** Copies text; works without a user gesture in the desktop window. */
  async copy(text: string): Promise<void> {
    const set = window.runtime?.ClipboardSetText;
    if (!set) await navigator.clipboard.writeText(text);
    else if (!(await set(text))) throw toRejection("The clipboard did not take the text.");
  },
};
