/** Pieces beyond this many are handed on at once, window or no window. */
const FULL = 4000;
/** How often a hidden page, which gets no frames, takes what has come. */
const HIDDEN_MS = 1000;
/** A page that is covered may get no frames although it is not hidden. */
const LATE_MS = 250;

/** Collects what arrives and hands it on at most once for each frame of the screen. */
export class Batcher<T> {
  private items: T[] = [];
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private held = false;

  constructor(private readonly take: (items: T[]) => void) {
    document.addEventListener("visibilitychange", this.onVisibility);
  }

  private readonly onVisibility = (): void => {
    if (!document.hidden) this.flush();
  };

  private readonly onFrame = (): void => {
    this.frame = 0;
    this.flush();
  };

  private readonly onTimer = (): void => {
    this.timer = undefined;
    this.flush();
  };

  push(item: T): void {
    this.items.push(item);
    if (this.held) return;
    if (this.items.length >= FULL) this.flush();
    else this.schedule();
  }

  /** Keeps everything until `release`. */
  hold(): void {
    this.held = true;
    this.cancel();
  }

  /** Gives what was kept meanwhile, and hands on again what comes from now on. */
  release(): T[] {
    this.held = false;
    const items = this.items;
    this.items = [];
    return items;
  }

  flush(): void {
    this.cancel();
    if (this.held || this.items.length === 0) return;
    const items = this.items;
    this.items = [];
    this.take(items);
  }

  close(): void {
    this.cancel();
    this.items = [];
    document.removeEventListener("visibilitychange", this.onVisibility);
  }

  private schedule(): void {
    if (!document.hidden && !this.frame) this.frame = requestAnimationFrame(this.onFrame);
    this.timer ??= setTimeout(this.onTimer, document.hidden ? HIDDEN_MS : LATE_MS);
  }

  private cancel(): void {
    if (this.frame) cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.timer = undefined;
  }
}
