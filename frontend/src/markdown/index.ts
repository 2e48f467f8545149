export { CodeBlock, CodeText, CopyButton } from "./CodeBlock";
export { type Chunk, MarkdownDocument } from "./document";
export { Markdown, MarkdownChunk } from "./Markdown";
export { onCopy, selectedText } from "./selection";
