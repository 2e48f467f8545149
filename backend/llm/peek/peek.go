// Package peek reads a few members of a small JSON document without decoding the rest. Streams of models repeat the same
// forms many thousand times; encoding/json spends most of a delta's time on members that nobody wants.
//
// It is strict: a document that is not exactly JSON, or that holds anything it does not handle the very same way as
// encoding/json, is reported as not read, and the caller decodes it with encoding/json. So it can only be faster, never
// different.
package peek

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

const maxDepth = 32

// Members walks over the members of an object:
//
//	m := peek.Object(doc)
//	for m.Next() {
//		switch string(m.Key) { … m.Value … }
//	}
//	if !m.OK() { … decode with encoding/json … }
type Members struct {
	Key   []byte // without quotes; only letters, digits, '_', '-' and '.'
	Value []byte // as it stands in the document

	doc   []byte
	at    int
	begun bool
	done  bool
	bad   bool
}

// Object begins to walk over the members of doc.
func Object(doc []byte) Members { return Members{doc: doc} }

// OK tells, after the last Next, whether doc was an object and was read to its end.
func (m *Members) OK() bool { return m.done && !m.bad }

// Next goes to the next member and tells whether there is one.
func (m *Members) Next() bool {
	if m.done || m.bad {
		return false
	}
	i := space(m.doc, m.at)
	if !m.begun {
		m.begun = true
		if i >= len(m.doc) || m.doc[i] != '{' {
			return m.fail()
		}
		i = space(m.doc, i+1)
		if i < len(m.doc) && m.doc[i] == '}' {
			return m.end(i + 1)
		}
	} else {
		if i >= len(m.doc) {
			return m.fail()
		}
		if m.doc[i] == '}' {
			return m.end(i + 1)
		}
		if m.doc[i] != ',' {
			return m.fail()
		}
		i = space(m.doc, i+1)
	}
	end := skipString(m.doc, i)
	if end < 0 {
		return m.fail()
	}
	m.Key = m.doc[i+1 : end-1]
	if !plain(m.Key) {
		return m.fail()
	}
	i = space(m.doc, end)
	if i >= len(m.doc) || m.doc[i] != ':' {
		return m.fail()
	}
	i = space(m.doc, i+1)
	end = skipValue(m.doc, i, 0)
	if end < 0 {
		return m.fail()
	}
	m.Value, m.at = m.doc[i:end], end
	return true
}

func (m *Members) end(i int) bool {
	m.done, m.bad = true, space(m.doc, i) != len(m.doc)
	return false
}

func (m *Members) fail() bool {
	m.bad = true
	return false
}

// plain tells whether a key is made of characters whose case encoding/json could not fold into another key.
func plain(key []byte) bool {
	for _, c := range key {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' {
			continue
		}
		return false
	}
	return true
}

// Lower tells whether a key has no capital letter, so that only the same spelling matches it in encoding/json.
func Lower(key []byte) bool {
	for _, c := range key {
		if c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// Only gives the element of an array that has just one. ok is false otherwise. The array must come from a Members.
func Only(array []byte) (element []byte, ok bool) {
	if len(array) == 0 || array[0] != '[' {
		return nil, false
	}
	i := space(array, 1)
	end := skipValue(array, i, 0)
	if end < 0 {
		return nil, false
	}
	j := space(array, end)
	return array[i:end], j == len(array)-1 && array[j] == ']'
}

// Null tells whether a value is null.
func Null(value []byte) bool { return len(value) == 4 && value[0] == 'n' }

// Text decodes a string value. ok is false when it is no string or holds anything unusual.
func Text(value []byte) (s string, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if !utf8.Valid(inner) {
		return "", false // encoding/json would replace what is not valid
	}
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	if json.Unmarshal(value, &s) != nil {
		return "", false
	}
	return s, true
}

// Int decodes a small number without a fraction.
func Int(value []byte) (n int, ok bool) {
	if len(value) == 0 || len(value) > 9 {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue gives the end of the value that begins at i, or -1.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{':
		return skipObject(b, i, depth)
	case c == '[':
		return skipArray(b, i, depth)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	default:
		return skipNumber(b, i)
	}
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word)
	}
	return -1
}

func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			if i++; i >= len(b) {
				return -1
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(b) || !hex(b[i+1]) || !hex(b[i+2]) || !hex(b[i+3]) || !hex(b[i+4]) {
					return -1
				}
				i += 4
			default:
				return -1
			}
		}
	}
	return -1
}

func hex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func skipObject(b []byte, i, depth int) int {
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = skipString(b, i); i < 0 {
			return -1
		}
		if i = space(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = skipValue(b, space(b, i+1), depth+1); i < 0 {
			return -1
		}
		if i = space(b, i); i >= len(b) {
			return -1
		}
		if b[i] == '}' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = space(b, i+1)
	}
}

func skipArray(b []byte, i, depth int) int {
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, i, depth+1); i < 0 {
			return -1
		}
		if i = space(b, i); i >= len(b) {
			return -1
		}
		if b[i] == ']' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = space(b, i+1)
	}
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	end := digits(b, i)
	if end == i || b[i] == '0' && end > i+1 {
		return -1
	}
	if i = end; i < len(b) && b[i] == '.' {
		if end = digits(b, i+1); end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = digits(b, i); end == i {
			return -1
		}
		i = end
	}
	return i
}
