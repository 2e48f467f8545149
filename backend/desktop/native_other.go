//go:build !linux || !desktop

package desktop

// Attach does nothing here: the system's webview looks after its own processes.
func Attach() {}

// Place tells that the window's own functions have to do.
func Place(Window) bool { return false }

// Present tells that the window's own functions have to do.
func Present(string) bool { return false }

// WithTheme does nothing here: the system's webview takes the theme's colour itself.
func WithTheme(func(dark bool)) {}
