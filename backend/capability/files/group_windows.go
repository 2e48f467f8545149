package files

import (
	"os/exec"
	"syscall"
)

// argumentBytes bounds the file names that are passed to one start of a program; Windows allows 32 KiB of arguments.
const argumentBytes = 24 << 10

// ownGroup keeps a program from opening a console window. ripgrep starts no programs of its own, so killing it is enough.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
