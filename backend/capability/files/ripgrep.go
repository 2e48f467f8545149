package files

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// worthRipgrep is the number of files from which on starting a program pays.
	worthRipgrep = 200
	// killWait is how long a killed program may keep its output open.
	killWait = time.Second
)

// findRipgrep gives a function that looks for ripgrep on the PATH once.
func findRipgrep() func() string {
	return sync.OnceValue(func() string {
		program, err := exec.LookPath("rg") // refuses what is found by a relative entry of the PATH
		if err != nil {
			return ""
		}
		return program
	})
}

// possible gives the files that contain one of the needles, and those of which that is not known. It keeps their order.
//
// The files are named one by one, since which ones are searched is decided here and not by another program's idea of
// what is ignored. ripgrep would follow a link that is put in a file's place meanwhile; all that comes of it is that the
// file stays in the list and is then refused by the root.
func possible(ctx context.Context, program, dir string, paths []string, n needles) []string {
	if inside(program, dir) {
		return paths // a program out of the folder that is looked at is not started
	}
	var kept []string
	for len(paths) > 0 {
		count, bytes := 0, 0
		for count < len(paths) && (count == 0 || bytes+len(paths[count]) < argumentBytes) {
			bytes += len(paths[count]) + len("./ ")
			count++
		}
		part, ok := filter(ctx, program, dir, paths[:count], n)
		if !ok {
			return append(kept, paths...)
		}
		kept = append(kept, part...)
		paths = paths[count:]
	}
	return kept
}

func inside(program, dir string) bool {
	rel, err := filepath.Rel(dir, program)
	return err == nil && filepath.IsLocal(rel)
}

// filter runs ripgrep once; ok is false when its answer cannot be relied on.
func filter(ctx context.Context, program, dir string, paths []string, n needles) (kept []string, ok bool) {
	args := []string{"--no-config", "--no-messages", "--no-ignore", "--hidden", "--text", "--color=never", "--files-with-matches", "--null", "--fixed-strings"}
	if n.fold {
		args = append(args, "--ignore-case")
	}
	for _, text := range n.texts {
		args = append(args, "--regexp="+text)
	}
	args = append(args, "--")
	for _, p := range paths {
		args = append(args, "./"+p)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = []string{} // it needs nothing of ours
	cmd.WaitDelay = killWait
	ownGroup(cmd)
	var out bytes.Buffer // at most the names that were given
	cmd.Stdout = &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // no file matches
	}
	if err != nil {
		return nil, false
	}
	matching := map[string]bool{}
	for name := range strings.SplitSeq(out.String(), "\x00") {
		matching[strings.TrimPrefix(filepath.ToSlash(name), "./")] = true
	}
	for _, p := range paths {
		if matching[p] {
			kept = append(kept, p)
		}
	}
	return kept, true
}
