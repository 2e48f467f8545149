package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"mobius/backend/workspace"
)

const (
	// maxWhole is the size up to which a file is read at once; a larger one is searched as a stream.
	maxWhole = 4 << 20
	// sniffed is how many bytes tell that a file is no text.
	sniffed = 8 << 10
	// maxSearchedLine is how many bytes of one line are searched.
	maxSearchedLine = 1 << 20
)

// hit is a line that is shown: a match or one around it.
type hit struct {
	number int // from 1
	match  bool
	text   string
}

// found is what a search finds in one file.
type found struct {
	hits    []hit
	matches int // all of the file, also those that are not shown
	err     error
}

// file searches one file. What is no text has no matches.
func (s *scan) file(ctx context.Context, name string) found {
	f, info, err := s.root.OpenFile(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, workspace.ErrNotRegular) || errors.Is(err, workspace.ErrOutside) {
			return found{} // not a file of the folder any more
		}
		return found{err: err}
	}
	defer f.Close()
	m := &matcher{scan: s}
	if info.Size() <= maxWhole {
		err = m.whole(f, info.Size())
	} else {
		err = m.stream(ctx, f)
	}
	if ctx.Err() == nil {
		m.out.err = err
	}
	return m.out
}

// matcher looks at the lines of one file, in order.
type matcher struct {
	scan   *scan
	out    found
	number int
	before []string // the last lines that are not shown, at most scan.context
	after  int      // lines that are still to be shown after a match
}

// whole searches a file that fits into memory.
func (m *matcher) whole(f *os.File, size int64) error {
	data := make([]byte, min(size, sniffed), size+1)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	data = data[:n]
	if notText(data) {
		return nil
	}
	for len(data) < cap(data) {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if !workspace.Marked(data) && !m.scan.needles.in(data) {
		return nil
	}
	text, err := workspace.Decode(data)
	if err != nil {
		return nil //nolint:nilerr // no text
	}
	for line := range strings.Lines(text.Content) {
		m.line(line)
	}
	return nil
}

// stream searches a large file in pieces.
func (m *matcher) stream(ctx context.Context, f *os.File) error {
	head := make([]byte, detected)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	head = head[:n]
	encoding := workspace.Detect(head, false)
	if notText(head) || encoding == workspace.Binary {
		return nil
	}
	raw := &limited{ctx: ctx, r: io.MultiReader(bytes.NewReader(head), f), left: 1 << 62}
	lines := bufio.NewReaderSize(workspace.NewReader(raw, encoding), 64<<10)
	for {
		var line []byte
		for {
			part, err := lines.ReadSlice('\n')
			if len(line) < maxSearchedLine {
				line = append(line, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if len(line) > 0 {
				m.line(string(line))
			}
			if err != nil {
				return nil
			}
			break
		}
	}
}

// notText tells from the beginning of a file that it is not searched. UTF-16 without a mark is among it.
func notText(head []byte) bool {
	return workspace.HasNUL(head) && !workspace.Marked(head)
}

func (m *matcher) line(line string) {
	m.number++
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	at := m.scan.expression.FindStringIndex(line)
	switch {
	case at != nil:
		m.out.matches++
		if m.out.matches > m.scan.perFile {
			m.before, m.after = nil, 0
			return
		}
		for i, earlier := range m.before {
			m.show(m.number-len(m.before)+i, false, earlier, 0)
		}
		m.show(m.number, true, line, at[0])
		m.before, m.after = m.before[:0], m.scan.context
	case m.after > 0:
		m.after--
		m.show(m.number, false, line, 0)
	case m.scan.context > 0:
		if len(m.before) == m.scan.context {
			m.before = append(m.before[:0], m.before[1:]...)
		}
		m.before = append(m.before, line)
	}
}

func (m *matcher) show(number int, match bool, line string, at int) {
	m.out.hits = append(m.out.hits, hit{number, match, shorten(line, at)})
}
