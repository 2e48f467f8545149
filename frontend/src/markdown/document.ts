import { type Block, BlockStream } from "./blocks";
import type { Definitions } from "./inline";
import { labelOf } from "./lines";

/** A run of blocks that is drawn as one row. A chunk that is over is the same object for good. */
export interface Chunk {
  index: number;
  blocks: readonly Block[];
  /** Its last block may still grow. */
  growing: boolean;
  definitions: Definitions;
}

/** Characters after which a chunk ends at the next block, and beyond which even a list is divided. */
const CHUNK = 2400;
const CHUNK_OF_LIST = 9000;

function sizeOf(block: Block): number {
  switch (block.kind) {
    case "table":
      return block.rows.length * 60 + 60;
    case "math":
      return block.raw.length;
    case "rule":
    case "definition":
      return 1;
    default:
      return block.text.length + 40;
  }
}

const NONE: Definitions = new Map();

/** A Markdown text that may grow, as chunks of blocks. The cost of growing depends on the last block only. */
export class MarkdownDocument {
  private stream = new BlockStream();
  private length = 0;
  private source = "";
  private over: Chunk[] = [];
  private current: Block[] = [];
  private currentSize = 0;
  /** The current blocks as a chunk that is over, once one was shown. */
  private sealed: Chunk | null = null;
  private taken = 0;
  private definitions: Definitions = NONE;
  private finished = false;
  private shown: readonly Chunk[] = [];

  get chunks(): readonly Chunk[] {
    return this.shown;
  }

  /** The text so far; it begins with the text before. */
  grow(text: string): void {
    this.take(text);
    this.finished = false;
    this.show(this.stream.growingTail(), true);
  }

  /** The whole text. Chunks that were shown before and are the same stay the same objects. */
  finish(text: string): void {
    if (this.finished && text === this.source) return;
    this.take(text);
    this.finished = true;
    this.show(this.stream.tail(), false);
  }

  private take(text: string): void {
    if (text.length < this.length || !text.startsWith(this.source)) this.reset();
    if (text.length > this.length) this.stream.append(text.slice(this.length));
    this.length = text.length;
    this.source = text;
    const done = this.stream.done;
    for (; this.taken < done.length; this.taken++) {
      const block = done[this.taken] as Block;
      if (block.kind === "definition") this.define(block);
      if (this.endsBefore(block, this.currentSize)) this.endChunk();
      this.current.push(block);
      this.currentSize += sizeOf(block);
    }
  }

  private reset(): void {
    this.stream = new BlockStream();
    this.length = 0;
    this.over = [];
    this.current = [];
    this.currentSize = 0;
    this.sealed = null;
    this.taken = 0;
    this.finished = false;
  }

  private endsBefore(block: Block, size: number): boolean {
    if (size < CHUNK) return false;
    const sameList = block.kind === "item" && !block.first;
    return !sameList || size >= CHUNK_OF_LIST;
  }

  private endChunk(): void {
    this.over.push(this.seal());
    this.current = [];
    this.currentSize = 0;
    this.sealed = null;
  }

  /** What is current as a chunk that is over; the same object as long as nothing is added. */
  private seal(): Chunk {
    const known = this.sealed;
    if (known?.blocks.length === this.current.length && known.definitions === this.definitions) return known;
    this.sealed = {
      index: this.over.length,
      blocks: [...this.current],
      growing: false,
      definitions: this.definitions,
    };
    return this.sealed;
  }

  /** A label that is defined after its use makes the chunks that may use it new. */
  private define(block: Extract<Block, { kind: "definition" }>): void {
    const label = labelOf(block.label);
    if (this.definitions.has(label)) return;
    this.definitions = new Map(this.definitions).set(label, block);
    this.over = this.over.map((chunk) => ({ ...chunk, definitions: this.definitions }));
  }

  private show(tail: readonly Block[], growing: boolean): void {
    const chunks = [...this.over];
    let blocks: Block[] = [...this.current];
    let size = this.currentSize;
    const push = (open: boolean) => {
      const whole = !open && chunks.length === this.over.length && blocks.length === this.current.length;
      if (whole) chunks.push(this.seal());
      else chunks.push({ index: chunks.length, blocks, growing: open, definitions: this.definitions });
    };
    for (const block of tail) {
      if (this.endsBefore(block, size) && blocks.length > 0) {
        push(false);
        blocks = [];
        size = 0;
      }
      blocks.push(block);
      size += sizeOf(block);
    }
    if (blocks.length > 0 || chunks.length === 0) push(growing);
    this.shown = chunks;
  }
}
