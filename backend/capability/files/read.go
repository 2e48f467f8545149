package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"mobius/backend/capability"
	"mobius/backend/workspace"
)

const (
	maxFile  = 16 << 20 // bytes of a file that read_file opens
	maxLines = 2000
	maxLine  = 2000 // bytes of a line that are shown
)

func read(ctx context.Context, call capability.Call) (string, error) {
	args := struct {
		Path   string `json:"path"`
		Offset int    `json:"offset"`
		Limit  int    `json:"limit"`
	}{}
	if err := capability.Decode(call.Args, &args); err != nil {
		return "", err
	}
	name, err := relative(args.Path)
	if err != nil {
		return "", err
	}
	if info, err := call.Root.Stat(name); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder; list_files lists it", name)
	}
	text, encoding, err := load(call, name)
	if err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if args.Offset <= 0 {
		args.Offset = 1
	}
	if args.Limit <= 0 || args.Limit > maxLines {
		args.Limit = maxLines
	}
	return page(name, text, encoding, args.Offset, args.Limit)
}

// load reads a whole text file.
func load(call capability.Call, name string) (text []byte, encoding string, err error) {
	f, err := workspace.Open(call.Root, name)
	if err != nil {
		return nil, "", plain(name, err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, "", plain(name, err)
	}
	if len(raw) > maxFile {
		return nil, "", fmt.Errorf("%s is larger than %s; search finds lines in it", name, size(maxFile))
	}
	text, encoding, ok := workspace.Decode(raw)
	if !ok {
		return nil, "", fmt.Errorf("%s is not a text file (%s, %s)", name, http.DetectContentType(raw), size(int64(len(raw))))
	}
	return text, encoding, nil
}

// page gives a range of lines with what a reader needs to go on.
func page(name string, text []byte, encoding string, offset, limit int) (string, error) {
	if len(text) == 0 {
		return fmt.Sprintf("%s is empty.", name), nil
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	total := len(lines)
	if offset > total {
		return "", fmt.Errorf("%s has only %d lines", name, total)
	}
	var out bytes.Buffer
	last := offset - 1
	for _, line := range lines[offset-1 : min(total, offset-1+limit)] {
		if out.Len()+len(line) > capability.MaxOutput-1000 && out.Len() > 0 {
			break
		}
		last++
		if len(line) > maxLine {
			out.WriteString(string(bytes.ToValidUTF8(line[:maxLine], nil)) + fmt.Sprintf(" [… %d bytes more in this line]\n", len(line)-maxLine))
			continue
		}
		out.Write(line)
	}
	if !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
		out.WriteByte('\n')
	}
	switch {
	case last < total:
		fmt.Fprintf(&out, "\n[lines %d to %d of %d; continue with offset %d]\n", offset, last, total, last+1)
	case offset > 1:
		fmt.Fprintf(&out, "\n[lines %d to %d of %d, the end of the file]\n", offset, last, total)
	}
	if encoding != "UTF-8" {
		fmt.Fprintf(&out, "[encoding of the file: %s]\n", encoding)
	}
	return out.String(), nil
}
