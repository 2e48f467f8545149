package workspace

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// Decode gives the text of a file's bytes as UTF-8 and the name of its encoding, or ok false for what is no text. The
// bytes may be the beginning of a longer file.
func Decode(b []byte) (text []byte, name string, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte{0xEF, 0xBB, 0xBF}):
		return bytes.ToValidUTF8(b[3:], []byte("\uFFFD")), "UTF-8 with BOM", true
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		return decodeWith(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), b[:len(b)&^1], "UTF-16 LE")
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		return decodeWith(unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM), b[:len(b)&^1], "UTF-16 BE")
	case bytes.IndexByte(b, 0) >= 0:
		return nil, "", false
	case validPrefix(b):
		return bytes.ToValidUTF8(b, nil), "UTF-8", true
	}
	if controls(b) {
		return nil, "", false
	}
	if text, _, ok := decodeWith(simplifiedchinese.GB18030, b, ""); ok && !bytes.ContainsRune(text, utf8.RuneError) && chinese(text) {
		return text, "GB18030", true
	}
	return decodeWith(charmap.Windows1252, b, "Windows-1252")
}

func decodeWith(e encoding.Encoding, b []byte, name string) ([]byte, string, bool) {
	text, err := e.NewDecoder().Bytes(b)
	return text, name, err == nil
}

// validPrefix is utf8.Valid for bytes whose last character may be cut.
func validPrefix(b []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut <= len(b); cut++ {
		if utf8.Valid(b[:len(b)-cut]) {
			return cut == 0 || !utf8.FullRune(b[len(b)-cut:])
		}
	}
	return false
}

// controls tells whether the bytes have control characters that no text has.
func controls(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b {
			return true
		}
	}
	return false
}

// chinese tells whether most characters beyond ASCII are Han, so that Western text is not taken for GB18030.
func chinese(text []byte) bool {
	han, other := 0, 0
	for _, r := range string(text) {
		switch {
		case r < utf8.RuneSelf:
		case r >= 0x4E00 && r <= 0x9FFF || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF:
			han++
		default:
			other++
		}
	}
	return han > 2*other
}
