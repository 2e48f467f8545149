import "./markdown.css";
import { memo, type ReactNode, useMemo, useRef } from "react";
import { useT } from "@/i18n";
import { type Block, splitBlocks } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { Diagram } from "./Diagram";
import { type Chunk, MarkdownDocument } from "./document";
import { Formula } from "./Formula";
import { languageOf } from "./highlight";
import type { Definitions } from "./inline";
import { Running } from "./Running";

interface Context {
  definitions: Definitions;
  /** The last block may grow. */
  growing: boolean;
  /** These blocks were drawn while the text grew. */
  grew: boolean;
}

type Item = Extract<Block, { kind: "item" }>;

/** Headings of an answer stand below those of the page. */
const HEADINGS = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

interface BlockProps extends Context {
  block: Exclude<Block, Item>;
}

const BlockView = memo(function BlockView({ block, ...context }: BlockProps) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p data-cont={block.cont || undefined}>
          <Running text={block.text} {...context} />
        </p>
      );
    case "heading": {
      const Heading = HEADINGS[block.depth - 1] ?? "h6";
      return (
        <Heading data-depth={block.depth}>
          <Running text={block.text} {...context} />
        </Heading>
      );
    }
    case "code": {
      const Code = languageOf(block.lang) === "mermaid" ? Diagram : CodeBlock;
      // Code that is not closed has its end when nothing more comes.
      return <Code text={block.text} info={block.lang} closed={block.closed || !context.growing} grew={context.grew} />;
    }
    case "math":
      return (
        <div className="md-formula-block">
          <Formula tex={block.tex} display raw={block.raw} />
        </div>
      );
    case "table":
      return <TableView block={block} definitions={context.definitions} />;
    case "quote":
      return (
        <blockquote>
          <Nested text={block.text} {...context} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    default:
      return null;
  }
});

function TableView({ block, definitions }: { block: Extract<Block, { kind: "table" }>; definitions: Definitions }) {
  const t = useT();
  return (
    <section
      className="md-table"
      aria-label={t("markdown.table")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {block.header.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no identity but its place
              <th key={column} scope="col" style={{ textAlign: block.aligns[column] }}>
                <Running text={cell} definitions={definitions} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
            <Row key={row} cells={cells} block={block} definitions={definitions} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Row = memo(
  function Row(props: { cells: string[]; block: Extract<Block, { kind: "table" }>; definitions: Definitions }) {
    const { cells, block, definitions } = props;
    return (
      <tr>
        {block.header.map((_, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no identity but its place
          <td key={column} style={{ textAlign: block.aligns[column] }}>
            <Running text={cells[column] ?? ""} definitions={definitions} />
          </td>
        ))}
      </tr>
    );
  },
  (a, b) => a.cells === b.cells && a.definitions === b.definitions && a.block.header.length === b.block.header.length,
);

/** The inside of an item or a quote. */
function Nested({ text, plain, ...context }: Context & { text: string; plain?: boolean }) {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  const [only] = blocks;
  // An item of one paragraph has no paragraph around it.
  if (plain && only?.kind === "paragraph" && (blocks.length === 1 || blocks[1]?.kind === "item")) {
    return (
      <>
        <Running text={only.text} {...context} growing={context.growing && blocks.length === 1} />
        <Blocks blocks={blocks.slice(1)} {...context} />
      </>
    );
  }
  return <Blocks blocks={blocks} {...context} />;
}

const ItemView = memo(function ItemView({ item, ...context }: Context & { item: Item }) {
  const t = useT();
  const inside = <Nested text={item.text} plain {...context} />;
  if (item.task === undefined) return <li>{inside}</li>;
  return (
    <li className="md-task">
      <span
        role="img"
        aria-label={t(item.task ? "markdown.task.done" : "markdown.task.open")}
        data-done={item.task || undefined}
        className="md-box"
      />
      <div className="min-w-0">{inside}</div>
    </li>
  );
});

function ListView({ items, ...context }: Context & { items: readonly Item[] }) {
  const ordered = items[0]?.start !== undefined;
  const inside = items.map((item, index) => (
    <ItemView
      // biome-ignore lint/suspicious/noArrayIndexKey: an item has no identity but its place
      key={index}
      item={item}
      definitions={context.definitions}
      grew={context.grew}
      growing={context.growing && index === items.length - 1}
    />
  ));
  return ordered ? <ol start={items[0]?.start}>{inside}</ol> : <ul>{inside}</ul>;
}

/** Blocks one below the other; the items of a list come together as one. */
function Blocks({ blocks, definitions, growing, grew }: Context & { blocks: readonly Block[] }) {
  const out: ReactNode[] = [];
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at] as Block;
    const key = at;
    if (block.kind !== "item") {
      const last = growing && at === blocks.length - 1;
      out.push(<BlockView key={key} block={block} definitions={definitions} grew={grew} growing={last} />);
      continue;
    }
    const items: Item[] = [block];
    for (let next = blocks[at + 1]; next?.kind === "item" && !next.first; next = blocks[at + 1]) {
      items.push(next);
      at++;
    }
    const last = growing && at === blocks.length - 1;
    out.push(<ListView key={key} items={items} definitions={definitions} grew={grew} growing={last} />);
  }
  return out;
}

/** One chunk of a Markdown text. */
export const MarkdownChunk = memo(function MarkdownChunk({ chunk }: { chunk: Chunk }) {
  // The elements of text that grew in front of the person stay what they are when it is done: nothing moves then, and
  // what is selected stays selected.
  const grew = useRef(chunk.growing).current;
  return (
    <div className="md">
      <Blocks blocks={chunk.blocks} definitions={chunk.definitions} growing={chunk.growing} grew={grew} />
    </div>
  );
});

/** A whole Markdown text, for places that are not a conversation. */
export function Markdown({ text }: { text: string }) {
  const chunks = useMemo(() => {
    const document = new MarkdownDocument();
    document.finish(text);
    return document.chunks;
  }, [text]);
  return chunks.map((chunk) => <MarkdownChunk key={chunk.index} chunk={chunk} />);
}
