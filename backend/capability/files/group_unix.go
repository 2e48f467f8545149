//go:build unix

package files

import (
	"os/exec"
	"syscall"
)

// argumentBytes bounds the file names that are passed to one start of a program; macOS allows 1 MiB of arguments, Linux
// more.
const argumentBytes = 512 << 10

// ownGroup puts a program into a process group of its own that is killed as a whole when its context ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
