//go:build !desktop && !bindings && !dev

package main

import (
	"io/fs"

	"mobius/backend/cli"
)

// generating is for the build that writes the page's bindings.
func generating() bool { return false }

// addWindow adds nothing: this build has no window.
func addWindow(*cli.Deps, fs.FS) {}
