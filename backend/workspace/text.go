package workspace

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// ErrBinary is the error for bytes that are no text.
var ErrBinary = errors.New("not a text file")

// Encoding is how the text of a file is written.
type Encoding string

// The encodings that are recognised.
const (
	UTF8        Encoding = "UTF-8"
	UTF8BOM     Encoding = "UTF-8 with BOM"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	GB18030     Encoding = "GB18030"
	Windows1252 Encoding = "Windows-1252" // contains Latin-1
	Binary      Encoding = "binary"
)

const (
	// sniffed is how many bytes from the beginning of a file tell whether it is text.
	sniffed = 16 << 10
	// binaryIn is how many of these hold no NUL byte in a text.
	binaryIn = 8 << 10
)

// The byte order marks.
const (
	markUTF8    = "\xef\xbb\xbf"
	markUTF16LE = "\xff\xfe"
	markUTF16BE = "\xfe\xff"
)

// Detect tells the encoding of a file from its beginning, or from all of it (whole); the more is given, the surer. For a
// text without a mark that is no UTF-8 it is a guess: GB18030 if it reads as common Chinese, else Windows-1252, in which
// any bytes are some text.
func Detect(head []byte, whole bool) Encoding {
	switch {
	case bytes.HasPrefix(head, []byte(markUTF8)):
		return UTF8BOM
	case bytes.HasPrefix(head, []byte(markUTF16LE)) && !bytes.HasPrefix(head, []byte(markUTF16LE+"\x00\x00")):
		return UTF16LE
	case bytes.HasPrefix(head, []byte(markUTF16BE)):
		return UTF16BE
	case HasNUL(head):
		return detectUTF16(head[:min(len(head), sniffed)])
	case looksBinary(head[:min(len(head), sniffed)]):
		return Binary
	case validUTF8(head, whole):
		return UTF8
	case looksChinese(head):
		return GB18030
	}
	return Windows1252
}

// HasNUL tells whether a NUL byte stands in the first 8 KiB: the file is no text, or UTF-16.
func HasNUL(head []byte) bool { return bytes.IndexByte(head[:min(len(head), binaryIn)], 0) >= 0 }

// Marked tells whether the file begins with the mark of UTF-16.
func Marked(head []byte) bool {
	return bytes.HasPrefix(head, []byte(markUTF16LE)) || bytes.HasPrefix(head, []byte(markUTF16BE))
}

// detectUTF16 recognises UTF-16 without a mark: in mostly Western text every other byte is NUL.
func detectUTF16(head []byte) Encoding {
	var nul [2]int
	for i, b := range head {
		if b == 0 {
			nul[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half < 2:
		return Binary
	case nul[1]*10 > half*6 && nul[0]*20 < half:
		return UTF16LE
	case nul[0]*10 > half*6 && nul[1]*20 < half:
		return UTF16BE
	}
	return Binary
}

// looksBinary knows formats by their first bytes, and others by their many control characters.
func looksBinary(head []byte) bool {
	kind := http.DetectContentType(head)
	if !strings.HasPrefix(kind, "text/") && kind != "application/octet-stream" && kind != "application/postscript" {
		return true
	}
	control := 0
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", rune(b)) {
			control++
		}
	}
	return control*20 > len(head)
}

// ContentType names the format of a file by its first bytes.
func ContentType(head []byte) string { return http.DetectContentType(head) }

// validUTF8 forgives a last character that is cut in two: at the end of a beginning always, at the end of a whole file
// when another character before it shows that it is UTF-8.
func validUTF8(b []byte, whole bool) bool {
	if utf8.Valid(b) {
		return true
	}
	b = trimPartial(b)
	return utf8.Valid(b) && (!whole || bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }))
}

// trimPartial takes a character off the end that is cut in two.
func trimPartial(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// looksChinese tells whether the bytes beyond ASCII are well-formed GB18030 and mostly of the part of it that everyday
// Chinese uses. Western text of one byte a character hardly ever has such pairs in a row.
func looksChinese(b []byte) bool {
	common, all := 0, 0
	for i := 0; i < len(b); {
		c := b[i]
		if c < 0x80 {
			i++
			continue
		}
		all++
		if i+1 >= len(b) {
			break // cut in two
		}
		d := b[i+1]
		switch {
		case c == 0x80 || c == 0xff:
			return false
		case d >= '0' && d <= '9':
			if i+3 < len(b) && (b[i+2] < 0x81 || b[i+2] == 0xff || b[i+3] < '0' || b[i+3] > '9') {
				return false
			}
			i += 4
		case d < 0x40 || d == 0x7f || d == 0xff:
			return false
		default:
			if c >= 0xa1 && c <= 0xf7 && d >= 0xa1 {
				common++
			}
			i += 2
		}
	}
	return common >= 2 && common*10 >= all*8
}

// Text is a decoded file.
type Text struct {
	Encoding Encoding
	Content  string // valid UTF-8 without a mark
}

// Decode turns the bytes of a file into text, or gives [ErrBinary]. Bytes that are not valid in the encoding become
// U+FFFD.
func Decode(data []byte) (Text, error) {
	enc := Detect(data, true)
	if enc == Binary {
		return Text{Encoding: enc}, ErrBinary
	}
	if enc == UTF8 || enc == UTF8BOM {
		return Text{enc, strings.ToValidUTF8(strings.TrimPrefix(string(data), markUTF8), "\ufffd")}, nil
	}
	out, err := decoder(enc).Bytes(data)
	if err != nil {
		return Text{Encoding: enc}, ErrBinary
	}
	return Text{enc, string(out)}, nil
}

// NewReader decodes a stream whose encoding [Detect] told.
func NewReader(r io.Reader, enc Encoding) io.Reader {
	return transform.NewReader(r, decoder(enc))
}

func decoder(enc Encoding) *encoding.Decoder {
	switch enc {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	case GB18030:
		return simplifiedchinese.GB18030.NewDecoder()
	case Windows1252, Binary:
		return charmap.Windows1252.NewDecoder()
	}
	return unicode.UTF8BOM.NewDecoder()
}
