import type { ThemeRegistration } from "shiki/core";

/** Name of the theme below. */
export const THEME = "mobius";

const ink = (name: string): string => `var(--code-${name})`;

const colours: [name: string, scopes: string[]][] = [
  ["token-comment", ["comment", "punctuation.definition.comment", "string.quoted.docstring"]],
  ["token-string", ["string", "punctuation.definition.string", "markup.inline.raw", "markup.raw"]],
  [
    "token-constant",
    [
      "constant",
      "support.constant",
      "variable.language",
      "variable.other.constant",
      "entity.other.attribute-name",
      "keyword.other.unit",
    ],
  ],
  ["token-keyword", ["keyword", "storage", "entity.name.tag", "punctuation.definition.directive", "markup.heading"]],
  ["token-function", ["entity.name.function", "support.function", "variable.function", "meta.function-call.generic"]],
  [
    "token-type",
    [
      "entity.name.type",
      "entity.name.class",
      "entity.name.namespace",
      "entity.other.inherited-class",
      "support.class",
      "support.type",
      "support.type.property-name",
      "meta.object-literal.key",
    ],
  ],
  ["token-punctuation", ["keyword.operator", "punctuation", "storage.type.function.arrow"]],
  // What stands in a text to be replaced is code again.
  ["foreground", ["meta.template.expression", "meta.interpolation", "variable.other", "string meta.embedded"]],
  ["token-keyword", ["keyword.operator.new", "keyword.operator.expression", "keyword.operator.logical.python"]],
  ["token-link", ["markup.underline.link", "string.other.link"]],
  ["token-inserted", ["markup.inserted", "meta.diff.header.to-file", "punctuation.definition.inserted"]],
  ["token-deleted", ["markup.deleted", "meta.diff.header.from-file", "punctuation.definition.deleted"]],
  ["token-changed", ["markup.changed", "meta.diff.range", "punctuation.definition.changed"]],
];

/** What parts of code are coloured, and how; the colours themselves are those of the page's theme. */
export const palette: ThemeRegistration = {
  name: THEME,
  type: "css" as never,
  colors: { "editor.foreground": ink("foreground"), "editor.background": ink("background") },
  tokenColors: colours.map(([name, scope]) => ({ scope, settings: { foreground: ink(name) } })),
};
