//go:build unix

package diag

import "golang.org/x/sys/unix"

// freeBytes is the space that this user may still fill.
func freeBytes(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil //nolint:unconvert // its type differs between systems
}
