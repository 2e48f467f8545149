package desktop

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// ErrNoDisplay says that there is no screen to show a window on.
var ErrNoDisplay = errors.New("DISPLAY and WAYLAND_DISPLAY are not set")

// Display tells whether a window can be shown.
func Display() error {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return ErrNoDisplay
	}
	return nil
}

// The webview's switches. Whatever the person has set stays, to whatever value.
const (
	noDMABUF      = "WEBKIT_DISABLE_DMABUF_RENDERER"
	noCompositing = "WEBKIT_DISABLE_COMPOSITING_MODE"
)

// Renderer decides how the webview draws, before it starts. WebKitGTK's DMA-BUF renderer leaves the window unpainted with
// NVIDIA's own driver, so it is switched off there; in safe mode compositing is too, which draws slowly but everywhere.
// It gives what was decided, in words for the log.
func Renderer(nvidia string, safe bool) string {
	said := []string{}
	decide := func(name, why string) {
		if value, set := os.LookupEnv(name); set {
			said = append(said, name+"="+value+" as the user set it")
		} else if err := os.Setenv(name, "1"); err == nil {
			said = append(said, name+"=1 "+why)
		}
	}
	_, err := os.Stat(nvidia)
	switch {
	case safe:
		decide(noDMABUF, "for safe mode")
		decide(noCompositing, "for safe mode")
	case err == nil:
		decide(noDMABUF, "since the NVIDIA driver is loaded")
	default:
		said = append(said, "the webview's own choice")
	}
	return strings.Join(said, ", ")
}

// NvidiaModule exists while NVIDIA's kernel module is loaded.
const NvidiaModule = "/sys/module/nvidia"

// OpenBrowser shows an address in the system's browser.
func OpenBrowser(address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
