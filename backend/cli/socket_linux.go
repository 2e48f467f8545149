package cli

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxSocketPath is what fits into a sockaddr_un with its final zero.
const maxSocketPath = 107

// shortPath gives a name for a socket that fits into a socket's address: its path, or for a long one a way through an open
// folder, which is there until done is called.
func shortPath(dir, name string) (path string, done func(), err error) {
	if path = filepath.Join(dir, name); len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, name), func() { _ = unix.Close(fd) }, nil
}
