package headless

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"mobius/backend/wire"
)

//go:embed shim.js
var shim []byte

// policy is the content security policy of the page: nothing remote, no frames, no inline scripts.
const policy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws://%[1]s wss://%[1]s; " +
	"frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// unbuilt is shown in place of a page that is not in this program.
const unbuilt = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mobius</title></head>` +
	`<body><h1>The page is not built</h1><p>This Mobius was built without its page; run “make build”. The API and the command line work.</p></body></html>`

// worthPacking is the size in bytes from which compression pays.
const worthPacking = 2 << 10

// page serves the built frontend with the shim in its head.
type page struct {
	files fs.FS
	index *asset

	mu     sync.Mutex
	assets map[string]*asset
}

// asset is one file as it is sent.
type asset struct {
	content []byte
	packed  []byte // gzip, nil where that does not pay
	kind    string
	tag     string
	forever bool // its name changes with its content
}

func newPage(files fs.FS) (*page, error) {
	p := &page{files: files, assets: map[string]*asset{}}
	index, err := fs.ReadFile(files, "index.html")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.index = newAsset("index.html", []byte(unbuilt))
		return p, nil
	case err != nil:
		return nil, fmt.Errorf("read the page: %w", err)
	}
	before, after, found := bytes.Cut(index, []byte("<head>"))
	if !found {
		return nil, errors.New("the page has no head to put the shim in")
	}
	p.index = newAsset("index.html", bytes.Join([][]byte{before, []byte(`<head><script src="/shim.js"></script>`), after}, nil))
	p.assets["shim.js"] = newAsset("shim.js", shim)
	return p, nil
}

func newAsset(name string, content []byte) *asset {
	sum := sha256.Sum256(content)
	a := &asset{content: content, kind: kind(name), tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, forever: strings.HasPrefix(name, "assets/")}
	if len(content) >= worthPacking && packable(a.kind) {
		a.packed = pack(content)
	}
	return a
}

// kind does not ask the system's own list where a wrong entry would break the page.
func kind(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".map":
		return "application/json"
	case ".woff2":
		return "font/woff2"
	case ".wasm":
		return "application/wasm"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func packable(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "image/svg+xml" || kind == "application/json" || kind == "application/wasm"
}

func pack(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// find gives an asset, made once: the page's files do not change while the program runs.
func (p *page) find(name string) (*asset, error) {
	if name == "" || name == "index.html" {
		return p.index, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.assets[name]; ok {
		return a, nil
	}
	content, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil, err
	}
	a := newAsset(name, content)
	p.assets[name] = a
	return a, nil
}

func (p *page) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		failAs(w, http.StatusMethodNotAllowed, wire.Reject(wire.CodeInvalidRequest, "The page is read with GET."))
		return
	}
	h.Set("Content-Security-Policy", fmt.Sprintf(policy, r.Host))
	a, err := p.find(strings.TrimPrefix(path.Clean(r.URL.Path), "/"))
	if err != nil {
		fail(w, wire.Reject(wire.CodeUnknownMethod, "There is nothing at %s.", short(r.URL.Path)))
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.tag)
	h.Set("Cache-Control", "no-cache") // asked for every time, sent only when it has changed
	if a.forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if a.packed != nil {
		h.Set("Vary", "Accept-Encoding")
	}
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := a.content
	if a.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = a.packed
	}
	_, _ = w.Write(content) // a client that is gone needs no page
}
