package demo

import (
	"path"
	"strings"
	"unicode"
)

// fileNames finds the names of files in a request: quoted ones, ones with an ending, and well-known ones.
func fileNames(text string) []string {
	var names []string
	for rest := text; ; {
		quoted, after, ok := firstQuoted(rest)
		if !ok {
			break
		}
		if looksLikeFile(quoted) || strings.Contains(quoted, ".") {
			names = append(names, quoted)
			text = strings.Replace(text, quoted, "", 1)
		}
		rest = after
	}
	for word := range strings.FieldsSeq(text) {
		if word = unquote(strings.Trim(word, ",;:!?()")); looksLikeFile(word) {
			names = append(names, strings.TrimSuffix(word, "."))
		}
	}
	return names
}

// looksLikeFile tells that a word is the name of a file and not an ordinary one.
func looksLikeFile(word string) bool {
	word = strings.TrimSuffix(word, ".")
	switch strings.ToLower(path.Base(word)) {
	case "readme", "makefile", "license", "licence", "dockerfile", "changelog", "contributing", "authors", ".gitignore", ".env", ".editorconfig":
		return true
	}
	ending := strings.TrimPrefix(path.Ext(word), ".")
	stem := strings.TrimSuffix(word, path.Ext(word))
	if ending == "" || len(ending) > 10 || stem == "" || strings.ContainsFunc(word, unicode.IsSpace) || strings.Contains(word, "://") {
		return false
	}
	if strings.ContainsFunc(ending, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) || !strings.ContainsFunc(ending, unicode.IsLetter) {
		return false
	}
	return word != "e.g" && word != "i.e" && word != "z.B" && !strings.HasSuffix(stem, ".")
}

// quotes are pairs of marks around a name or a text.
var quotes = [...][2]string{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"„", "“"}, {"»", "«"}, {"‘", "’"}, {"'", "'"}}

// firstQuoted finds the first text in quotes, and what follows it. An apostrophe within a word is no quote.
func firstQuoted(text string) (quoted, after string, ok bool) {
	best := len(text)
	for _, q := range quotes {
		start := strings.Index(text, q[0])
		if start < 0 || start >= best || start > 0 && text[start-1] != ' ' {
			continue
		}
		inner := text[start+len(q[0]):]
		if end := strings.Index(inner, q[1]); end > 0 {
			best, quoted, after, ok = start, inner[:end], inner[end+len(q[1]):], true
		}
	}
	return quoted, after, ok
}

// unquote takes quotes off that stand around a whole text.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	for _, q := range quotes {
		inner, ok := strings.CutPrefix(text, q[0])
		if !ok {
			continue
		}
		if inner, ok = strings.CutSuffix(inner, q[1]); ok && inner != "" && !strings.Contains(inner, q[0]) {
			return inner
		}
	}
	return text
}
