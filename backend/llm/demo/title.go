package demo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	titleWords = 6
	titleRunes = 60
)

// titleOf names a conversation by what the user said first. excerpt is "User: …" and what follows.
func titleOf(excerpt string) string {
	line := strings.TrimPrefix(strings.TrimSpace(excerpt), "User:")
	line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
	lang := languageOf(line)
	p := known()
	short := strings.TrimSpace(p.politeEnd.ReplaceAllString(p.polite.ReplaceAllString(line, ""), ""))
	if short == "" || understandOne(line)[0].kind == greet {
		return lang.pick("Getting started", "Erste Schritte")
	}
	words := strings.Fields(short)
	title := strings.Join(words[:min(len(words), titleWords)], " ")
	if cut, ok := firstRunes(title, titleRunes); ok {
		title = cut + "…"
	}
	title = strings.TrimRightFunc(title, func(r rune) bool { return unicode.IsPunct(r) && !strings.ContainsRune(")]*…`'\"”“", r) })
	first, size := utf8.DecodeRuneInString(title)
	if title == "" || first == utf8.RuneError {
		return lang.pick("Conversation", "Unterhaltung")
	}
	return string(unicode.ToUpper(first)) + title[size:]
}

// firstRunes cuts a text after n characters; ok tells that it was longer.
func firstRunes(s string, n int) (cut string, ok bool) {
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}
