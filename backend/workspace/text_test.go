package workspace

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

func encode(t testing.TB, e encoding.Encoding, text string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(text))
	require.NoError(t, err)
	return b
}

func TestDecode(t *testing.T) {
	const german, chinese = "Grüße aus Köln – „schön“\r\nzweite Zeile\n", "你好，世界。这是一个测试文件\nline two\n"
	little := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	big := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	long := strings.Repeat("plain text\n", 5000)
	for name, c := range map[string]struct {
		data []byte
		enc  Encoding
		text string
	}{
		"empty":             {nil, UTF8, ""},
		"ASCII":             {[]byte("hello\n"), UTF8, "hello\n"},
		"UTF-8":             {[]byte(german + chinese + "🙂"), UTF8, german + chinese + "🙂"},
		"UTF-8 with mark":   {[]byte("\xef\xbb\xbf" + german), UTF8BOM, german},
		"UTF-16LE mark":     {append([]byte("\xff\xfe"), encode(t, little, german+"🙂")...), UTF16LE, german + "🙂"},
		"UTF-16BE mark":     {append([]byte("\xfe\xff"), encode(t, big, german)...), UTF16BE, german},
		"UTF-16LE":          {encode(t, little, german), UTF16LE, german},
		"UTF-16BE":          {encode(t, big, german), UTF16BE, german},
		"UTF-16LE Chinese":  {append([]byte("\xff\xfe"), encode(t, little, chinese)...), UTF16LE, chinese},
		"Windows-1252":      {encode(t, charmap.Windows1252, german), Windows1252, german},
		"Latin-1":           {encode(t, charmap.ISO8859_1, "Ein Öl für éé und àà\n"), Windows1252, "Ein Öl für éé und àà\n"},
		"one odd byte":      {[]byte("caf\xe9"), Windows1252, "café"},
		"GB18030":           {encode(t, simplifiedchinese.GB18030, chinese), GB18030, chinese},
		"short GB18030":     {encode(t, simplifiedchinese.GB18030, "# 中文\n"), GB18030, "# 中文\n"},
		"GB18030 four":      {encode(t, simplifiedchinese.GB18030, chinese+"é🙂"), GB18030, chinese + "é🙂"},
		"late Latin-1":      {append([]byte(long), 0xfc), Windows1252, long + "ü"},
		"escape sequences":  {[]byte("\x1b[31mred\x1b[0m\n"), UTF8, "\x1b[31mred\x1b[0m\n"},
		"cut UTF-8 at end":  {[]byte("ü abc\xe4\xb8"), UTF8, "ü abc\ufffd"},
		"UTF-16 odd length": {[]byte("\xff\xfea\x00b\x00c"), UTF16LE, "ab\ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(c.data)
			require.NoError(t, err)
			assert.Equal(t, Text{c.enc, c.text}, got)

			streamed, err := io.ReadAll(NewReader(bytes.NewReader(c.data), Detect(c.data, true)))
			require.NoError(t, err)
			assert.Equal(t, c.text, string(streamed), "as a stream")
		})
	}
}

func TestDetectForgivesACharacterThatTheBeginningCuts(t *testing.T) {
	assert.Equal(t, UTF8, Detect([]byte("abc\xe4\xb8"), false))
	assert.Equal(t, Windows1252, Detect([]byte("abc\xe4\xb8"), true))
}

func TestDecodeRefusesWhatIsNoText(t *testing.T) {
	for name, data := range map[string]string{
		"NUL":     "abc\x00def",
		"PNG":     "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"PDF":     "%PDF-1.7\n1 0 obj\n",
		"ZIP":     "PK\x03\x04xxxx",
		"control": strings.Repeat("\x01\x02x", 50),
		"UTF-32":  "\xff\xfe\x00\x00a\x00\x00\x00",
	} {
		_, err := Decode([]byte(data))
		assert.ErrorIs(t, err, ErrBinary, name)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "abc", "\xff\xfea", "\x81\x30\x81", "\xe4\xb8", "\xb0\xa1\xb0\xa1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := Decode(data)
		if err == nil && !utf8.ValidString(text.Content) {
			t.Fatalf("%s gave invalid text", text.Encoding)
		}
	})
}
