//go:build !linux

package diag

// landlockABI is 0: only Linux has it.
func landlockABI() int { return 0 }
