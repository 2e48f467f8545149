//go:build bindings

package main

import (
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2"

	"mobius/backend/api"
	"mobius/backend/desktop"
)

// generating writes the page's bindings (frontend/wailsjs): in a build with this tag, Run does only that.
func generating() bool {
	app := &App{}
	if err := wails.Run(app.options(api.New(&api.Host{}), dist, desktop.Window{})); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}
