package headless

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/feed"
	"mobius/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "test-token-0123456789"

// Things is a service that does what tests need.
type Things struct{ entered chan struct{} }

type draft struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Tags  []string `json:"tags,omitempty"`
}

func (t *Things) Make(d draft, twice bool) (*draft, error) {
	if twice {
		d.Count *= 2
	}
	return &d, nil
}
func (t *Things) Nothing() error            { return nil }
func (t *Things) None() (*draft, error)     { return nil, nil }
func (t *Things) Fail(code wire.Code) error { return wire.RejectFatal(code, "It failed.") }
func (t *Things) Odd() error                { return errors.New("an ordinary error") }
func (t *Things) Panic() (string, error)    { panic("secret detail") }
func (t *Things) Unencodable() (any, error) { return func() {}, nil }
func (t *Things) Echo(s string) (string, error) {
	return s, nil
}
func (t *Things) Size(s string) (int, error) { return len(s), nil }
func (t *Things) Wait() (string, error) {
	close(t.entered)
	<-time.After(50 * time.Millisecond) // under way when the server is told to end
	return "done", nil
}
func (t *Things) Stored(broken bool) (stored, error) { return stored{broken}, nil }

// These cannot be called from outside.
func (t *Things) NoError() string                { return "" }
func (t *Things) Variadic(_ ...string) error     { return nil }
func (t *Things) Three() (string, string, error) { return "", "", nil }

// stored writes itself.
type stored struct{ broken bool }

func (s stored) WriteJSON(w io.Writer) error {
	if s.broken {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return errors.New("the disk broke")
	}
	_, err := io.WriteString(w, `{"as":"stored"}`)
	return err
}
func (s stored) MarshalJSON() ([]byte, error) { return nil, errors.New("must not be called") }

type running struct {
	*Server
	t    *testing.T
	addr string
	feed *feed.Feed
	stop func() error // ends the server and gives what Serve returned
}

var testPage = fstest.MapFS{
	"index.html":     {Data: []byte("<!doctype html><html><head><title>x</title></head></html>")},
	"assets/a-1.js":  {Data: []byte(strings.Repeat("export const a = 1;\n", 500))},
	"icon.svg":       {Data: []byte("<svg/>")},
	"assets/odd.bin": {Data: []byte{0, 1}},
}

func serve(t *testing.T, o Options) *running {
	t.Helper()
	if o.Services == nil {
		o.Services = []any{&Things{}}
	}
	if o.Feed == nil {
		o.Feed = feed.New()
	}
	if o.Page == nil {
		o.Page = testPage
	}
	if o.Token == "" {
		o.Token = token
	}
	s, err := New(o)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stop := func() error { cancel(); err := <-ended; ended <- err; return err }
	t.Cleanup(func() { _ = stop(); http.DefaultClient.CloseIdleConnections() })
	return &running{s, t, l.Addr().String(), o.Feed, stop}
}

// send makes a request; header "Host" sets the name that the server is called by.
func (r *running) send(method, path, body string, header map[string]string) (int, string, http.Header) {
	r.t.Helper()
	req, err := http.NewRequest(method, "http://"+r.addr+path, strings.NewReader(body))
	require.NoError(r.t, err)
	for name, value := range header {
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(r.t, err)
	return res.StatusCode, string(text), res.Header
}

func (r *running) call(method, args string) (int, string) {
	r.t.Helper()
	status, body, header := r.send(http.MethodPost, "/api/"+method, args, map[string]string{"Authorization": "Bearer " + token})
	require.Equal(r.t, "application/json", header.Get("Content-Type"))
	require.Equal(r.t, "no-store", header.Get("Cache-Control"))
	return status, body
}

func TestCalls(t *testing.T) {
	s := serve(t, Options{})
	for _, c := range []struct {
		method, args string
		status       int
		answer       string
	}{
		{"Things.Make", `[{"name":"a<b>&","count":2,"tags":["x"]},true]`, 200, `{"result":{"name":"a<b>&","count":4,"tags":["x"]}}`},
		{"Things.Make", ` [ {} , null ] `, 200, `{"result":{"name":"","count":0}}`},
		{"Things.Nothing", "[]", 200, `{"result":null}`},
		{"Things.Nothing", "", 200, `{"result":null}`},
		{"Things.None", "[]", 200, `{"result":null}`},
		{"Things.Echo", `["\u0000 \" 한글 😀 \u2028 </script>"]`, 200, "{\"result\":\"\\u0000 \\\" 한글 😀 \\u2028 </script>\"}"},
		{"Things.Stored", `[false]`, 200, `{"result":{"as":"stored"}}`},

		{"Things.Missing", "[]", 404, `{"error":{"code":"unknown_method","message":"There is no method Things.Missing.","fatal":false}}`},
		{"Missing.Make", "[]", 404, `unknown_method`},
		{"Things.NoError", "[]", 404, `unknown_method`},
		{"Things.Variadic", "[]", 404, `unknown_method`},
		{"Things.Three", "[]", 404, `unknown_method`},
		{"", "[]", 404, `unknown_method`},

		{"Things.Make", `[{}]`, 400, `"code":"invalid_request","message":"The number of arguments is 2, not 1."`},
		{"Things.Make", `[{},true,1]`, 400, `The number of arguments is 2, not 3.`},
		{"Things.Make", `[{"count":"x"},true]`, 400, `Argument 1 is not right: \"count\" cannot be this string.`},
		{"Things.Make", `[{"count":1.5},true]`, 400, `\"count\" cannot be this number`},
		{"Things.Make", `[{"cuont":1},true]`, 400, `Argument 1 is not right: there is no member \"cuont\".`},
		{"Things.Make", `[{},1]`, 400, `Argument 2 is not right: it cannot be this number.`},
		{"Things.Make", `{"a":1}`, 400, `not a JSON array`},
		{"Things.Make", `null`, 400, `not a JSON array`},
		{"Things.Make", `[{},true`, 400, `not a JSON array`},
		{"Things.Make", `[{},true]]`, 400, `not a JSON array`},
		{"Things.Nothing", strings.Repeat("[", 100_000), 400, `not a JSON array`},

		{"Things.Fail", `["agent_busy"]`, 409, `{"error":{"code":"agent_busy","message":"It failed.","fatal":true}}`},
		{"Things.Fail", `["invalid_bot"]`, 422, `invalid_bot`},
		{"Things.Fail", `["unknown_session"]`, 404, `unknown_session`},
		{"Things.Fail", `["gateway_busy"]`, 503, `gateway_busy`},
		{"Things.Fail", `["model_key_invalid"]`, 502, `model_key_invalid`},
		{"Things.Odd", "[]", 500, `{"error":{"code":"gateway_error","message":"an ordinary error","fatal":false}}`},
		{"Things.Unencodable", "[]", 500, `gateway_error`},
	} {
		t.Run(c.method+" "+c.args[:min(len(c.args), 40)], func(t *testing.T) {
			status, body := s.call(c.method, c.args)
			require.Equal(t, c.status, status, body)
			require.True(t, json.Valid([]byte(body)), body)
			if strings.HasPrefix(c.answer, "{") {
				require.Equal(t, c.answer+"\n", body)
			} else {
				require.Contains(t, body, c.answer)
			}
		})
	}
}

func TestAPanicIsLoggedAndToldWithoutDetails(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	s := serve(t, Options{})
	status, body := s.call("Things.Panic", "[]")
	require.Equal(t, 500, status)
	require.Contains(t, body, `"code":"gateway_error"`)
	require.NotContains(t, body, "secret detail")
	require.NotContains(t, body, "goroutine")
	require.Contains(t, log.String(), "secret detail")
	require.Contains(t, log.String(), "server_test.go")
	status, _ = s.call("Things.Nothing", "[]")
	require.Equal(t, 200, status, "the server goes on")
}

func TestAnAnswerThatBreaksInTheMiddleIsNotTakenForWhole(t *testing.T) {
	s := serve(t, Options{})
	req, err := http.NewRequest(http.MethodPost, "http://"+s.addr+"/api/Things.Stored", strings.NewReader("[true]"))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	require.Error(t, err)
}

func TestOnlyPOSTCallsAMethod(t *testing.T) {
	s := serve(t, Options{})
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodOptions, http.MethodDelete} {
		status, _, header := s.send(method, "/api/Things.Nothing", "", map[string]string{"Authorization": "Bearer " + token})
		require.Equal(t, 405, status)
		require.Equal(t, "POST", header.Get("Allow"))
	}
}

func TestABodyIsBounded(t *testing.T) {
	s := serve(t, Options{})
	fits := `["` + strings.Repeat("a", maxBody-4) + `"]`
	status, body := s.call("Things.Size", fits)
	require.Equal(t, 200, status)
	require.Equal(t, fmt.Sprintf("{\"result\":%d}\n", maxBody-4), body)
	status, body = s.call("Things.Size", fits+" ")
	require.Equal(t, 413, status)
	require.Contains(t, body, "over 8 MiB")
}

func TestTheTokenIsNeeded(t *testing.T) {
	s := serve(t, Options{})
	for name, header := range map[string]map[string]string{
		"none":        {},
		"wrong":       {"Authorization": "Bearer wrong"},
		"longer":      {"Authorization": "Bearer " + token + "x"},
		"part":        {"Authorization": "Bearer " + token[:5]},
		"empty":       {"Authorization": "Bearer "},
		"no scheme":   {"Authorization": "Basic " + token},
		"as a cookie": {"Cookie": "token=" + token},
	} {
		status, body, _ := s.send(http.MethodPost, "/api/Things.Nothing", "[]", header)
		require.Equal(t, 403, status, name)
		require.Contains(t, body, `"unauthorized"`, name)
	}
	status, _, _ := s.send(http.MethodPost, "/api/Things.Nothing?token="+token, "[]", nil)
	require.Equal(t, 403, status, "in the address")
}

func TestEveryServerMakesATokenOfItsOwn(t *testing.T) {
	a, err := New(Options{})
	require.NoError(t, err)
	b, err := New(Options{})
	require.NoError(t, err)
	require.NotEqual(t, a.Token(), b.Token())
	require.NoError(t, CheckToken(a.Token()))
	for _, bad := range []string{"", "short", "with spaces in between", "with,comma,in,between", strings.Repeat("a", 257), "mit-ümlauten-0123456789"} {
		require.Equal(t, wire.CodeInvalidRequest, wire.CodeOf(CheckToken(bad)), bad)
	}
}

// A foreign name that resolves to loopback (DNS rebinding) makes the browser think that the attacker's page and this
// server are of one origin; only the Host tells them apart.
func TestAForeignNameGetsNothing(t *testing.T) {
	s := serve(t, Options{Hosts: []string{"Box.example", "other.example:8443"}})
	_, port, err := net.SplitHostPort(s.addr)
	require.NoError(t, err)
	for host, allowed := range map[string]bool{
		s.addr:                         true,
		"localhost:" + port:            true,
		"LOCALHOST:" + port:            true,
		"[::1]:" + port:                true,
		"box.example":                  true,
		"box.example:1234":             true,
		"other.example:8443":           true,
		"other.example":                false,
		"evil.example":                 false,
		"evil.example:" + port:         false,
		"127.0.0.1.evil.example":       false,
		"localhost.evil.example":       false,
		"127.0.0.1":                    false,
		"127.0.0.1:1":                  false,
		"localhost:" + port + ".evil":  false,
		"192.168.1.1:" + port:          false,
		"localhost:" + port + "@evil":  false,
		"xn--localhost-fake:" + port:   false,
		"evil.example:80@127.0.0.1:80": false,
	} {
		origin := "http://" + host
		for _, path := range []string{"/api/Things.Nothing", "/", "/shim.js", "/assets/a-1.js"} {
			method := http.MethodGet
			if strings.HasPrefix(path, "/api/") {
				method = http.MethodPost
			}
			status, body, _ := s.send(method, path, "[]", map[string]string{"Host": host, "Origin": origin, "Authorization": "Bearer " + token})
			if allowed {
				require.Equal(t, 200, status, "%s %s", host, path)
			} else if status != 400 { // a Host that is none is refused before it reaches us
				require.Equal(t, 403, status, "%s %s", host, path)
				require.Contains(t, body, "unauthorized")
			}
		}
	}
}

func TestAPageOfAnotherOriginGetsNothing(t *testing.T) {
	s := serve(t, Options{})
	for _, header := range []map[string]string{
		{"Origin": "http://evil.example"},
		{"Origin": "null"},
		{"Origin": "http://localhost:1"},
		{"Origin": "file://"},
		{"Origin": "http://" + s.addr + ".evil.example"},
		{"Origin": "%zz"},
		{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
		{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
	} {
		header["Authorization"] = "Bearer " + token
		status, _, answered := s.send(http.MethodPost, "/api/Things.Nothing", "[]", header)
		require.Equal(t, 403, status, "%v", header)
		require.Empty(t, answered.Get("Access-Control-Allow-Origin"))
	}
	for _, header := range []map[string]string{
		{"Origin": "http://" + s.addr},
		{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Origin": "http://" + s.addr},
	} {
		header["Authorization"] = "Bearer " + token
		status, _, _ := s.send(http.MethodPost, "/api/Things.Nothing", "[]", header)
		require.Equal(t, 200, status, "%v", header)
	}
	status, _, _ := s.send(http.MethodGet, "/", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
	require.Equal(t, 200, status, "a link to the page may be followed")
}

func TestThePage(t *testing.T) {
	s := serve(t, Options{})
	status, body, header := s.send(http.MethodGet, "/", "", nil)
	require.Equal(t, 200, status)
	require.Equal(t, `<!doctype html><html><head><script src="/shim.js"></script><title>x</title></head></html>`, body)
	require.Equal(t, "text/html; charset=utf-8", header.Get("Content-Type"))
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-cache",
	} {
		require.Equal(t, want, header.Get(name), name)
	}
	csp := header.Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'self'", "script-src 'self'", "frame-src 'none'", "object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "connect-src 'self' ws://" + s.addr} {
		require.Contains(t, csp, rule)
	}
	require.NotContains(t, csp, "*")
	require.NotContains(t, csp, "unsafe-eval")

	status, body, header = s.send(http.MethodGet, "/shim.js", "", nil)
	require.Equal(t, 200, status)
	require.Equal(t, string(shim), body)
	require.Equal(t, "text/javascript; charset=utf-8", header.Get("Content-Type"))
	require.NotContains(t, body, token)

	status, body, header = s.send(http.MethodGet, "/assets/a-1.js", "", nil) // Go's client asks for gzip and unpacks it
	require.Equal(t, 200, status)
	require.Equal(t, string(testPage["assets/a-1.js"].Data), body)
	require.Contains(t, header.Get("Cache-Control"), "immutable")
	require.Equal(t, "Accept-Encoding", header.Get("Vary"))
	_, body, header = s.send(http.MethodGet, "/assets/a-1.js", "", map[string]string{"Accept-Encoding": "identity"})
	require.Empty(t, header.Get("Content-Encoding"))
	require.Equal(t, string(testPage["assets/a-1.js"].Data), body)
	_, body, header = s.send(http.MethodGet, "/assets/a-1.js", "", map[string]string{"Accept-Encoding": "gzip"})
	require.Equal(t, "gzip", header.Get("Content-Encoding"))
	require.Less(t, len(body), 1000)

	status, body, _ = s.send(http.MethodGet, "/icon.svg", "", map[string]string{"If-None-Match": tag(s, "/icon.svg")})
	require.Equal(t, 304, status)
	require.Empty(t, body)

	for _, path := range []string{"/missing", "/assets", "/assets/", "/../server.go", "/..%2fserver.go", "/assets/..%5c..%5cx", "/%00"} {
		status, _, _ = s.send(http.MethodGet, path, "", nil)
		require.Equal(t, 404, status, path)
	}
	status, _, _ = s.send(http.MethodPost, "/", "", nil)
	require.Equal(t, 405, status)
	status, body, _ = s.send(http.MethodHead, "/", "", nil)
	require.Equal(t, 200, status)
	require.Empty(t, body)
}

func tag(s *running, path string) string {
	_, _, header := s.send(http.MethodGet, path, "", nil)
	return header.Get("ETag")
}

func TestWithoutABuiltPageTheServerSaysSoAndTheAPIWorks(t *testing.T) {
	s := serve(t, Options{Page: fstest.MapFS{".gitkeep": {}}})
	status, body, _ := s.send(http.MethodGet, "/", "", nil)
	require.Equal(t, 200, status)
	require.Contains(t, body, "make build")
	status, _ = s.call("Things.Nothing", "[]")
	require.Equal(t, 200, status)
	_, err := New(Options{Page: fstest.MapFS{"index.html": {Data: []byte("<html>")}}})
	require.ErrorContains(t, err, "no head")
}

func TestCallsUnderWayAreAnsweredWhenTheServerEnds(t *testing.T) {
	things := &Things{entered: make(chan struct{})}
	s := serve(t, Options{Services: []any{things}})
	answered := make(chan string, 1)
	go func() {
		_, body := s.call("Things.Wait", "[]")
		answered <- body
	}()
	<-things.entered
	require.NoError(t, s.stop())
	require.Equal(t, "{\"result\":\"done\"}\n", <-answered)
	_, err := net.Dial("tcp", s.addr)
	require.Error(t, err)
}

func TestAListenerThatFailsEndsTheServer(t *testing.T) {
	s, err := New(Options{Services: []any{&Things{}}, Feed: feed.New()})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.Error(t, s.Serve(t.Context(), l))
}

func TestAnUnfinishedRequestDoesNotHoldTheServer(t *testing.T) {
	s := serve(t, Options{})
	conn, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte("POST /api/Things.Nothing HTTP/1.1\r\nHost: " + s.addr + "\r\nX-Large: " + strings.Repeat("a", 2*maxHeader)))
	require.NoError(t, err)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, answer, "431")
}

func TestTheListOfMethods(t *testing.T) {
	require.Equal(t, []string{
		"Things.Echo", "Things.Fail", "Things.Make", "Things.None", "Things.Nothing", "Things.Odd", "Things.Panic", "Things.Size", "Things.Stored",
		"Things.Unencodable", "Things.Wait",
	}, NewCaller([]any{&Things{}}).Methods())
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{``, `[]`, `[{"name":"a","count":1},true]`, `[null,null]`, `{}`, `[{"tags":[[]]},true]`, `[1e999,false]`, "[\"\xff\",true]"} {
		f.Add([]byte(seed))
	}
	c := NewCaller([]any{&Things{}})
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := c.Call("Things.Make", body)
		if err != nil {
			var r *wire.Rejection
			require.ErrorAs(t, err, &r)
			require.Equal(t, wire.CodeInvalidRequest, r.Code)
			require.Less(t, len(r.Message), 200)
			return
		}
		var args []json.RawMessage
		require.NoError(t, json.Unmarshal(body, &args))
		require.Len(t, args, 2)
		require.IsType(t, &draft{}, result)
	})
}

func BenchmarkCall(b *testing.B) {
	s, err := New(Options{Services: []any{&Things{}}, Feed: feed.New(), Token: token, Open: true})
	require.NoError(b, err)
	for b.Loop() {
		req, _ := http.NewRequest(http.MethodPost, "/api/Things.Make", strings.NewReader(`[{"name":"a","count":2},true]`))
		s.ServeHTTP(discard{http.Header{}}, req)
	}
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}
