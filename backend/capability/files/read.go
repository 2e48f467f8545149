package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"mobius/backend/workspace"
)

const (
	defaultLines = 1000
	maxLines     = 5000
	// maxLine is how many characters of one line are given.
	maxLine = 2000
	// maxScanned is how many bytes of a file are read to count its lines.
	maxScanned = 64 << 20
	// detected is how many bytes from the beginning of a file tell its encoding.
	detected = 1 << 20
	// numberWidth is the room for a line number.
	numberWidth = 6
)

type readArgs struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	Lines       int    `json:"lines"`
	LineNumbers bool   `json:"line_numbers"`
}

// readFile gives some lines of a text file. It streams, so that neither a huge file nor a huge line needs memory.
func readFile(ctx context.Context, root *workspace.Root, args readArgs) (string, error) {
	if args.Path == "" {
		return "", errors.New("path is missing: name the file to read")
	}
	if args.StartLine < 0 {
		return "", errors.New("start_line is counted from 1")
	}
	lines, err := within("lines", args.Lines, defaultLines, maxLines)
	if err != nil {
		return "", err
	}
	name, info, err := locate(root, args.Path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder; list_files shows what is in it", show(name))
	}
	f, info, err := root.OpenFile(name)
	if errors.Is(err, workspace.ErrNotRegular) {
		return "", fmt.Errorf("%s is a %s, which is not read", show(name), workspace.Kind(info.Mode()))
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %s", show(name), describe(err))
	}
	defer f.Close()
	r := &reading{name: name, size: info.Size(), first: max(args.StartLine, 1), count: lines, numbers: args.LineNumbers}
	if err := r.read(ctx, f); err != nil {
		return "", err
	}
	return r.result()
}

// reading is the lines that are taken from a file while all are counted.
type reading struct {
	name    string
	size    int64
	first   int
	count   int
	numbers bool

	encoding workspace.Encoding
	text     strings.Builder
	last     int  // line that was taken last, 0 = none
	total    int  // lines of the file, or counted so far
	counted  bool // the whole file was counted
	full     bool // the text is as long as a result may be
	crlf     bool
	cutLines int // lines that were cut
}

func (r *reading) read(ctx context.Context, f *os.File) error {
	head := make([]byte, min(r.size, detected)+1)
	n, err := io.ReadFull(f, head)
	head = head[:n]
	whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !whole {
		return fmt.Errorf("%s cannot be read: %s", show(r.name), describe(err))
	}
	if r.encoding = workspace.Detect(head, whole); r.encoding == workspace.Binary {
		return fmt.Errorf("%s is not text (%s, %s), so it was not read", show(r.name), workspace.ContentType(head), size(r.size))
	}
	raw := &limited{ctx: ctx, r: io.MultiReader(bytes.NewReader(head), f), left: maxScanned}
	lines := bufio.NewReaderSize(workspace.NewReader(raw, r.encoding), 64<<10)
	for {
		err := r.line(lines)
		switch {
		case errors.Is(err, io.EOF):
			r.counted = !raw.reached
			return nil
		case errors.Is(err, errTime) && r.last > 0:
			return nil // the lines are there, only the count is not
		case err != nil:
			return fmt.Errorf("%s cannot be read: %s", show(r.name), describe(err))
		}
	}
}

// line reads one line and takes it if it is wanted.
func (r *reading) line(lines *bufio.Reader) error {
	number := r.total + 1
	wanted := number >= r.first && number < r.first+r.count && !r.full
	var kept []byte
	length := 0
	for {
		part, err := lines.ReadSlice('\n')
		length += len(part)
		if wanted && len(kept) < maxLine*utf8.UTFMax {
			kept = append(kept, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || length == 0) {
			return err
		}
		r.total = number
		if wanted {
			r.take(number, kept, length)
		}
		return nil // an unfinished last line counts; the next call gives the end
	}
}

func (r *reading) take(number int, kept []byte, length int) {
	line := strings.TrimSuffix(string(kept), "\n")
	if trimmed, ok := strings.CutSuffix(line, "\r"); ok {
		r.crlf, line = true, trimmed
	}
	if cut, ok := firstRunes(line, maxLine); ok {
		r.cutLines++
		line = fmt.Sprintf("%s… [line cut; it has %s]", cut, size(int64(length)))
	}
	if r.numbers {
		line = fmt.Sprintf("%*d  %s", numberWidth, number, line)
	}
	if r.text.Len()+len(line) > maxText {
		r.full = true
		return
	}
	r.text.WriteString(line + "\n")
	r.last = number
}

// firstRunes cuts a text after n characters; ok tells that it was longer.
func firstRunes(s string, n int) (cut string, ok bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// result puts the lines under a line that says what they are.
func (r *reading) result() (string, error) {
	about := size(r.size)
	if r.encoding != workspace.UTF8 {
		about += ", " + string(r.encoding)
	}
	if r.crlf {
		about += ", lines end in CR LF"
	}
	if r.size == 0 || r.total == 0 {
		return fmt.Sprintf("%s is empty (%s).", show(r.name), about), nil
	}
	total := fmt.Sprint(r.total)
	if !r.counted {
		total = fmt.Sprintf("more than %d", r.total)
	}
	if r.last == 0 {
		return "", fmt.Errorf("%s has %s lines, so there is no line %d", show(r.name), total, r.first)
	}
	header := fmt.Sprintf("%s, lines %d–%d of %s (%s):\n\n", show(r.name), r.first, r.last, total, about)
	if r.first == 1 && r.counted && r.last == r.total {
		header = fmt.Sprintf("%s, %s (%s):\n\n", show(r.name), count(r.total, "line", "lines"), about)
	}
	footer := ""
	if r.last < r.total || !r.counted {
		footer = fmt.Sprintf("\n[To read on, call again with start_line %d.]\n", r.last+1)
	}
	return header + r.text.String() + footer, nil
}

// limited ends a stream after so many bytes and when ctx ends.
type limited struct {
	ctx     context.Context //nolint:containedctx // lives as long as the call that made it
	r       io.Reader
	left    int64
	reached bool // there was more
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, context.Cause(l.ctx)
	}
	if l.left <= 0 {
		l.reached = true
		return 0, io.EOF
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
