package demo

import (
	"fmt"
	"path"
	"sort"
	"strings"
	"unicode"

	"mobius/backend/llm"
)

const (
	shownEntries = 15
	shownLines   = 12
	shownMatches = 20
)

// report tells what the tools gave, one paragraph or more for each call.
func (c *conversation) report(v *voice) error {
	for _, o := range c.done {
		if in, ok := o.retry(); ok && c.has(in) && string(c.arguments(in)) != o.call.Args {
			continue // the call that it led to tells the rest
		}
		if err := v.say(llm.Text, c.tell(o)+"\n\n"); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversation) tell(o outcome) string {
	if o.result == nil {
		return c.lang.pick("There is no result of "+code(o.call.Name)+".", "Von "+code(o.call.Name)+" gibt es kein Ergebnis.")
	}
	text := o.result.Text
	if o.result.IsError {
		return c.lang.pick("The tool "+code(o.call.Name)+" could not do it. It says:", "Das Werkzeug "+code(o.call.Name)+" konnte es nicht tun. Es sagt:") + "\n\n" + fenced(head(text, shownLines), "")
	}
	switch o.call.Name {
	case "list_files":
		return c.tellList(text)
	case "glob":
		return c.tellFound(text)
	case "read_file":
		return c.tellFile(text)
	case "search":
		return c.tellSearch(text)
	case "write_file":
		return c.lang.pick("Done. The tool says:", "Erledigt. Das Werkzeug sagt:") + "\n\n" + fenced(head(text, shownLines), "")
	}
	return c.lang.pick("The tool "+code(o.call.Name)+" answered:", "Das Werkzeug "+code(o.call.Name)+" antwortet:") + "\n\n" + fenced(head(text, shownLines), "")
}

// entry is a line of a list of files.
type entry struct {
	name   string
	about  string
	folder bool
}

// entriesOf reads the lines below the first one.
func entriesOf(text string) []entry {
	_, body, _ := strings.Cut(text, "\n\n")
	var out []entry
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		name, about, _ := strings.Cut(line, "  ")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		folder := strings.HasSuffix(name, "/")
		out = append(out, entry{strings.TrimSuffix(name, "/"), strings.TrimSpace(about), folder})
	}
	return out
}

// headline is the first line of a result, as a sentence.
func headline(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, ":. ")
}

func (c *conversation) tellList(text string) string {
	entries := entriesOf(text)
	if len(entries) == 0 {
		return c.lang.pick("I looked into the folder: it is empty, or everything in it is left out by `.gitignore`.", "Ich habe in den Ordner gesehen: Er ist leer, oder `.gitignore` lässt alles aus.")
	}
	var b strings.Builder
	b.WriteString(c.lang.pick("I looked into the folder: **", "Ich habe in den Ordner gesehen: **") + escape(headline(text)) + "**.\n\n")
	top := topOf(entries)
	for _, e := range top[:min(len(top), shownEntries)] {
		switch {
		case e.folder:
			fmt.Fprintf(&b, "- 📁 **%s**\n", code(e.name+"/"))
		case e.about != "":
			fmt.Fprintf(&b, "- %s (%s)\n", code(e.name), escape(e.about))
		default:
			fmt.Fprintf(&b, "- %s\n", code(e.name))
		}
	}
	if more := len(entries) - min(len(top), shownEntries); more > 0 {
		fmt.Fprintf(&b, c.lang.pick("- … and %d more, in the folders and after these\n", "- … und %d weitere, in den Ordnern und danach\n"), more)
	}
	if kinds := kindsOf(entries); kinds != "" {
		b.WriteString(c.lang.pick("\nBy kind: ", "\nNach Art: ") + kinds + ".\n")
	}
	if name := worthReading(entries); name != "" {
		b.WriteString(c.lang.pick("\nAsk me to *read "+escape(name)+"*, or to *search for* a word.", "\nBitte mich: *Lies "+escape(name)+"*, oder *Suche nach* einem Wort."))
	}
	return strings.TrimRight(b.String(), "\n")
}

// topOf gives the entries of the uppermost level.
func topOf(entries []entry) []entry {
	least := strings.Count(entries[0].name, "/")
	for _, e := range entries {
		least = min(least, strings.Count(e.name, "/"))
	}
	var top []entry
	for _, e := range entries {
		if strings.Count(e.name, "/") == least {
			top = append(top, e)
		}
	}
	return top
}

// worthReading chooses a file to propose: a README, else the first text.
func worthReading(entries []entry) string {
	first := ""
	for _, e := range entries {
		if e.folder || !looksLikeFile(e.name) {
			continue
		}
		if strings.HasPrefix(strings.ToLower(path.Base(e.name)), "readme") {
			return e.name
		}
		if first == "" && (fenceLanguage(e.name) != "" || path.Ext(e.name) == ".txt") {
			first = e.name
		}
	}
	return first
}

// kindsOf counts the endings of the files, the most frequent first.
func kindsOf(entries []entry) string {
	counts := map[string]int{}
	for _, e := range entries {
		if ending := path.Ext(e.name); !e.folder && len(ending) > 1 && len(ending) < 12 && ending != path.Base(e.name) {
			counts[ending]++
		}
	}
	endings := make([]string, 0, len(counts))
	for ending := range counts {
		endings = append(endings, ending)
	}
	sort.Slice(endings, func(i, j int) bool {
		if counts[endings[i]] != counts[endings[j]] {
			return counts[endings[i]] > counts[endings[j]]
		}
		return endings[i] < endings[j]
	})
	var parts []string
	for _, ending := range endings[:min(len(endings), 6)] {
		parts = append(parts, fmt.Sprintf("%d × %s", counts[ending], code(ending)))
	}
	return strings.Join(parts, ", ")
}

func (c *conversation) tellFound(text string) string {
	entries := entriesOf(text)
	if len(entries) == 0 {
		return escape(headline(text)) + c.lang.pick(". Another pattern may: *find \\*.md*, for example.", ". Ein anderes Muster vielleicht: etwa *Finde \\*.md*.")
	}
	var b strings.Builder
	b.WriteString("**" + escape(headline(text)) + "**:\n\n")
	for i, e := range entries {
		if i == shownEntries {
			fmt.Fprintf(&b, c.lang.pick("- … and %d more\n", "- … und %d weitere\n"), len(entries)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", code(e.name))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (c *conversation) tellFile(text string) string {
	about := headline(text)
	_, body, ok := strings.Cut(text, "\n\n")
	if !ok || strings.TrimSpace(body) == "" {
		return c.lang.pick("I read it: ", "Ich habe sie gelesen: ") + escape(about) + "."
	}
	name, facts, _ := strings.Cut(about, ", ")
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, c.lang.pick("I read %s: %s, %d words.", "Ich habe %s gelesen: %s, %d Wörter."), code(name), escape(facts), len(strings.Fields(body)))
	if headings := headingsOf(lines); strings.EqualFold(path.Ext(name), ".md") && len(headings) > 1 {
		b.WriteString(c.lang.pick(" Its sections are:\n\n", " Die Abschnitte sind:\n\n"))
		for _, h := range headings[:min(len(headings), shownEntries)] {
			b.WriteString("- " + escape(h) + "\n")
		}
	}
	text = strings.TrimRight(b.String(), "\n")
	b.Reset()
	b.WriteString(text + c.lang.pick("\n\nIt begins like this:\n\n", "\n\nSo beginnt sie:\n\n"))
	b.WriteString(fenced(head(strings.Join(lines, "\n"), shownLines), fenceLanguage(name)))
	b.WriteString(c.lang.pick("\n\nA real model would now answer your question about it.", "\n\nEin echtes Modell würde jetzt deine Frage dazu beantworten."))
	return b.String()
}

// headingsOf gives the headings of a Markdown text, outside of its code.
func headingsOf(lines []string) []string {
	var out []string
	inCode := false
	for _, line := range lines {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
		}
		rest := strings.TrimLeft(line, "#")
		if level := len(line) - len(rest); !inCode && level > 0 && level <= 6 && strings.HasPrefix(rest, " ") && strings.TrimSpace(rest) != "" {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	return out
}

func fenceLanguage(name string) string {
	return map[string]string{
		".go": "go", ".py": "python", ".js": "javascript", ".mjs": "javascript", ".jsx": "jsx", ".ts": "typescript", ".tsx": "tsx", ".md": "markdown", ".json": "json", ".yml": "yaml", ".yaml": "yaml",
		".toml": "toml", ".css": "css", ".html": "html", ".sh": "sh", ".sql": "sql", ".rs": "rust", ".c": "c", ".h": "c", ".java": "java", ".xml": "xml",
	}[strings.ToLower(path.Ext(name))]
}

func (c *conversation) tellSearch(text string) string {
	first, body, _ := strings.Cut(text, "\n")
	if strings.TrimSpace(body) == "" {
		return c.lang.pick("I searched: ", "Ich habe gesucht: ") + escape(first)
	}
	return c.lang.pick("I searched: **", "Ich habe gesucht: **") + escape(strings.TrimRight(first, ". ")) + "**.\n\n" + fenced(head(strings.Trim(body, "\n"), shownMatches), "")
}

// head gives the first lines of a text and says how many follow.
func head(text string, lines int) string {
	list := strings.Split(strings.TrimRight(text, "\n"), "\n")
	more := ""
	if len(list) > lines {
		more = fmt.Sprintf("\n… (+%d)", len(list)-lines)
		list = list[:lines]
	}
	for i, line := range list {
		if cut, ok := firstRunes(line, 200); ok {
			list[i] = cut + "…"
		}
	}
	return strings.Join(list, "\n") + more
}

// fenced puts text into a block of code whose fence is longer than any run of backticks in it.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}

// code puts a name into a span of code, whatever backticks it holds.
func code(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name)
	fence := "`"
	for strings.Contains(name, fence) {
		fence += "`"
	}
	if len(fence) > 1 || strings.HasPrefix(name, "`") || strings.HasSuffix(name, "`") {
		return fence + " " + name + " " + fence
	}
	return fence + name + fence
}

// escape keeps the marks of Markdown in a text from taking effect.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~!$&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
