package workspace

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// glob is one compiled wildcard pattern over paths with /, in the way of .gitignore: * and ? stay within a name, ** as a
// whole name stands for any number of folders, [a-z] and [!a-z] are sets of characters, \ takes the next one literally.
// Unlike in Git, ? and a set stand for a character and not for a byte, so that they match é too.
// Matching takes at most (length of pattern × length of path) steps, whatever stars there are.
type glob struct {
	literal  string   // the whole pattern when it has no wildcard
	suffix   string   // the pattern is "*" and this
	segments []string // otherwise
}

const anyFolders = "**"

// compileGlob compiles a pattern. ok is false when nothing can match it: an open set, a backslash at the end.
func compileGlob(pattern string) (g glob, ok bool) {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return glob{literal: pattern}, true
	}
	if rest, found := strings.CutPrefix(pattern, "*"); found && rest != "" && !strings.ContainsAny(rest, `*?[\/`) {
		return glob{suffix: rest}, true
	}
	for segment := range strings.SplitSeq(pattern, "/") {
		if segment != anyFolders && !validSegment(segment) {
			return glob{}, false
		}
		if n := len(g.segments); segment == anyFolders && n > 0 && g.segments[n-1] == anyFolders {
			continue // "**/**" says the same as "**"
		}
		g.segments = append(g.segments, segment)
	}
	return g, true
}

// match tells whether the pattern matches a whole path.
func (g *glob) match(path string) bool {
	switch {
	case g.literal != "":
		return path == g.literal
	case g.suffix != "":
		return strings.HasSuffix(path, g.suffix) && strings.IndexByte(path[:len(path)-len(g.suffix)], '/') < 0
	}
	return matchSegments(g.segments, path)
}

// matchSegments compares folder by folder. After a ** it is enough to go back to the last one of them, since what an
// earlier one could give way to, a later one can as well.
func matchSegments(pattern []string, path string) bool {
	var backPattern []string
	backPath, canBack := "", false
	for {
		switch {
		case len(pattern) == 0 && path == "":
			return true
		case len(pattern) > 0 && pattern[0] == anyFolders:
			if len(pattern) == 1 {
				return path != ""
			}
			backPattern, backPath, canBack = pattern[1:], path, true
			pattern = pattern[1:]
			continue
		case len(pattern) > 0 && path != "":
			name, rest, _ := strings.Cut(path, "/")
			if matchName(pattern[0], name) {
				pattern, path = pattern[1:], rest
				continue
			}
		}
		if !canBack || backPath == "" {
			return false
		}
		_, backPath, _ = strings.Cut(backPath, "/")
		pattern, path = backPattern, backPath
	}
}

// matchName compares one name with one segment, going back to the last star only.
func matchName(pattern, name string) bool {
	backPattern, backName := "", ""
	canBack := false
	for {
		if pattern == "" && name == "" {
			return true
		}
		if pattern != "" && pattern[0] == '*' {
			pattern = strings.TrimLeft(pattern, "*")
			if pattern == "" {
				return true
			}
			backPattern, backName, canBack = pattern, name, true
			continue
		}
		if pattern != "" && name != "" {
			if restPattern, restName, ok := matchOne(pattern, name); ok {
				pattern, name = restPattern, restName
				continue
			}
		}
		if !canBack || backName == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(backName)
		backName = backName[size:]
		pattern, name = backPattern, backName
	}
}

// matchOne compares the first element of the pattern, no star, with the first character of the name.
func matchOne(pattern, name string) (restPattern, restName string, ok bool) {
	r, size := utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return pattern[1:], name[size:], true
	case '[':
		rest, in, valid := matchSet(pattern[1:], r)
		return rest, name[size:], valid && in
	case '\\':
		if len(pattern) == 1 {
			return "", "", false
		}
		pattern = pattern[1:]
	}
	_, patternSize := utf8.DecodeRuneInString(pattern)
	if len(name) < patternSize || name[:patternSize] != pattern[:patternSize] {
		return "", "", false // compared as bytes, so that names in no valid encoding match too
	}
	return pattern[patternSize:], name[patternSize:], true
}

// matchSet reads a set behind its [ and tells whether r is in it.
func matchSet(set string, r rune) (rest string, in, valid bool) {
	negate := false
	if set != "" && (set[0] == '!' || set[0] == '^') {
		negate, set = true, set[1:]
	}
	for first := true; ; first = false {
		if set == "" {
			return "", false, false
		}
		if set[0] == ']' && !first {
			return set[1:], in != negate, true
		}
		if class, after, ok := namedClass(set); ok {
			in = in || class(r)
			set = after
			continue
		}
		low, after, ok := setRune(set)
		if !ok {
			return "", false, false
		}
		high := low
		if len(after) > 1 && after[0] == '-' && after[1] != ']' {
			if high, after, ok = setRune(after[1:]); !ok {
				return "", false, false
			}
		}
		in = in || low <= r && r <= high
		set = after
	}
}

func setRune(set string) (r rune, rest string, ok bool) {
	if set != "" && set[0] == '\\' {
		set = set[1:]
	}
	if set == "" {
		return 0, "", false
	}
	r, size := utf8.DecodeRuneInString(set)
	return r, set[size:], true
}

// namedClass reads a class as [:digit:].
func namedClass(set string) (class func(rune) bool, rest string, ok bool) {
	if !strings.HasPrefix(set, "[:") {
		return nil, "", false
	}
	name, rest, found := strings.Cut(set[2:], ":]")
	if !found {
		return nil, "", false
	}
	switch name {
	case "alnum":
		return func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }, rest, true
	case "alpha":
		return unicode.IsLetter, rest, true
	case "blank":
		return func(r rune) bool { return r == ' ' || r == '\t' }, rest, true
	case "cntrl":
		return unicode.IsControl, rest, true
	case "digit":
		return func(r rune) bool { return '0' <= r && r <= '9' }, rest, true
	case "graph":
		return func(r rune) bool { return r != ' ' && unicode.IsGraphic(r) }, rest, true
	case "lower":
		return unicode.IsLower, rest, true
	case "print":
		return unicode.IsPrint, rest, true
	case "punct":
		return func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }, rest, true
	case "space":
		return unicode.IsSpace, rest, true
	case "upper":
		return unicode.IsUpper, rest, true
	case "xdigit":
		return func(r rune) bool { return r < 128 && strings.ContainsRune("0123456789abcdefABCDEF", r) }, rest, true
	}
	return func(rune) bool { return false }, rest, true
}

// validSegment tells whether every set is closed and no backslash stands at the end.
func validSegment(segment string) bool {
	for segment != "" {
		switch segment[0] {
		case '\\':
			if len(segment) == 1 {
				return false
			}
			_, size := utf8.DecodeRuneInString(segment[1:])
			segment = segment[1+size:]
		case '[':
			rest, _, valid := matchSet(segment[1:], utf8.RuneError)
			if !valid {
				return false
			}
			segment = rest
		default:
			segment = segment[1:]
		}
	}
	return true
}
