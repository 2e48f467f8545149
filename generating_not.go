//go:build !bindings

package main

// generating is for the build that writes the page's bindings.
func generating() bool { return false }
