// Command mobius runs a team of AI bots on the user's own computer. Built plainly it is the headless program; with the
// tags desktop,production,webkit2_41 it has the native window too.
package main

import (
	"embed"
	"io/fs"
	"os"

	"mobius/backend/cli"
	"mobius/backend/diag"
)

//go:embed all:frontend/dist
var dist embed.FS

// version is set by the linker.
var version = "development"

func main() {
	if generating() {
		return
	}
	page, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		panic(err) // the path is a constant that the compiler has embedded
	}
	deps := cli.Deps{Version: version, Page: page, Log: diag.Log, Doctor: diag.Doctor, Out: os.Stdout, Err: os.Stderr, In: os.Stdin}
	addWindow(&deps, page)
	os.Exit(cli.Run(os.Args[1:], deps))
}
