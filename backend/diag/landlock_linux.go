package diag

import (
	"golang.org/x/sys/unix"
)

// landlockABI asks the kernel for its version of Landlock; 0 when it has none or it is switched off.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}
