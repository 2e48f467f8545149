//go:build !unix

package keys

import "io/fs"

// ownedByUs relies on the rights of the state directory where files have no simple owner.
func ownedByUs(fs.FileInfo) bool { return true }

// syncDir does nothing where folders cannot be synced.
func syncDir(string) error { return nil }
