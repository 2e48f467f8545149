package diag

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"mobius/backend/wire"
)

// webviewLibrary is what the window is drawn with on Linux.
const webviewLibrary = "libwebkit2gtk-4.1.so.0"

// webview looks for the library that the window needs; nothing is loaded.
func webview() wire.DoctorCheck {
	if runtime.GOOS != "linux" {
		return ok("The system's own webview is used.")
	}
	if path := findLibrary(webviewLibrary, "/etc/ld.so.cache", libraryDirs()); path != "" {
		return ok("WebKitGTK 4.1 is installed (%s).", path)
	}
	return warning("Install libwebkit2gtk-4.1-0 (Debian, Ubuntu), webkit2gtk4.1 (Fedora) or webkit2gtk-4.1 (Arch).",
		"WebKitGTK 4.1 was not found: the window cannot open, the page in a browser works.")
}

// libraryDirs are the folders that the dynamic loader searches without its cache, as patterns.
func libraryDirs() []string {
	dirs := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	return append(dirs, "/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/lib64", "/lib", "/usr/local/lib", "/app/lib")
}

// findLibrary gives where a library is: the loader's cache names it as a text that ends with a zero byte, and what is in
// no cache may lie in one of the folders. A cache entry whose file is gone does not count.
func findLibrary(name, cache string, dirs []string) string {
	content, _ := os.ReadFile(cache) // without a cache the folders are all there is
	for {
		i := bytes.Index(content, []byte("/"+name+"\x00"))
		if i < 0 {
			break
		}
		path := string(content[bytes.LastIndexByte(content[:i], 0)+1:i]) + "/" + name
		if _, err := os.Stat(path); err == nil {
			return path
		}
		content = content[i+1:]
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) > 0 { // the patterns are well formed
			return found[0]
		}
	}
	return ""
}

func display() wire.DoctorCheck {
	if runtime.GOOS != "linux" {
		return ok("The system has a desktop.")
	}
	if d := os.Getenv("WAYLAND_DISPLAY"); d != "" {
		return ok("Wayland (%s).", d)
	}
	if d := os.Getenv("DISPLAY"); d != "" {
		return ok("X11 (%s).", d)
	}
	return warning("Run mobius serve and open the address in a browser.", "There is no display, so no window can open here.")
}

// sandbox tells which parts for confining commands work here, by trying them.
func sandbox(ctx context.Context) wire.DoctorCheck {
	if runtime.GOOS != "linux" {
		return skipped("Checked on Linux only.")
	}
	var parts, missing []string
	if abi := landlockABI(); abi > 0 {
		parts = append(parts, "Landlock works (ABI "+strconv.Itoa(abi)+")")
	} else {
		missing = append(missing, "the kernel has no Landlock")
	}
	next := ""
	switch path, err := exec.LookPath("bwrap"); {
	case err != nil:
		missing, next = append(missing, "bubblewrap is not installed"), "Install bubblewrap."
	default:
		if said, err := probeBubblewrap(ctx, path); err != nil {
			missing, next = append(missing, "bubblewrap does not work here ("+said+")"), "Allow unprivileged user namespaces, or use a system that does."
		} else {
			parts = append(parts, "bubblewrap works")
		}
	}
	if len(missing) > 0 {
		return warning(next, "%s. Commands could be confined in part only; this version runs none.", sentence(append(missing, parts...)))
	}
	return ok("%s.", sentence(parts))
}

func probeBubblewrap(ctx context.Context, path string) (string, error) {
	cmd := exec.CommandContext(ctx, path, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "true")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	said := strings.TrimSpace(string(out))
	if said == "" && err != nil {
		said = err.Error()
	}
	return said, err
}

func ripgrep(ctx context.Context) wire.DoctorCheck {
	path, err := exec.LookPath("rg")
	if err != nil {
		return ok("ripgrep is not installed; the built-in search is used.")
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return warning("Install ripgrep anew, or remove it: the built-in search works without it.", "ripgrep does not start (%v).", err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	return ok("%s is used (%s).", version, path)
}

func sentence(parts []string) string {
	text := strings.Join(parts, ", ")
	return strings.ToUpper(text[:1]) + text[1:]
}
