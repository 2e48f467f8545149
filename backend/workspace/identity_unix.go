//go:build unix

package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// openFlags keep an open of a pipe from waiting for its other end.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// identity is device and inode. An inode number may be given again after a deletion, so this recognises a folder but
// does not prove that it is the same.
func identity(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x-%x", uint64(stat.Dev), uint64(stat.Ino)) //nolint:unconvert // the widths differ between systems
}
