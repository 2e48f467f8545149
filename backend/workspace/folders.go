package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mobius/backend/wire"
)

const (
	maxFolders     = 1000   // folders of one listing
	maxFolderReads = 20_000 // entries of a folder that are looked at for it
	readBatch      = 512    // entries that are read from a folder at a time
)

// List gives the folders inside a folder, for choosing one; "" is the home folder. It shows at most 1,000, in the order
// of their names with hidden ones last, and leaves files out. The error is an invalid_workspace rejection.
func List(path string) (*wire.FolderListing, error) {
	if path == "" {
		path = "~"
	}
	clean, err := expand(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(clean)
	if err != nil {
		return nil, reject("The folder %s %s.", clean, reason(err))
	}
	if !info.IsDir() {
		return nil, reject("%s is not a folder.", clean)
	}
	names, more, err := folderNames(clean)
	if err != nil {
		return nil, reject("The folder %s %s.", clean, reason(err))
	}
	slices.SortFunc(names, byName)
	list := &wire.FolderListing{Path: clean, Folders: make([]wire.Folder, 0, min(len(names), maxFolders)), Truncated: more || len(names) > maxFolders}
	if parent := filepath.Dir(clean); parent != clean {
		list.Parent = parent
	}
	for _, name := range names[:min(len(names), maxFolders)] {
		list.Folders = append(list.Folders, wire.Folder{Name: name, Path: filepath.Join(clean, name)})
	}
	return list, nil
}

// folderNames gives the names of the folders, and of the links to folders, in dir; more tells that not all were read.
func folderNames(dir string) (names []string, more bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for seen := 0; ; {
		batch, err := f.ReadDir(readBatch)
		for _, e := range batch {
			isDir := e.IsDir()
			if e.Type()&os.ModeSymlink != 0 {
				info, err := os.Stat(filepath.Join(dir, e.Name()))
				isDir = err == nil && info.IsDir()
			}
			if isDir {
				names = append(names, e.Name())
			}
		}
		switch seen += len(batch); {
		case errors.Is(err, io.EOF):
			return names, false, nil
		case err != nil:
			return nil, false, err
		case seen >= maxFolderReads:
			return names, true, nil
		}
	}
}

// byName orders names as people expect: hidden ones last, upper and lower case together.
func byName(a, b string) int {
	if ha, hb := strings.HasPrefix(a, "."), strings.HasPrefix(b, "."); ha != hb {
		if ha {
			return 1
		}
		return -1
	}
	if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
