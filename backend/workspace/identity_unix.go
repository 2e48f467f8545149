//go:build unix

package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// identify gives what stays the same when a folder is renamed or moved within its file system: device and inode.
func identify(info os.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}
