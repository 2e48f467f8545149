import type * as wire from "@/backend/types";
import type { FakeBackend } from "./fakeBackend";
import { noUsage } from "./fakeData";

const PAGE_TURNS = 30;

interface Running {
  turnId: string;
  index: number;
  n: number;
  text: string;
  answer: string;
  timer: ReturnType<typeof setTimeout>;
}

/** The journals of the fake's sessions, and answers that stream. */
export class FakeTurns {
  private journals = new Map<string, wire.SessionEvent[]>();
  private queues = new Map<string, wire.QueuedMessage[]>();
  private running = new Map<string, Running>();
  private frames = new Map<string, number>();
  private accepted = new Map<string, wire.Accepted>();

  constructor(
    private readonly backend: FakeBackend,
    private readonly pace: number,
  ) {}

  seed(id: string, events: wire.SessionEvent[]): void {
    this.journals.set(id, events);
  }

  journal(id: string): wire.SessionEvent[] {
    let events = this.journals.get(id);
    if (!events) {
      events = [];
      this.journals.set(id, events);
    }
    return events;
  }

  private queue(id: string): wire.QueuedMessage[] {
    return this.queues.get(id) ?? [];
  }

  open(request: wire.OpenRequest): wire.OpenSession {
    const events = this.journal(request.id);
    const last_seq = events.at(-1)?.seq ?? 0;
    const page =
      request.after === undefined
        ? this.page(events, request.turns)
        : { events: events.filter((e) => e.seq > (request.after ?? 0)), before: 0, last_seq };
    const run = this.running.get(request.id);
    return {
      session: this.backend.session(request.id),
      page,
      queue: this.queue(request.id),
      live: run && {
        turn_id: run.turnId,
        step: run.index,
        attempt: 1,
        n: run.n,
        blocks: run.text ? [{ kind: "text", text: run.text }] : [],
      },
    };
  }

  history(request: wire.HistoryRequest): wire.EventPage {
    return this.page(
      this.journal(request.id).filter((e) => e.seq < request.before),
      request.turns,
    );
  }

  private page(events: wire.SessionEvent[], turns = PAGE_TURNS): wire.EventPage {
    const starts = events.filter((e) => e.kind === "turn.started");
    const first = starts.length > turns ? starts[starts.length - turns]?.seq : undefined;
    const shown = first === undefined ? events : events.filter((e) => e.seq >= first);
    return { events: shown, before: first ?? 0, last_seq: events.at(-1)?.seq ?? 0 };
  }

  /** Appends one event to a session's journal and publishes it. */
  append(id: string, event: Omit<wire.SessionEvent, "seq" | "at">): wire.SessionEvent {
    const events = this.journal(id);
    const full = { seq: (events.at(-1)?.seq ?? 0) + 1, at: Date.now(), ...event };
    events.push(full);
    this.backend.emit({ kind: "event", session_id: id, event: full });
    return full;
  }

  /** Publishes one live frame under the next number. */
  frame(id: string, frame: Omit<wire.Frame, "n">): number {
    const n = (this.frames.get(id) ?? 0) + 1;
    this.frames.set(id, n);
    this.backend.emit({ kind: "frame", session_id: id, frame: { n, ...frame } });
    return n;
  }

  submit(submission: wire.Submission): wire.Accepted {
    const before = this.accepted.get(submission.id);
    if (before) return before;
    const answer = { submission_id: submission.id, ...this.carryOut(submission) };
    this.accepted.set(submission.id, answer);
    return answer;
  }

  private carryOut(submission: wire.Submission): Partial<wire.Accepted> {
    const { session_id: id, message, interrupt, queue_edit, queue_remove, queue_move } = submission;
    this.backend.session(id);
    if (message) return this.message(id, { author: "user", ...message, id: submission.id });
    if (interrupt) {
      if (this.running.get(id)?.turnId === interrupt.turn_id) this.finish(id, "interrupted");
      return {};
    }
    const queue = this.queue(id);
    if (queue_edit) {
      this.setQueue(
        id,
        queue.map((q) =>
          q.id === queue_edit.message_id ? { ...q, message: { ...q.message, text: queue_edit.text } } : q,
        ),
      );
    }
    if (queue_remove)
      this.setQueue(
        id,
        queue.filter((q) => q.id !== queue_remove.message_id),
      );
    if (queue_move) {
      const moved = queue.filter((q) => q.id === queue_move.message_id);
      const rest = queue.filter((q) => q.id !== queue_move.message_id);
      const at = rest.findIndex((q) => q.id === queue_move.before);
      rest.splice(at < 0 ? rest.length : at, 0, ...moved);
      this.setQueue(id, rest);
    }
    return {};
  }

  private setQueue(id: string, queue: wire.QueuedMessage[]): void {
    this.queues.set(id, queue);
    this.append(id, { kind: "queue.changed", queue });
  }

  private message(id: string, message: wire.Message): Partial<wire.Accepted> {
    const run = this.running.get(id);
    if (!run) return { delivery: "started", turn_id: this.start(id, message) };
    if (message.requested_delivery === "queue") {
      const event = this.append(id, { kind: "message.queued", message });
      this.queues.set(id, [...this.queue(id), { id: message.id ?? "", message, at: event.at }]);
      return { delivery: "queued", seq: event.seq };
    }
    const event = this.append(id, { kind: "message.steered", turn_id: run.turnId, message });
    return { delivery: "steered", turn_id: run.turnId, seq: event.seq };
  }

  private start(id: string, message: wire.Message): string {
    const events = this.journal(id);
    const turn_id = `t${(events.at(-1)?.seq ?? 0) + 1}`;
    this.append(id, { kind: "turn.started", turn_id, message });
    const session = this.backend.session(id);
    const title = session.title === "New chat" ? message.text.slice(0, 60) : session.title;
    this.backend.saveSession({ ...session, title, activity: "running", updated_at: Date.now() });
    const answer = `You wrote: *${message.text}*\n\nThis is the demonstration. It answers without a model, so that you can look around:\n\n- it streams\n- it knows **Markdown**\n\n\`\`\`go\nfmt.Println("hello")\n\`\`\`\n`;
    const run: Running = {
      turnId: turn_id,
      index: 0,
      n: 0,
      text: "",
      answer,
      timer: setTimeout(() => this.tick(id), this.pace),
    };
    this.running.set(id, run);
    run.n = this.frame(id, { kind: "attempt", turn_id, step: 0, attempt: 1 });
    return turn_id;
  }

  private tick(id: string): void {
    const run = this.running.get(id);
    if (!run) return;
    const piece = run.answer.slice(run.text.length, run.text.length + 6);
    if (!piece) {
      this.finish(id, "stop");
      return;
    }
    const first = run.text === "";
    run.text += piece;
    run.n = this.frame(id, {
      kind: "delta",
      turn_id: run.turnId,
      step: 0,
      attempt: 1,
      deltas: [{ index: 0, ...(first ? { kind: "text" as const } : {}), text: piece }],
    });
    run.timer = setTimeout(() => this.tick(id), this.pace);
  }

  private finish(id: string, finish: "stop" | "interrupted"): void {
    const run = this.running.get(id);
    if (!run) return;
    clearTimeout(run.timer);
    this.running.delete(id);
    const usage = { ...noUsage, input: 640, output: run.text.length, context: 700 };
    const turn_id = run.turnId;
    const blocks: wire.Block[] = run.text ? [{ kind: "text", text: run.text }] : [];
    this.append(id, { kind: "step.completed", turn_id, step: { index: 0, model: "demo", blocks, finish, usage } });
    const status = finish === "stop" ? "completed" : "aborted";
    this.append(id, {
      kind: "turn.completed",
      turn_id,
      outcome: { status, usage, ...(finish === "stop" ? {} : { reason: "interrupted" }) },
    });
    this.backend.saveSession({ ...this.backend.session(id), activity: "idle", last_outcome: status, totals: usage });
    const [next, ...rest] = this.queue(id);
    if (!next) return;
    this.queues.set(id, rest);
    this.append(id, { kind: "queue.changed", queue: rest });
    this.start(id, next.message);
  }
}

const TREE: Record<string, string[]> = {
  "/home/ada": ["Mobius", "letters", "projects", "Music"],
  "/home/ada/projects": ["atlas", "compiler", "website"],
  "/home/ada/projects/atlas": ["cmd", "docs", "internal"],
};

const FILES = ["README.md", "go.mod", "cmd/main.go", "internal/parser.go", "internal/parser_test.go", "docs/guide.md"];

/** Folders, files and checks of the fake's machine. */
export class FakeFolders {
  list(path: string): wire.FolderListing {
    const at = path || "/home/ada";
    const parent = at.split("/").slice(0, -1).join("/") || "/";
    const folders = (TREE[at] ?? []).map((name) => ({ name, path: `${at}/${name}` }));
    return { path: at, parent: at === "/" ? undefined : parent, folders, truncated: false };
  }

  find(query: string): wire.FileMatch[] {
    return FILES.filter((path) => path.toLowerCase().includes(query.toLowerCase())).map((path) => ({
      path,
      dir: false,
    }));
  }

  doctor(): wire.DoctorReport {
    const checks: wire.DoctorCheck[] = [
      { id: "storage", name: "Storage", status: "ok", message: "The database is whole; 4.2 MB." },
      { id: "keys", name: "Key store", status: "ok", message: "The system's keyring answers." },
      {
        id: "webview",
        name: "Window",
        status: "skipped",
        message: "This page runs in a browser, so there is no window to check.",
      },
      {
        id: "sandbox",
        name: "Sandbox",
        status: "warning",
        message: "bubblewrap is not installed.",
        next: "Install the package bubblewrap, so that commands can be confined.",
      },
      {
        id: "provider-ollama",
        name: "Ollama",
        status: "error",
        message: "Nothing answers at http://127.0.0.1:11434.",
        next: "Start Ollama, or remove the provider.",
      },
    ];
    const text = checks.map((c) => `${c.status.padEnd(8)} ${c.name}: ${c.message}`).join("\n");
    return { at: Date.now(), checks, text: `Mobius 0.1.0 linux/amd64\n${text}\n` };
  }
}
