package demo

const greeting = `Hello! I am Mobius' **built-in demonstration**: I run without a key and without a network. I am not an AI, but everything around me is real — the streaming, the tools, the files in your folder.

Three things to try:

1. *list the files* — I look into this conversation's folder
2. *read README.md* — I open a file and show how it begins
3. *show markdown* — headings, tables, code and lists as they arrive

When you like what you see, choose a real model in the Bot's profile.
`

const unknown = `You wrote:

%s

I am the offline demonstration, not an AI, so I cannot answer that. I do understand plain requests such as *list the files*, *read README.md*, *find \*.go*, *search for TODO*, *show markdown*, *think about it* or *say 100*.

To get real answers, add a provider in the settings and choose its model in this Bot's profile.
`

const musing = `The request asks me to think. Let me take it apart: what is known, what is missing, what follows.
Known is that I am a demonstration. Missing is a mind. It follows that I should be honest about it,
and still show how reasoning is folded away and timed in the conversation.`

const paragraph = `A long answer is only useful if reading it stays easy. Lines flow at a calm width, finished paragraphs stay where they are while new ones arrive below, and scrolling up stops the page from following. When you return to the end, it follows again.

`

const sample = "# Markdown, as it arrives\n\n" +
	"Text can be **strong**, *emphasised*, ~~struck~~ or `code`. A link shows its address before it opens: [example](https://example.com/docs).\n\n" +
	"## Lists\n\n- first\n- second\n  - nested, with `code`\n  - and more\n- third\n\n1. one\n2. two\n\n- [x] done\n- [ ] open\n\n" +
	"## A table\n\n| language | typed | born |\n| --- | :---: | ---: |\n| Go | yes | 2009 |\n| Python | no | 1991 |\n| TypeScript | yes | 2012 |\n\n" +
	"## Code\n\n```go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := range 3 {\n\t\tfmt.Println(\"hello\", i) // three times\n\t}\n}\n```\n\n" +
	"```python\ndef fib(n: int) -> int:\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n```\n\n" +
	"## Maths\n\nInline \\(E = mc^2\\), and on a line of its own:\n\n\\[\\int_0^1 x^2\\,dx = \\frac{1}{3}\\]\n\nPrices stay prices: it fell from $125K to $76K.\n\n" +
	"> A quote, to close with.\n"
