package diag

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

const (
	hidden = "[redacted]"
	// shortest is the length below which a secret is not looked for by its value: it would blank out ordinary text.
	shortest = 8
	// maxSecrets bounds the values to look for; the oldest are forgotten.
	maxSecrets = 256
)

// shape is how a secret looks, and what stands in its place.
type shape struct {
	pattern *regexp.Regexp
	instead string
}

// newShapes makes the shapes of keys and of places where keys stand in texts.
func newShapes() []shape {
	return []shape{
		{regexp.MustCompile(`(?i)\b(?:sk|pk|rk|gsk|xai|ghp|gho|ghs|ghu|ghr|github_pat|glpat|xox[abeprs]|hf|r8|pplx|nvapi|tgp|fw|csk)[-_][a-z0-9_\-]{8,}`), hidden},
		{regexp.MustCompile(`\bAIza[0-9A-Za-z_\-]{20,}|\bya29\.[0-9A-Za-z_\-.]{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{12,}|(?i:\bAGE-SECRET-KEY-[0-9A-Z]+)`), hidden},
		{regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{5,}(?:\.[A-Za-z0-9_\-]*)?`), hidden}, // JSON Web Token
		{regexp.MustCompile(`(?i)\b(bearer|basic)(\s+|%20|\+)[a-z0-9._~+/=\-]{8,}`), "$1 " + hidden},
		{regexp.MustCompile(`(?i)([?&#](?:key|token|api[_-]?key|access[_-]?token|auth|secret|sig|signature|password)=)[^&\s"'#]+`), "${1}" + hidden},
		{regexp.MustCompile(`(://[^/\s:@"']*:)[^/\s@"']+@`), "${1}" + hidden + "@"},
		{regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|digest|token)\s+)?[^\s"',;}\])]+`), "${1}" + hidden},
		{regexp.MustCompile(`(?i)(cookie["']?\s*[:=]\s*["']?)[^"'\r\n]+`), "${1}" + hidden},
		{regexp.MustCompile(`(?i)(token["']?\s*[:=]\s*["']?)[a-z0-9._~+/\-]{12,}`), "${1}" + hidden},
		{regexp.MustCompile(`(?i)((?:api[_-]?key|password|passwd|passphrase|secret)["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;}\])\[]+)`), "${1}" + hidden},
	}
}

// Redactor takes secrets out of texts: by what it was told, by their shape and by the name that they stand under. It is
// safe for concurrent use.
type Redactor struct {
	shapes func() []shape // made at the first use: compiling them takes a part of a millisecond of the start

	mu      sync.RWMutex
	secrets []string // all forms of each, newest last
	exact   *strings.Replacer
}

// NewRedactor makes a redactor that knows shapes only.
func NewRedactor() *Redactor { return &Redactor{shapes: sync.OnceValue(newShapes)} }

// AddSecret tells a value that must never be seen. One shorter than 8 bytes is not looked for.
func (r *Redactor) AddSecret(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < shortest {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.secrets); slices.Contains(r.secrets[max(0, n-maxSecrets):], secret) {
		return
	}
	for _, form := range forms(secret) {
		if !slices.Contains(r.secrets, form) {
			r.secrets = append(r.secrets, form)
		}
	}
	r.secrets = r.secrets[max(0, len(r.secrets)-maxSecrets):]
	ordered := slices.Clone(r.secrets)
	slices.SortFunc(ordered, func(a, b string) int { return len(b) - len(a) }) // one that holds another goes first
	pairs := make([]string, 0, 2*len(ordered))
	for _, form := range ordered {
		pairs = append(pairs, form, hidden)
	}
	r.exact = strings.NewReplacer(pairs...)
}

// forms are the ways in which a value gets into texts.
func forms(secret string) []string {
	list := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))}
	if b, err := json.Marshal(secret); err == nil {
		list = append(list, string(b[1:len(b)-1]))
	}
	return list
}

// Redact takes what is known or looks like a secret out of a text.
func (r *Redactor) Redact(text string) string {
	r.mu.RLock()
	exact := r.exact
	r.mu.RUnlock()
	if exact != nil {
		text = exact.Replace(text)
	}
	for _, s := range r.shapes() {
		text = s.pattern.ReplaceAllString(text, s.instead)
	}
	return text
}

// secretParts hide a value when they are anywhere in its name, secretWords when they are a word of it.
var (
	secretParts = [...]string{"apikey", "secret", "password", "passwd", "passphrase", "authorization", "cookie", "credential", "privatekey"}
	secretWords = [...]string{"auth", "pwd", "pin", "bearer", "signature", "jwt", "session_token"}
	// countedWords name secrets, but also amounts: their numbers are shown.
	countedWords = [...]string{"key", "keys", "token", "tokens"}
)

// secretName tells whether what stands under a name is a secret; amounts tells that numbers under it are none.
func secretName(name string) (secret, amounts bool) {
	lower := strings.ToLower(name)
	joined := strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(lower)
	for _, part := range secretParts {
		if strings.Contains(joined, part) {
			return true, false
		}
	}
	for _, word := range words(name) {
		if slices.Contains(secretWords[:], word) {
			return true, false
		}
		if slices.Contains(countedWords[:], word) || strings.HasSuffix(word, "token") {
			secret, amounts = true, true
		}
	}
	return secret, amounts
}

// words splits a name like "x-goog-api-key" or "refreshToken" into lower-case words.
func words(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	before := ' '
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
		case unicode.IsUpper(c) && unicode.IsLower(before):
			end()
			word = append(word, c)
		default:
			word = append(word, c)
		}
		before = c
	}
	end()
	return out
}
