package diag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// logged gives what reaches the file when fn logs.
func logged(t *testing.T, r *Redactor, fn func()) string {
	t.Helper()
	dir := t.TempDir()
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	log, err := r.OpenLog(dir, "debug")
	require.NoError(t, err)
	fn()
	require.NoError(t, log.Close())
	content, err := os.ReadFile(filepath.Join(dir, "logs", "mobius.log"))
	require.NoError(t, err)
	return string(content)
}

type config struct {
	Name     string
	APIKey   string
	inner    string
	Nested   *config
	Password []byte
}

type opaque struct{ value string }

func (o opaque) String() string { return "opaque " + o.value }

type valuer struct{ value string }

func (v valuer) LogValue() slog.Value { return slog.GroupValue(slog.String("inner", v.value)) }

// The canary: whatever way a secret that was told to the redactor takes to the log, it does not arrive.
func TestAToldSecretNeverReachesTheFile(t *testing.T) {
	const canary = "plain canary/value+1"
	ways := map[string]func(){
		"message":        func() { slog.Info("sent " + canary) },
		"attribute":      func() { slog.Info("x", "said", canary) },
		"attribute name": func() { slog.Info("x", canary, 1) },
		"error":          func() { slog.Error("x", "error", fmt.Errorf("send: %w", errors.New("refused "+canary))) },
		"group":          func() { slog.Info("x", slog.Group("a", slog.Group("b", slog.String("c", canary)))) },
		"with":           func() { slog.With("said", canary).Info("x") },
		"group of a logger": func() {
			slog.Default().WithGroup(canary).WithGroup("b").Info("x", "said", canary)
		},
		"bytes":      func() { slog.Info("x", "body", []byte("<"+canary+">")) },
		"raw JSON":   func() { slog.Info("x", "body", json.RawMessage(`{"a":"`+canary+`"}`)) },
		"struct":     func() { slog.Info("x", "config", config{Name: canary, inner: canary, Nested: &config{inner: canary}}) },
		"map":        func() { slog.Info("x", "map", map[string]any{"a": []any{canary}, canary: 1}) },
		"list":       func() { slog.Info("x", "list", []string{"a", canary}) },
		"stringer":   func() { slog.Info("x", "value", opaque{canary}) },
		"log valuer": func() { slog.Info("x", "value", valuer{canary}) },
		"escaped":    func() { slog.Info("x", "query", url.QueryEscape(canary), "path", url.PathEscape(canary)) },
		"quoted":     func() { slog.Info(fmt.Sprintf("%q", canary)) },
		"request":    func() { slog.Info("x", "header", http.Header{"X-Thing": {canary}}) },
		"address": func() {
			slog.Info("x", "url", url.URL{Scheme: "http", Host: "h", RawQuery: "q=" + url.QueryEscape(canary)})
		},
		"basic": func() {
			r, _ := http.NewRequest("GET", "http://h", nil)
			r.SetBasicAuth("u", canary)
			slog.Info("x", "h", r.Header)
		},
		"across a cut":  func() { slog.Info(strings.Repeat("a", maxText-5) + canary) },
		"across search": func() { slog.Info(strings.Repeat("a", maxSearched-5) + canary) },
		"debug":         func() { slog.Debug(canary) },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			r := NewRedactor()
			r.AddSecret(canary)
			text := logged(t, r, way)
			require.NotEmpty(t, text)
			for _, form := range forms(canary) {
				require.NotContains(t, text, form)
			}
			require.NotContains(t, text, canary[:5])
			require.True(t, json.Valid([]byte(text)), text)
		})
	}
}

// Nobody told the redactor of these: they are known by how they look or by what they are called.
func TestASecretIsKnownByItsShapeOrName(t *testing.T) {
	key := "sk-proj-" + strings.Repeat("Ab3", 8)
	google := "AIza" + strings.Repeat("Sy0", 10)
	for name, way := range map[string]struct {
		secret string
		log    func()
	}{
		"OpenAI":         {key, func() { slog.Info("with " + key) }},
		"Google":         {google, func() { slog.Info("GET https://h/v1?key=" + google + "&alt=sse") }},
		"unknown in URL": {"qwertyuiop", func() { slog.Info("GET https://h/v1?alt=sse&key=qwertyuiop") }},
		"Bearer":         {"qwertyuiop", func() { slog.Info("x", "error", errors.New("header Authorization: Bearer qwertyuiop was refused")) }},
		"short Bearer":   {"abc", func() { slog.Info("Authorization: Bearer abc") }},
		"header": {"hunter2", func() {
			slog.Info("x", "headers", http.Header{"Authorization": {"hunter2"}, "X-Goog-Api-Key": {"hunter2"}})
		}},
		"cookie":   {"hunter2", func() { slog.Info("Set-Cookie: a=1; b=hunter2; HttpOnly") }},
		"proxy":    {"hunter2", func() { slog.Info("proxy http://me:hunter2@proxy:3128 is used") }},
		"userinfo": {"hunter2", func() { slog.Info("x", "user", url.UserPassword("me", "hunter2")) }},
		"name": {"hunter2", func() {
			slog.Info("x", "apiKey", "hunter2", "refreshToken", "hunter2", "db_password", "hunter2", "Cookie", "hunter2")
		}},
		"name of group": {"hunter2", func() { slog.Info("x", slog.Group("credentials", "value", "hunter2")) }},
		"within group":  {"hunter2", func() { slog.Default().WithGroup("secrets").With("a", "hunter2").Info("x", "b", []string{"hunter2"}) }},
		"field":         {"hunter2", func() { slog.Info("x", "config", &config{APIKey: "hunter2", Password: []byte("hunter2")}) }},
		"map":           {"hunter2", func() { slog.Info("x", "env", map[string]string{"OPENAI_API_KEY": "hunter2"}) }},
		"JSON text":     {"hunter2", func() { slog.Info(`answer {"password":"hunter2","ok":true}`) }},
		"assignment":    {"hunter2", func() { slog.Info("run with api_key=hunter2 and more") }},
		"number":        {"4711", func() { slog.Info("x", "pin", 4711) }},
		"identity":      {"AGE-SECRET-KEY-1QQQQ", func() { slog.Info("AGE-SECRET-KEY-1QQQQ") }},
		"JWT":           {"eyJhbGciOiJIUzI1NiJ9", func() { slog.Info("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln") }},
	} {
		t.Run(name, func(t *testing.T) {
			text := logged(t, NewRedactor(), way.log)
			require.NotContains(t, text, way.secret)
			require.Contains(t, text, hidden)
		})
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	r := NewRedactor()
	r.AddSecret("short")
	text := logged(t, r, func() {
		slog.Info("the key store failed: key_store_unavailable", "author", "user", "tokens", 512, "max_tokens", 4096, "short", "short",
			"usage", map[string]int{"tokens": 7}, "url", "http://127.0.0.1:1234/v1", "error", errors.New("model_key_invalid (HTTP 401)"))
	})
	for _, want := range []string{"key_store_unavailable", `"author":"user"`, `"tokens":512`, `"max_tokens":4096`, `"tokens":7`, "http://127.0.0.1:1234/v1", "model_key_invalid (HTTP 401)", `"short":"short"`} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, hidden)
}

func TestAValueThatCannotBeWalkedDoesNotStopTheLog(t *testing.T) {
	type loop struct{ Next *loop }
	l := &loop{}
	l.Next = l
	var none *config
	text := logged(t, NewRedactor(), func() {
		slog.Info("x", "loop", l, "none", none, "nil", nil, "function", func() {}, "channel", make(chan int), "panics", panics{}, "nan", []any{0.0 / zero()})
	})
	require.True(t, json.Valid([]byte(text)), text)
	require.Contains(t, text, "cannot be logged")
}

func zero() float64 { return 0 }

type panics struct{}

func (panics) Error() string { panic("no") }

func TestTheLogIsPrivateAndBounded(t *testing.T) {
	dir := t.TempDir()
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	path := filepath.Join(dir, "logs", "mobius.log")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("old\n"), 0o644))
	log, err := NewRedactor().OpenLog(dir, "")
	require.NoError(t, err)
	slog.Info("new")
	slog.Debug("not at this level")
	require.NoError(t, log.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(content), "old\n")
	require.NotContains(t, string(content), "not at this level")

	_, err = NewRedactor().OpenLog(dir, "loud")
	require.ErrorContains(t, err, "debug, info, warn")
}

func TestManySecretsAreBounded(t *testing.T) {
	r := NewRedactor()
	for i := range 2 * maxSecrets {
		r.AddSecret(fmt.Sprintf("secret number %d", i))
	}
	r.AddSecret("secret number 5 and more")
	require.LessOrEqual(t, len(r.secrets), maxSecrets)
	require.Equal(t, hidden, r.Redact("secret number 5 and more"))
}

func FuzzRedactHidesAKeyWhereverItStands(f *testing.F) {
	f.Add("before ", " after")
	f.Add("?key=", "&x=1")
	f.Add(`{"token":"`, `"}`)
	f.Add("Bearer ", "\n")
	f.Add("http://u:", "@h")
	r := NewRedactor()
	const key = "told canary value"
	r.AddSecret(key)
	f.Fuzz(func(t *testing.T, before, after string) {
		require.NotContains(t, r.Redact(before+key+after), key)
		var out bytes.Buffer
		slog.New(r.Handler(slog.NewJSONHandler(&out, nil))).Info(before, before, key+after)
		require.NotContains(t, out.String(), key)
	})
}

func BenchmarkLogLine(b *testing.B) {
	r := NewRedactor()
	r.AddSecret("a secret of some length")
	l := slog.New(r.Handler(slog.NewJSONHandler(io.Discard, nil)))
	for b.Loop() {
		l.Info("session opened", "session", "0197a0b0-0000-7000-8000-000000000000", "turns", 12)
	}
}
