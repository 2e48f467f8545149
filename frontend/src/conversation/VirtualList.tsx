import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  type TouchEvent,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  type WheelEvent,
} from "react";
import type { Extent, Follow } from "./follow";
import { Heights } from "./heights";

interface Keyed {
  key: string;
}

/** The row that stays where it is while others around it change, and how far above the window it begins. */
export interface Anchor {
  key: string;
  offset: number;
}

export interface VirtualListHandle {
  /** Keeps what is shown where it is, although the end may move away. */
  hold(): void;
  toEnd(): void;
  anchor(): Anchor | null;
  focus(): void;
}

export interface VirtualListProps<R extends Keyed> {
  rows: readonly R[];
  /** Height of a row that has not been measured. */
  guess(row: R): number;
  render(row: R): ReactNode;
  /** What the row is, for assistive software. */
  labelOf(row: R): string;
  label: string;
  follow: Follow;
  /** Where to begin; null is the end. */
  start: Anchor | null;
  /** The beginning comes near. */
  onNearStart(): void;
  /** The person has come to rest somewhere. */
  onRest(anchor: Anchor | null): void;
  /** Stands above the first row. */
  before?: ReactNode;
  ref?: Ref<VirtualListHandle>;
}

/** Pixels above and below the window in which rows are drawn, and the most that is assumed before it is measured. */
const MARGIN = 700;
const FIRST_VIEW = 900;
const NEAR_START = 1200;
const REST_MS = 250;

const RowShell = memo(function RowShell<R extends Keyed>(props: {
  row: R;
  index: number;
  count: number;
  render(row: R): ReactNode;
  labelOf(row: R): string;
  observe(element: HTMLElement | null, index: number): (() => void) | undefined;
}) {
  const { row, index, observe } = props;
  const ref = useCallback((element: HTMLElement | null) => observe(element, index), [observe, index]);
  return (
    <li
      ref={ref}
      aria-label={props.labelOf(row)}
      aria-posinset={index + 1}
      aria-setsize={props.count}
      data-row={row.key}
    >
      {props.render(row)}
    </li>
  );
}) as <R extends Keyed>(props: {
  row: R;
  index: number;
  count: number;
  render(row: R): ReactNode;
  labelOf(row: R): string;
  observe(element: HTMLElement | null, index: number): (() => void) | undefined;
}) => ReactNode;

/**
 * A list of which only what is near the window is drawn. Rows lie in the normal flow, so that a growing one needs no
 * placing; what is left out above and below is padding. While it does not follow its end, the row at the top of the
 * window stays where it is, whatever is put in front of it or turns out taller than was guessed.
 */
export function VirtualList<R extends Keyed>(props: VirtualListProps<R>) {
  const { rows, follow, guess, render, labelOf, onNearStart, onRest } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const heights = useMemo(() => new Heights<R>(guess), [guess]);
  const anchor = useRef<Anchor | null>(props.start);
  const view = useRef(0);
  const top = useRef(0);
  const shown = useRef({ start: 0, end: 0 });
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const restTimer = useRef<ReturnType<typeof setTimeout>>(undefined);

  heights.set(rows);
  const range = (): { start: number; end: number } => {
    const height = view.current || FIRST_VIEW;
    let from = top.current;
    if (follow.following) from = heights.total - height;
    else if (anchor.current) {
      const index = heights.indexOf(anchor.current.key);
      if (index >= 0) from = heights.offset(index) + anchor.current.offset;
    }
    if (rows.length === 0) return { start: 0, end: 0 };
    return { start: heights.at(from - MARGIN), end: heights.at(from + height + MARGIN) + 1 };
  };
  const { start, end } = range();
  shown.current = { start, end };

  const extent = useCallback((): Extent => {
    const element = scroller.current;
    if (!element) return { top: 0, content: 0, view: 0 };
    return { top: element.scrollTop, content: element.scrollHeight, view: element.clientHeight };
  }, []);

  /** The first row in the window. */
  const findAnchor = useCallback((): Anchor | null => {
    const element = scroller.current;
    if (!element || !list.current) return null;
    const at = element.scrollTop;
    for (const row of list.current.children) {
      if (!(row instanceof HTMLElement) || row.dataset.row === undefined) continue;
      if (row.offsetTop + row.offsetHeight > at) return { key: row.dataset.row, offset: at - row.offsetTop };
    }
    return null;
  }, []);

  /** Puts the scroller where it belongs, after anything may have moved. */
  const settle = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const before = element.scrollTop;
    if (Math.abs(before - top.current) > 1) {
      // The person has scrolled, and the event that tells of it has not come yet: it counts all the same.
      follow.scroll(extent());
      if (!follow.following) anchor.current = findAnchor();
    }
    let wanted = before;
    if (follow.following) wanted = element.scrollHeight - element.clientHeight;
    else if (anchor.current && list.current) {
      const row = list.current.querySelector<HTMLElement>(`:scope > [data-row="${CSS.escape(anchor.current.key)}"]`);
      if (row) wanted = row.offsetTop + anchor.current.offset;
    }
    if (Math.abs(wanted - before) > 0.5) {
      element.scrollTop = wanted;
      follow.place(element.scrollTop);
    }
    top.current = element.scrollTop;
    // Nothing to scroll: the end is in sight.
    if (!follow.following && element.scrollHeight <= element.clientHeight + 1) follow.jump();
  }, [follow, extent, findAnchor]);

  /** Draws again if what is drawn does not cover the window any more. */
  const cover = () => {
    const next = range();
    if (next.start < shown.current.start || next.end > shown.current.end) redraw();
  };
  const coverNow = useRef(cover);
  coverNow.current = cover;

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        for (const entry of entries) {
          if (entry.target === scroller.current) view.current = (entry.target as HTMLElement).clientHeight;
          else {
            const index = indices.get(entry.target);
            const height = entry.borderBoxSize[0]?.blockSize ?? entry.contentRect.height;
            if (index !== undefined && height > 0) measure.current(index, height);
          }
        }
        settle();
        coverNow.current();
      }),
    [settle],
  );
  const measure = useRef(heights.measure.bind(heights));
  measure.current = heights.measure.bind(heights);

  const observe = useCallback(
    (element: HTMLElement | null, index: number) => {
      if (!element) return;
      indices.set(element, index);
      observer.observe(element);
      return () => observer.unobserve(element);
    },
    [observer],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element) {
      view.current = element.clientHeight;
      observer.observe(element);
    }
    return () => observer.disconnect();
  }, [observer]);

  useLayoutEffect(settle);
  useEffect(() => coverNow.current());

  const onScroll = () => {
    const now = extent();
    follow.scroll(now);
    top.current = now.top;
    anchor.current = follow.following ? null : findAnchor();
    cover();
    if (now.top < NEAR_START) onNearStart();
    clearTimeout(restTimer.current);
    restTimer.current = setTimeout(() => onRest(anchor.current), REST_MS);
  };

  // A conversation that does not fill the window has no scroll event to ask for more with.
  useEffect(() => {
    if (rows.length > 0 && top.current < NEAR_START) onNearStart();
  }, [rows.length, onNearStart]);

  useEffect(() => {
    // What stops the list from following holds on to the row at the top from then on.
    return follow.subscribe(() => {
      anchor.current = follow.following ? null : (anchor.current ?? findAnchor());
    });
  }, [follow, findAnchor]);

  useEffect(() => {
    const onSelection = () => {
      const selection = document.getSelection();
      if (!selection || selection.isCollapsed || !list.current) return;
      if (selection.containsNode(list.current, true) && list.current.contains(selection.anchorNode)) follow.select();
    };
    document.addEventListener("selectionchange", onSelection);
    return () => document.removeEventListener("selectionchange", onSelection);
  }, [follow]);

  useEffect(
    () => () => {
      clearTimeout(restTimer.current);
    },
    [],
  );

  useImperativeHandle(
    props.ref,
    () => ({
      hold() {
        anchor.current = findAnchor();
        follow.hold();
      },
      toEnd() {
        follow.jump();
        anchor.current = null;
        redraw();
      },
      anchor: () => (follow.following ? null : anchor.current),
      focus: () => scroller.current?.focus({ preventScroll: true }),
    }),
    [follow, findAnchor],
  );

  const touchY = useRef(0);
  return (
    <section
      ref={scroller}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
      onWheel={(event: WheelEvent) => follow.wheel(event.deltaY, extent())}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.target === scroller.current) follow.key(event.key, extent());
      }}
      onTouchStart={(event: TouchEvent) => {
        touchY.current = event.touches[0]?.clientY ?? 0;
      }}
      onTouchMove={(event: TouchEvent) => follow.touch((event.touches[0]?.clientY ?? 0) > touchY.current, extent())}
      className="relative h-full overflow-y-auto overflow-x-hidden outline-offset-[-2px] [contain:strict] [overflow-anchor:none]"
    >
      {props.before}
      <ol ref={list} style={{ paddingTop: heights.offset(start), paddingBottom: heights.total - heights.offset(end) }}>
        {rows.slice(start, end).map((row, i) => (
          <RowShell
            key={row.key}
            row={row}
            index={start + i}
            count={rows.length}
            render={render}
            labelOf={labelOf}
            observe={observe}
          />
        ))}
      </ol>
    </section>
  );
}

/** Where each drawn row stands in the list. */
const indices = new WeakMap<Element, number>();
