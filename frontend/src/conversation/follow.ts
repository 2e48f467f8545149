/** Distance from the end, in pixels, that still counts as being there. */
const AT_END = 6;

/** What the scroller measures right now. */
export interface Extent {
  top: number;
  /** Height of what is scrolled. */
  content: number;
  /** Height of the window onto it. */
  view: number;
}

export const distanceToEnd = ({ top, content, view }: Extent): number => content - view - top;

/**
 * Whether the list follows what arrives at its end. The cases:
 *
 * - it follows when a conversation is opened, unless a place was kept;
 * - the first scroll up by the person stops it: by wheel, by finger, by key or by the scroll bar;
 * - selecting text stops it;
 * - reaching the end by scrolling down, or asking for the end, starts it again;
 * - what the page does itself (content that grows, rows that turn out taller, an answer that ends) never changes it.
 */
export class Follow {
  following = true;
  private last: Extent = { top: 0, content: 0, view: 0 };
  /** Where the page itself has put the scroller, until its scroll event has come. */
  private placed: number | null = null;
  private listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): boolean => this.following;

  private set(following: boolean): void {
    if (following === this.following) return;
    this.following = following;
    for (const listener of this.listeners) listener();
  }

  /** The page is about to scroll there by itself. */
  place(top: number): void {
    this.placed = top;
  }

  /** A kept place is shown instead of the end. */
  hold(): void {
    this.set(false);
  }

  /** "Jump to latest", or a message of the person's own. */
  jump(): void {
    this.set(true);
  }

  wheel(deltaY: number, extent: Extent): void {
    if (deltaY < 0 && extent.content > extent.view + 1) this.set(false);
  }

  key(key: string, extent: Extent): void {
    if (/^(ArrowUp|PageUp|Home)$/.test(key) && extent.content > extent.view + 1) this.set(false);
  }

  touch(movedDown: boolean, extent: Extent): void {
    if (movedDown && extent.content > extent.view + 1) this.set(false);
  }

  select(): void {
    this.set(false);
  }

  /** The scroller stands somewhere else than before. */
  scroll(extent: Extent): void {
    const { last, placed } = this;
    this.last = extent;
    this.placed = null;
    if (placed !== null && Math.abs(extent.top - placed) <= 1.5) return;
    const moved = extent.top - last.top;
    const atEnd = distanceToEnd(extent) <= AT_END;
    if (moved > 0 && atEnd) this.set(true);
    // Content that shrank or a window that grew moves the scroller up too, but leaves it at the end.
    else if (moved < -1 && !atEnd) this.set(false);
  }
}
