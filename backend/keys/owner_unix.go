//go:build unix

package keys

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ownedByUs tells whether a file belongs to the user that this process acts as.
func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == uint32(os.Geteuid())
}

// syncDir makes a rename in a folder durable. File systems that cannot do that are left as they are.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
