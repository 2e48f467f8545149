//go:build unix

package workspace

import "syscall"

// nonblock keeps opening a pipe that took a file's place from waiting for a writer.
const nonblock = syscall.O_NONBLOCK
