package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var small = Limits{Event: 1 << 20, Total: 4 << 20}

// all reads a stream and gives its events as "name|data", with a + behind one that was cut.
func all(r io.Reader, limits Limits) ([]string, error) {
	events := NewReader(r, limits)
	list := []string{}
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		s := string(e.Name) + "|" + string(e.Data)
		if e.Cut {
			s += "+"
		}
		list = append(list, s)
	}
}

func TestEventsOfEveryForm(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"plain", "data: a\n\ndata: b\n\n", []string{"|a", "|b"}},
		{"no space", "data:a\n\n", []string{"|a"}},
		{"only the first space goes", "data:  a\n\n", []string{"| a"}},
		{"CR LF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []string{"x|a", "|b"}},
		{"CR alone", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"mixed ends", "data: a\n\r\ndata: b\r\n\n", []string{"|a", "|b"}},
		{"several lines", "data: a\ndata: b\n\n", []string{"|a\nb"}},
		{"comments", ": hello\n\n:\ndata: a\n: x\n\n", []string{"|a"}},
		{"ids, retry times, unknown fields", "id: 1\nretry: 5\nfoo: bar\nfoo\ndata: a\n\n", []string{"|a"}},
		{"an event without data has no name for the next", "event: ping\n\ndata: a\n\n", []string{"|a"}},
		{"the last name counts", "event: a\nevent: b\ndata: 1\n\n", []string{"b|1"}},
		{"no blank line at the end", "data: a\n\ndata: b\n", []string{"|a", "|b+"}},
		{"no line end at the end", "data: a\n\ndata: b", []string{"|a", "|b+"}},
		{"data without a colon is empty", "data\n\n", []string{"|"}},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []string{"|a"}},
		{"nothing", "", []string{}},
		{"only comments", ": ok\n\n", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, reader := range map[string]io.Reader{"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in))} {
				got, err := all(reader, small)
				require.NoError(t, err)
				assert.Equal(t, c.want, got, name)
			}
		})
	}
}

func TestLimitsHold(t *testing.T) {
	long := "data: " + strings.Repeat("x", 100_000) + "\n\n"

	got, err := all(strings.NewReader(long), Limits{Event: 200_000, Total: 200_000})
	require.NoError(t, err)
	assert.Len(t, got[0], 100_001)

	_, err = all(strings.NewReader(long), Limits{Event: 50_000, Total: 200_000})
	require.ErrorIs(t, err, ErrTooLarge, "a line")
	_, err = all(strings.NewReader(strings.Repeat("data: xxxxxxxxx\n", 10_000)), Limits{Event: 50_000, Total: 1_000_000})
	require.ErrorIs(t, err, ErrTooLarge, "an event of many lines")
	_, err = all(strings.NewReader(strings.Repeat(": keep alive\n\n", 10_000)), Limits{Event: 50_000, Total: 100_000})
	require.ErrorIs(t, err, ErrTooLarge, "a stream")
}

func TestABrokenConnectionGivesNoHalfEvent(t *testing.T) {
	broken := errors.New("reset")
	got, err := all(io.MultiReader(strings.NewReader("data: a\n\ndata: hal"), iotest.ErrReader(broken)), small)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, []string{"|a"}, got)
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("event: x\r\ndata: a\r\n\r\ndata: b\n\n"), 3)
	f.Add([]byte("\xef\xbb\xbfdata\r\rdata:x\n"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		limits := Limits{Event: 1 << 16, Total: 1 << 20}
		whole, err := all(bytes.NewReader(in), limits)
		pieces, err2 := all(&chunked{in, max(1, size%64)}, limits)
		if !errors.Is(err2, err) || strings.Join(whole, "\x00") != strings.Join(pieces, "\x00") {
			t.Fatalf("what is read depends on how it arrives: %q %v, %q %v", whole, err, pieces, err2)
		}
		n := 0
		for _, e := range whole {
			n += len(e)
		}
		if n > 3*len(in)+16 {
			t.Fatalf("%d bytes came out of %d", n, len(in))
		}
	})
}

// chunked gives its bytes in pieces of a size.
type chunked struct {
	b    []byte
	size int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.b[:min(c.size, len(c.b))])
	c.b = c.b[n:]
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	event := "data: " + strings.Repeat("x", 250) + "\n\n"
	in := strings.Repeat(event, 1000)
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for n := 0; n < b.N; n += 1000 {
		r := NewReader(strings.NewReader(in), Limits{Event: 1 << 20, Total: 1 << 30})
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}
