// Package cli is the command line: it starts the shells (desktop, serve) and has commands for scripts. A command talks to
// the running Mobius through the control socket in the state directory, or opens the state itself when none runs; both
// ways call the same services, so both give the same.
package cli
