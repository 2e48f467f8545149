package workspace

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

const (
	maxPattern      = 1000 // bytes of a pattern
	maxAlternatives = 64   // that the braces of a pattern may stand for
)

// Pattern matches paths by wildcards: those of .gitignore (*, ?, [a-z], and ** for any number of folders) and {a,b} for
// alternatives. A pattern without a / matches the last name of a path, wherever it lies.
type Pattern struct {
	globs    []glob
	nameOnly []bool
}

// CompilePattern reads a pattern. Its errors say what is wrong with it.
func CompilePattern(text string) (*Pattern, error) {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "./"), "/")
	switch {
	case text == "":
		return nil, errors.New("the pattern is empty")
	case len(text) > maxPattern:
		return nil, fmt.Errorf("the pattern has more than %d bytes", maxPattern)
	}
	alternatives, err := expandBraces(text)
	if err != nil {
		return nil, err
	}
	p := &Pattern{}
	for _, alternative := range alternatives {
		alternative = strings.TrimSuffix(alternative, "/")
		nameOnly := !strings.Contains(alternative, "/")
		if nameOnly && alternative == anyFolders {
			alternative = "*"
		}
		g, ok := compileGlob(alternative)
		if !ok || alternative == "" {
			return nil, fmt.Errorf("%q is not a valid pattern: a [ without its ], or a \\ or nothing at the end", text)
		}
		p.globs, p.nameOnly = append(p.globs, g), append(p.nameOnly, nameOnly)
	}
	return p, nil
}

// Match tells whether the pattern matches a path that is relative and uses /.
func (p *Pattern) Match(name string) bool {
	base := path.Base(name)
	for i := range p.globs {
		target := name
		if p.nameOnly[i] {
			target = base
		}
		if p.globs[i].match(target) {
			return true
		}
	}
	return false
}

// expandBraces gives the patterns that one with {a,b} stands for.
func expandBraces(text string) ([]string, error) {
	done := []string{}
	todo := []string{text}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, commas, end := braces(last)
		if open < 0 {
			done = append(done, last)
		} else if end < 0 {
			return nil, fmt.Errorf("%q is not a valid pattern: a { without its }", text)
		}
		for i := len(commas) - 2; i >= 0 && open >= 0; i-- {
			todo = append(todo, last[:open]+last[commas[i]+1:commas[i+1]]+last[end+1:])
		}
		if len(done)+len(todo) > maxAlternatives {
			return nil, fmt.Errorf("the pattern stands for more than %d alternatives", maxAlternatives)
		}
	}
	return done, nil
}

// braces finds the first pair of braces: where it opens, the bounds of its alternatives, and where it ends.
func braces(text string) (open int, bounds []int, end int) {
	open, depth := -1, 0
	inSet := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case inSet:
			inSet = c != ']'
		case c == '[' && strings.Contains(text[i:], "]"):
			inSet = true
			if i+1 < len(text) && strings.IndexByte("]!^", text[i+1]) >= 0 {
				i++
			}
		case c == '{':
			if depth == 0 {
				open, bounds = i, []int{i}
			}
			depth++
		case c == ',' && depth == 1:
			bounds = append(bounds, i)
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return open, append(bounds, i), i
			}
		}
	}
	return open, bounds, -1
}
