package demo

import (
	"strconv"
	"strings"
	"unicode"
)

// kind is what a request asks for.
type kind int

const (
	unknown kind = iota
	useTool
	overview // of the project: list the files, then read the README
	sayN
	failAs
	thinkAbout
	askBack
	showMarkdown
	longAnswer
	greet
	thanks
	brokenCall
	unknownCall
)

const (
	maxWords  = 200_000 // of "say N"
	maxFiles  = 5       // read in one go
	deepDepth = 5
)

// intent is one thing that is asked for.
type intent struct {
	kind kind
	tool string
	args map[string]any
	text string // what it is about
	n    int
}

func toolIntent(tool string, args map[string]any) []intent {
	return []intent{{kind: useTool, tool: tool, args: args}}
}

// plan is what a request asks for, in order. The tool calls of one group are made together.
type plan [][]intent

// understand tells what a request asks for.
func understand(text string) plan {
	text = strings.TrimSpace(text)
	if n, ok := plainCount(text); ok {
		return plan{{{kind: sayN, n: n}}}
	}
	p := known()
	whole := understandOne(text)
	switch whole[0].kind {
	case sayN, failAs, thinkAbout, askBack, brokenCall, unknownCall:
		return plan{whole}
	}
	if whole[0].tool == "write_file" {
		return plan{whole} // what to write may hold any words
	}
	var parts plan
	for _, clause := range p.clauses(text) {
		part := understandOne(clause)
		if part[0].kind == unknown {
			return plan{whole}
		}
		parts = append(parts, part)
	}
	if len(parts) > 1 {
		return parts
	}
	return plan{whole}
}

// plainCount knows "say 5" without the patterns, whose making takes two milliseconds: it is what start and speed are
// measured with.
func plainCount(text string) (n int, ok bool) {
	digits, found := strings.CutPrefix(text, "say ")
	n, err := strconv.Atoi(digits)
	return min(n, maxWords), found && err == nil && n >= 0
}

// clauses cuts "list the files and then read README.md" where the next thing is asked.
func (p *patterns) clauses(text string) []string {
	var out []string
	for _, part := range p.then.Split(text, -1) {
		start := 0
		for _, m := range p.andVerb.FindAllStringSubmatchIndex(part, -1) {
			out = append(out, part[start:m[0]])
			start = m[2]
		}
		out = append(out, part[start:])
	}
	return out
}

// understandOne tells what a request without "then" asks for. The order matters: what is certain comes first.
func understandOne(text string) []intent {
	p := known()
	full := strings.TrimSpace(text)
	text = full
	if rest := p.polite.ReplaceAllString(text, ""); rest != "" {
		text = rest
	}
	line := p.politeEnd.ReplaceAllString(text, "")
	if line == "" {
		line = text
	}
	for _, understand := range []func(string) []intent{p.spoken, p.written, p.shown, p.found, p.readFiles, p.listed} {
		if in := understand(line); in != nil {
			return in
		}
	}
	switch {
	case p.overview.MatchString(line):
		return []intent{{kind: overview}}
	case p.greet.MatchString(full) || p.greet.MatchString(line):
		return []intent{{kind: greet}}
	case p.thanks.MatchString(full):
		return []intent{{kind: thanks}}
	}
	return []intent{{kind: unknown}}
}

// spoken knows what is answered without looking at anything.
func (p *patterns) spoken(line string) []intent {
	if m := p.say.FindStringSubmatch(line); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > maxWords {
			n = maxWords
		}
		return []intent{{kind: sayN, n: n}}
	}
	switch {
	case p.broken.MatchString(line):
		return []intent{{kind: brokenCall}}
	case p.unknown.MatchString(line):
		return []intent{{kind: unknownCall}}
	case p.fail.MatchString(line):
		return []intent{{kind: failAs, text: p.times.ReplaceAllString(line, ""), n: p.howOften(line)}}
	}
	if m := p.think.FindStringSubmatch(line); m != nil {
		return []intent{{kind: thinkAbout, text: m[1]}}
	}
	if m := p.ask.FindStringSubmatch(line); m != nil {
		return []intent{{kind: askBack, text: m[1]}}
	}
	return nil
}

func (p *patterns) howOften(line string) int {
	m := p.times.FindStringSubmatch(line)
	switch {
	case m == nil:
		return 0
	case m[1] != "":
		return 1
	case m[2] != "":
		return 2
	}
	n, err := strconv.Atoi(m[3])
	if err != nil {
		return 0
	}
	return n
}

// shown knows the samples.
func (p *patterns) shown(line string) []intent {
	switch {
	case p.markdown.MatchString(line) && len(fileNames(line)) == 0 && !p.typed.MatchString(line) && !strings.Contains(line, "*"):
		return []intent{{kind: showMarkdown}}
	case p.long.MatchString(line):
		return []intent{{kind: longAnswer}}
	}
	return nil
}

// written knows "make notes.txt with …" and "write … to notes.txt".
func (p *patterns) written(line string) []intent {
	if !p.write.MatchString(line) {
		return nil
	}
	if m := p.writeTo.FindStringSubmatch(line); m != nil && looksLikeFile(unquote(m[2])) && len(fileNames(m[1])) == 0 {
		return toolIntent("write_file", map[string]any{"path": unquote(m[2]), "content": withNewline(unquote(m[1]))})
	}
	head, content := line, ""
	if m := p.writeContent.FindStringSubmatchIndex(line); m != nil {
		head, content = line[:m[0]], unquote(line[m[2]:m[3]])
	}
	names := fileNames(head)
	if len(names) == 0 {
		return nil
	}
	return toolIntent("write_file", map[string]any{"path": names[0], "content": withNewline(content)})
}

func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// found knows patterns of names and searches in files.
func (p *patterns) found(line string) []intent {
	if m := p.search.FindStringSubmatch(line); m != nil && (!strings.HasPrefix(strings.ToLower(line), "look") || strings.Contains(strings.ToLower(line), " for ")) {
		return p.searchFor(m[1])
	}
	for word := range strings.FieldsSeq(line) {
		if word = unquote(strings.Trim(word, ",;:!?()")); strings.Contains(word, "*") && strings.Trim(word, "*") != "" {
			return toolIntent("glob", map[string]any{"pattern": strings.ReplaceAll(word, `\`, "")})
		}
	}
	if m := p.typed.FindStringSubmatch(line); m != nil {
		if pattern := typePattern(m[1]); pattern != "" {
			return toolIntent("glob", map[string]any{"pattern": pattern})
		}
	}
	if m := p.find.FindStringSubmatch(line); m != nil {
		if name := unquote(m[1]); looksLikeFile(name) {
			return toolIntent("glob", map[string]any{"pattern": name})
		}
	}
	if m := p.where.FindStringSubmatch(line); m != nil {
		return p.searchFor(m[1])
	}
	if m := p.find.FindStringSubmatch(line); m != nil {
		return p.searchFor(m[1])
	}
	return nil
}

// typePattern gives the pattern for "Go files".
func typePattern(kind string) string {
	if strings.HasPrefix(kind, ".") && len(kind) > 1 {
		return "*" + strings.ToLower(kind)
	}
	return map[string]string{
		"go": "*.go", "golang": "*.go", "python": "*.py", "py": "*.py", "javascript": "*.{js,mjs,jsx}", "js": "*.{js,mjs,jsx}", "typescript": "*.{ts,tsx}", "ts": "*.{ts,tsx}",
		"markdown": "*.md", "md": "*.md", "text": "*.txt", "txt": "*.txt", "json": "*.json", "yaml": "*.{yaml,yml}", "css": "*.css", "html": "*.html", "rust": "*.rs", "java": "*.java",
		"c": "*.{c,h}", "c++": "*.{cpp,cc,hpp,h}", "shell": "*.sh", "sql": "*.sql", "image": "*.{png,jpg,jpeg,gif,svg,webp}", "test": "*test*",
	}[strings.ToLower(kind)]
}

// searchFor reads what to search for and where: a quoted text, /an expression/, or plain words, and "in src".
func (p *patterns) searchFor(text string) []intent {
	args := map[string]any{}
	term, rest := text, ""
	if quoted, after, ok := firstQuoted(text); ok {
		term = quoted
		if m := p.inside.FindStringSubmatch("x " + strings.TrimSpace(after)); m != nil {
			rest = m[2]
		}
	} else {
		if m := p.inside.FindStringSubmatch(text); m != nil {
			term, rest = m[1], m[2]
		}
		if short := p.wordsBefore.ReplaceAllString(strings.TrimSpace(term), ""); short != "" {
			term = short
		}
	}
	if len(term) > 2 && term[0] == '/' && term[len(term)-1] == '/' {
		args["pattern"] = term[1 : len(term)-1]
	} else {
		args["pattern"], args["literal"] = term, true
	}
	switch rest = unquote(strings.TrimSpace(rest)); {
	case rest == "" || generic(rest):
	case strings.Contains(rest, "*"):
		args["glob"] = rest
	case typeOfFiles(p, rest) != "":
		args["glob"] = typeOfFiles(p, rest)
	case !strings.ContainsFunc(rest, unicode.IsSpace):
		args["path"] = strings.TrimSuffix(rest, "/")
	}
	return toolIntent("search", args)
}

func typeOfFiles(p *patterns, text string) string {
	if m := p.typed.FindStringSubmatch(text); m != nil {
		return typePattern(m[1])
	}
	return ""
}

// readFiles knows "read a.txt and b.txt", "show lines 3 to 9 of main.go", and a name alone.
func (p *patterns) readFiles(line string) []intent {
	names := fileNames(line)
	if len(names) == 0 || !p.read.MatchString(line) && unquote(line) != names[0] {
		return nil
	}
	extra := map[string]any{}
	if m := p.lines.FindStringSubmatch(line); m != nil {
		from, _ := strconv.Atoi(m[1])
		to := from
		if m[2] != "" {
			to, _ = strconv.Atoi(m[2])
		}
		if from > 0 && to >= from {
			extra["start_line"], extra["lines"] = from, min(to-from+1, 5000)
		}
	} else if m := p.firstLines.FindStringSubmatch(line); m != nil {
		if n, _ := strconv.Atoi(m[1]); n > 0 {
			extra["lines"] = min(n, 5000)
		}
	}
	var out []intent
	for _, name := range names[:min(len(names), maxFiles)] {
		args := map[string]any{"path": name}
		for k, v := range extra {
			args[k] = v
		}
		out = append(out, intent{kind: useTool, tool: "read_file", args: args})
	}
	return out
}

// listed knows the many ways to ask what is in a folder.
func (p *patterns) listed(line string) []intent {
	if !p.list.MatchString(line) {
		return nil
	}
	args := map[string]any{}
	for _, m := range p.folder.FindAllStringSubmatch(line, -1) {
		if name := strings.TrimRight(m[1], "/."); name != "" && !generic(name) {
			args["path"] = name
			break
		}
	}
	if p.deep.MatchString(line) {
		args["depth"] = deepDepth
	}
	return toolIntent("list_files", args)
}

// generic tells that a word names no folder of its own.
func generic(word string) bool {
	const words = " this that here it the my your our folder directory workspace project repo repository current files file all dir everything contents content these there which root code codebase me us " +
		"diesem dieser dieses dem den der die das ordner verzeichnis hier projekt allen alle alles dateien datei inhalt mir uns unserem meinem "
	word = strings.ToLower(word)
	first, _, _ := strings.Cut(word, " ")
	return strings.Contains(words, " "+word+" ") || strings.Contains(words, " "+first+" ")
}
