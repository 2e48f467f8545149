//go:build linux && desktop

package desktop

// #include <stdint.h>
import "C"

import (
	"log/slog"
	"runtime/cgo"
	"strings"
)

//export mobiusOnMain
func mobiusOnMain(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	fn, _ := h.Value().(func())
	h.Delete()
	fn()
}

//export mobiusAllowed
func mobiusAllowed(address *C.char) C.int {
	text := C.GoString(address)
	if staysOnPage(text) {
		return 1
	}
	scheme, _, _ := strings.Cut(text, ":")
	slog.Warn("the window was asked to leave its page; it stays", "scheme", scheme)
	return 0
}

//export mobiusPageEnded
func mobiusPageEnded(handle C.uintptr_t, reason C.int) {
	if g, ok := cgo.Handle(handle).Value().(*guard); ok {
		g.pageEnded(int(reason))
	}
}
