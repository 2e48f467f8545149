//go:build !linux

package cli

import (
	"fmt"
	"path/filepath"
)

// maxSocketPath is the least that systems allow.
const maxSocketPath = 103

// shortPath gives the path of a socket if it fits into a socket's address.
func shortPath(dir, name string) (path string, done func(), err error) {
	if path = filepath.Join(dir, name); len(path) > maxSocketPath {
		return "", nil, fmt.Errorf("the path of the state directory is too long for a socket (%d bytes of at most %d)", len(path), maxSocketPath)
	}
	return path, func() {}, nil
}
