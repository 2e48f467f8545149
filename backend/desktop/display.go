package desktop

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
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

// Renderer decides how the webview draws. WebKitGTK's DMA-BUF renderer leaves the window unpainted with NVIDIA's own
// driver, so it is switched off there unless the person has set the variable themselves, to whatever value. It gives
// what was decided, for the log.
func Renderer(nvidia string) string {
	const name = "WEBKIT_DISABLE_DMABUF_RENDERER"
	if value, set := os.LookupEnv(name); set {
		return name + "=" + value + " was set by the user"
	}
	if _, err := os.Stat(nvidia); err != nil {
		return "the webview's own choice"
	}
	if err := os.Setenv(name, "1"); err != nil {
		return err.Error()
	}
	return name + "=1, since the NVIDIA driver is loaded"
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
