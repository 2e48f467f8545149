//go:build !desktop && !bindings && !dev

package main

import (
	"io/fs"

	"mobius/backend/cli"
)

// addWindow adds nothing: this build has no window.
func addWindow(*cli.Deps, fs.FS) {}
