package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mobius/backend/workspace"
)

const (
	defaultDepth = 2
	maxDepth     = 20
	maxListed    = 1000 // entries of one listing
)

type listArgs struct {
	Path    string `json:"path"`
	Depth   int    `json:"depth"`
	Ignored bool   `json:"ignored"`
}

// listFiles gives a line for each entry: the path, with a / for a folder, and the size of a file.
func listFiles(ctx context.Context, root *workspace.Root, args listArgs) (string, error) {
	depth, err := within("depth", args.Depth, defaultDepth, maxDepth)
	if err != nil {
		return "", err
	}
	folder, err := locateFolder(root, args.Path)
	if err != nil {
		return "", err
	}
	types := map[string]fs.FileMode{}
	var paths []string
	walked, err := root.Walk(ctx, workspace.WalkOptions{Start: folder, Depth: depth, Limit: maxListed, Ignored: args.Ignored}, func(e workspace.Entry) error {
		paths = append(paths, e.Path)
		types[e.Path] = e.Type
		return nil
	})
	if err != nil && !errors.Is(err, errTime) {
		return "", fmt.Errorf("%s cannot be listed: %s", show(folder), describe(err))
	}
	inTreeOrder(paths)
	var lines strings.Builder
	folders := 0
	for _, p := range paths {
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTime) {
			return "", context.Cause(ctx)
		}
		if types[p].IsDir() {
			folders++
		}
		lines.WriteString(entryLine(root, p, types[p]))
	}
	where := show(folder)
	if folder == "." {
		where = "the workspace"
	}
	header := fmt.Sprintf("%s and %s in %s", count(len(paths)-folders, "file", "files"), count(folders, "folder", "folders"), where)
	if folders > 0 {
		header += fmt.Sprintf(", %s deep", count(depth, "level", "levels"))
	}
	if walked.Ignored > 0 {
		header += fmt.Sprintf("; %s left out by .gitignore", count(walked.Ignored, "entry", "entries"))
	}
	if walked.Unreadable > 0 {
		header += fmt.Sprintf("; %s could not be read", count(walked.Unreadable, "folder", "folders"))
	}
	switch {
	case len(paths) == 0:
		return header + ".", nil
	case walked.Truncated:
		header += fmt.Sprintf("; there is more than the %d entries shown, list a folder below to see it", maxListed)
	case err != nil:
		header += "; not all, since " + errTime.Error()
	}
	return header + ":\n\n" + lines.String(), nil
}

func entryLine(root *workspace.Root, name string, kind fs.FileMode) string {
	switch {
	case kind.IsDir():
		return show(name) + "/\n"
	case !kind.IsRegular():
		return show(name) + "  (" + workspace.Kind(kind) + ")\n"
	}
	info, err := root.Lstat(name)
	if err != nil {
		return show(name) + "\n" // gone meanwhile
	}
	return show(name) + "  " + size(info.Size()) + "\n"
}
