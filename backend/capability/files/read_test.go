package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"

	"mobius/backend/capability"
)

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	dir := makeTree(t, map[string]string{"short.txt": "one\ntwo\n", "open.txt": "one\ntwo", "empty": "", "long.txt": numbered(2500), "crlf.txt": "a\r\nb\r\n", "blank": "\n"})

	assert.Equal(t, "short.txt, 2 lines (8 B):\n\none\ntwo\n", output(t, dir, "read_file", `{"path":"short.txt"}`))
	assert.Equal(t, "open.txt, 2 lines (7 B):\n\none\ntwo\n", output(t, dir, "read_file", `{"path":"./open.txt"}`))
	assert.Equal(t, "empty is empty (0 B).", output(t, dir, "read_file", `{"path":"empty"}`))
	assert.Equal(t, "blank, 1 line (1 B):\n\n\n", output(t, dir, "read_file", `{"path":"blank"}`))
	assert.Equal(t, "crlf.txt, 2 lines (6 B, lines end in CR LF):\n\na\nb\n", output(t, dir, "read_file", `{"path":"crlf.txt"}`))
	assert.Equal(t, "long.txt, lines 2000–2001 of 2500 (23.9 kB):\n\nline 2000\nline 2001\n\n[To read on, call again with start_line 2002.]\n",
		output(t, dir, "read_file", `{"path":"long.txt","start_line":2000,"lines":2}`))
	assert.Equal(t, "long.txt, lines 2500–2500 of 2500 (23.9 kB):\n\n  2500  line 2500\n",
		output(t, dir, "read_file", `{"path":"long.txt","start_line":2500,"line_numbers":true}`))
}

// A long file is read in parts that join without a gap.
func TestReadingOnGivesTheWholeFile(t *testing.T) {
	want := numbered(30_000)
	dir := makeTree(t, map[string]string{"f": want})
	var got strings.Builder
	calls := 0
	for start := 1; start > 0; calls++ {
		out := output(t, dir, "read_file", fmt.Sprintf(`{"path":"f","lines":5000,"start_line":%d}`, start))
		require.LessOrEqual(t, len(out), capability.MaxOutput)
		_, rest, _ := strings.Cut(out, ":\n\n")
		text, note, more := strings.Cut(rest, "\n[To read on")
		got.WriteString(text)
		start = 0
		if more {
			_, err := fmt.Sscanf(note, ", call again with start_line %d", &start)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, want, got.String())
	assert.Greater(t, calls, 5)
}

func TestLongLinesAreCut(t *testing.T) {
	dir := makeTree(t, map[string]string{"min.js": strings.Repeat("ü", 100_000) + "\nnext\n", "one": strings.Repeat("x", maxLine)})
	out := output(t, dir, "read_file", `{"path":"min.js"}`)
	assert.Contains(t, out, strings.Repeat("ü", maxLine)+"… [line cut; it has 200.0 kB]\nnext\n")
	assert.NotContains(t, output(t, dir, "read_file", `{"path":"one"}`), "cut")
}

func TestReadFileUnderstandsEncodings(t *testing.T) {
	gb, err := simplifiedchinese.GB18030.NewEncoder().String("你好，世界\n第二行\n")
	require.NoError(t, err)
	dir := makeTree(t, map[string]string{
		"latin.txt": "gr\xfc\xdfe\n", "bom.txt": "\xef\xbb\xbfgrüße\n", "utf16.txt": "\xff\xfeg\x00r\x00\xfc\x00\n\x00", "gb.txt": gb, "broken.txt": "grüße \xff\xff x\n",
	})
	assert.Equal(t, "latin.txt, 1 line (6 B, Windows-1252):\n\ngrüße\n", output(t, dir, "read_file", `{"path":"latin.txt"}`))
	assert.Equal(t, "bom.txt, 1 line (11 B, UTF-8 with BOM):\n\ngrüße\n", output(t, dir, "read_file", `{"path":"bom.txt"}`))
	assert.Equal(t, "utf16.txt, 1 line (10 B, UTF-16LE):\n\ngrü\n", output(t, dir, "read_file", `{"path":"utf16.txt"}`))
	assert.Contains(t, output(t, dir, "read_file", `{"path":"gb.txt"}`), "GB18030):\n\n你好，世界\n第二行\n")
}

func TestWhatIsNoTextIsRefused(t *testing.T) {
	dir := makeTree(t, map[string]string{"logo.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a.out": "\x7fELF\x02\x00\x00", "doc.pdf": "%PDF-1.7\n..."})
	assert.Equal(t, "logo.png is not text (image/png, 16 B), so it was not read", failure(t, dir, "read_file", `{"path":"logo.png"}`))
	assert.Contains(t, failure(t, dir, "read_file", `{"path":"a.out"}`), "not text")
	assert.Contains(t, failure(t, dir, "read_file", `{"path":"doc.pdf"}`), "application/pdf")
}

// A huge file costs neither memory nor much time, and what is not known is not claimed.
func TestAHugeFile(t *testing.T) {
	dir := makeTree(t, map[string]string{"huge.log": numbered(1000)})
	f, err := os.OpenFile(filepath.Join(dir, "huge.log"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	block := []byte(strings.Repeat("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n", 16384))
	for range 70 {
		_, err := f.Write(block)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())

	out := output(t, dir, "read_file", `{"path":"huge.log","start_line":999,"lines":1}`)

	assert.Regexp(t, `^huge\.log, lines 999–999 of more than 10\d{5} \(73\.4 MB\):\n\nline 999\n`, out)
	assert.Contains(t, out, "start_line 1000")
	assert.Contains(t, failure(t, dir, "read_file", `{"path":"huge.log","start_line":999999999}`), "more than")

	require.NoError(t, os.Truncate(filepath.Join(dir, "huge.log"), 1<<40)) // a sparse file of 1 TiB
	assert.Contains(t, output(t, dir, "read_file", `{"path":"huge.log","lines":1}`), "line 1\n")
}
