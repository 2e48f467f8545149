package headless

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed shim.js
var shim []byte

// policy is the content security policy of the page: nothing remote, no frames, no inline scripts.
const policy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws://%[1]s wss://%[1]s; " +
	"frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page serves the built frontend with the shim in its head.
type page struct {
	files fs.FS
	index []byte
}

func newPage(files fs.FS) (*page, error) {
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the page is not built: %w", err)
	}
	head := bytes.Index(index, []byte("<head>"))
	if head < 0 {
		return nil, fmt.Errorf("the page has no head")
	}
	head += len("<head>")
	joined := append([]byte{}, index[:head]...)
	joined = append(joined, `<script src="/shim.js"></script>`...)
	return &page{files: files, index: append(joined, index[head:]...)}, nil
}

func (p *page) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", fmt.Sprintf(policy, r.Host))
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	switch name {
	case "", "index.html":
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(p.index)
		return
	case "shim.js":
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(shim)
		return
	}
	content, err := fs.ReadFile(p.files, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	h.Set("Content-Type", kind)
	if strings.HasPrefix(name, "assets/") { // their names hold a hash of their content
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(content)
}
