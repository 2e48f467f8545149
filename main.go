// Command mobius runs a team of AI bots on the user's own computer. Built plainly it is the headless program; with the
// tags desktop,production,webkit2_41 it has the native window too.
package main

import (
	"embed"
	"io"
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
	redactor := diag.NewRedactor()
	deps := cli.Deps{
		Version: version, Page: page, Secret: redactor.AddSecret, Doctor: redactor.Doctor,
		Log: func(stateDir string) (io.Closer, error) { return redactor.OpenLog(stateDir, os.Getenv("MOBIUS_LOG")) },
		Out: os.Stdout, Err: os.Stderr, In: os.Stdin,
	}
	addWindow(&deps, page)
	os.Exit(cli.Run(os.Args[1:], deps))
}
