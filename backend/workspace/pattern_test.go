package workspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, matches, not string }{
		{"*.go", "a.go d/b.go d/e/.go", "a.gox a.go/x"},
		{"./*.go", "a.go d/b.go", "a"},
		{"/src/*.go", "src/a.go", "src/d/a.go x/src/a.go"},
		{"src/**/*.ts", "src/a.ts src/d/e/a.ts", "a.ts xsrc/a.ts"},
		{"**/*.ts", "a.ts d/a.ts", "a.tsx"},
		{"**", "a d/e", ""},
		{"src/**", "src/a src/b/c", "src"},
		{"*.{ts,tsx}", "a.ts d/a.tsx", "a.js a.{ts,tsx}"},
		{"{src,test}/**/*.{a,b}", "src/x.a test/d/x.b", "lib/x.a"},
		{"{a,b/{c,d}}", "a x/a b/c b/d", "c b"},
		{"x{,y}", "x xy", "xz"},
		{"[{]a", "{a", "a"},
		{"a\\{b", "a{b", "ab"},
		{"[!a-c]?.txt", "dx.txt", "ax.txt d.txt"},
		{"src/", "src d/src", "source"},
	} {
		p, err := CompilePattern(c.pattern)
		require.NoError(t, err, c.pattern)
		for _, name := range strings.Fields(c.matches) {
			assert.True(t, p.Match(name), "%s should match %s", c.pattern, name)
		}
		for _, name := range strings.Fields(c.not) {
			assert.False(t, p.Match(name), "%s should not match %s", c.pattern, name)
		}
	}
}

func TestPatternsThatCannotBeRead(t *testing.T) {
	for pattern, says := range map[string]string{
		"":                              "empty",
		"/":                             "empty",
		"a[b":                           "not a valid pattern",
		"a\\":                           "not a valid pattern",
		"{a,b":                          "without its }",
		"{a,}":                          "not a valid pattern",
		strings.Repeat("{a,b}", 7):      "alternatives",
		strings.Repeat("{a,b,c,d}", 40): "alternatives",
		strings.Repeat("x", 2000):       "bytes",
	} {
		_, err := CompilePattern(pattern)
		assert.ErrorContains(t, err, says, pattern)
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"*.{a,b}", "[a]{", "**/**/x", "a{b,{c,d}e}f", "{}", "[]{a,b}]"} {
		f.Add(s, "a/b/c")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p, err := CompilePattern(pattern)
		if err == nil {
			p.Match(name)
		}
	})
}
