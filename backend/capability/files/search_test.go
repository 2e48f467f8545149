package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// cutHeader takes the first line of a result off.
func cutHeader(out string) (header, body string, ok bool) { return strings.Cut(out, "\n") }

// engines gives the option for each way to search that there is here.
func engines(t testing.TB) map[string]Option {
	t.Helper()
	list := map[string]Option{"Go": WithRipgrep("")}
	if program, err := exec.LookPath("rg"); err == nil {
		list["ripgrep"] = WithRipgrep(program)
	}
	return list
}

func TestSearch(t *testing.T) {
	dir := makeTree(t, map[string]string{
		"a.go": "package a\n\n// TODO one\nfunc a() {}\n// todo two\n", "src/b.go": "x TODO y\r\nTODO\r\n", "src/c.txt": "TODO", "skip.log": "TODO", ".gitignore": "*.log\n", "bin": "TODO\x00TODO", ".git/x": "TODO",
	})
	assert.Equal(t, "4 matches in 3 files for /TODO/.\n\na.go\n3: // TODO one\n\nsrc/b.go\n1: x TODO y\n2: TODO\n\nsrc/c.txt\n1: TODO\n", output(t, dir, "search", `{"pattern":"TODO"}`))
	assert.Equal(t, "1 match in 1 file for /^TODO$/, files *.go.\n\nsrc/b.go\n2: TODO\n", output(t, dir, "search", `{"pattern":"^TODO$","glob":"*.go"}`))
	assert.Equal(t, "2 matches in 1 file for /todo/ in a.go.\n\na.go\n3: // TODO one\n5: // todo two\n", output(t, dir, "search", `{"pattern":"todo","ignore_case":true,"path":"a.go"}`))
	assert.Equal(t, "1 match in 1 file for a() in a.go.\n\na.go\n4: func a() {}\n", output(t, dir, "search", `{"pattern":"a()","literal":true,"path":"a.go"}`))
	assert.Equal(t, "1 match in 1 file for /one/.\n\na.go\n1- package a\n2- \n3: // TODO one\n4- func a() {}\n5- // todo two\n", output(t, dir, "search", `{"pattern":"one","context":2}`))
	assert.Equal(t, "2 matches in 1 file for /package|two/.\n\na.go\n1: package a\n2- \n  …\n4- func a() {}\n5: // todo two\n", output(t, dir, "search", `{"pattern":"package|two","context":1}`))
	assert.Equal(t, "No matches for /nothing/ in src.", output(t, dir, "search", `{"pattern":"nothing","path":"src"}`))
	assert.Contains(t, output(t, dir, "search", `{"pattern":"TODO","ignored":true}`), "skip.log")
}

func TestSearchIsBounded(t *testing.T) {
	files := map[string]string{"many": strings.Repeat("hit\n", 500)}
	for i := range 30 {
		files[fmt.Sprintf("z%02d", i)] = "hit\n"
	}
	dir := makeTree(t, files)

	out := output(t, dir, "search", `{"pattern":"hit"}`)
	assert.True(t, strings.HasPrefix(out, "530 matches in 31 files"), out)
	assert.Contains(t, out, "… and 475 more in this file")
	assert.Contains(t, out, "z29")

	out = output(t, dir, "search", `{"pattern":"hit","limit":12,"context":1}`)
	assert.True(t, strings.HasPrefix(out, "More than 12 matches for /hit/; the first are shown"), out)
	assert.Equal(t, 12, strings.Count(out, ": hit"))
	assert.Contains(t, out, "z01")
	assert.NotContains(t, out, "z02")

	assert.Equal(t, 200, strings.Count(output(t, dir, "search", `{"pattern":"hit","path":"many","limit":200}`), ": hit"))
}

func TestLongLinesAreShownAroundTheMatch(t *testing.T) {
	dir := makeTree(t, map[string]string{"min.js": strings.Repeat("ä", 5000) + "needle" + strings.Repeat("ö", 5000) + "\n"})
	out := output(t, dir, "search", `{"pattern":"needle"}`)
	assert.Contains(t, out, "1: …"+strings.Repeat("ä", aroundMatch)+"needle"+strings.Repeat("ö", shownLine-aroundMatch-6)+"…\n")
}

func TestALargeFileIsSearchedAsAStream(t *testing.T) {
	text := numbered(600_000)
	require.Greater(t, len(text), maxWhole)
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	require.NoError(t, err)
	dir := makeTree(t, map[string]string{"large.log": text, "wide.log": utf16, "large.bin": "\x00" + text})
	for name, engine := range engines(t) {
		out := output(t, dir, "search", `{"pattern":"^line 50000[01]$","context":1}`, engine)
		for _, file := range []string{"large.log", "wide.log"} {
			assert.Contains(t, out, file+"\n499999- line 499999\n500000: line 500000\n500001: line 500001\n500002- line 500002\n", name)
		}
		assert.NotContains(t, out, "large.bin", name)
	}
}

// Whether ripgrep is there or not, the answer is the same.
func TestBothEnginesGiveTheSame(t *testing.T) {
	all := engines(t)
	if len(all) < 2 {
		t.Skip("ripgrep is not installed")
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("wide needle ünï\n")
	require.NoError(t, err)
	bare, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String("bare needle\n")
	require.NoError(t, err)
	gb, err := simplifiedchinese.GB18030.NewEncoder().String("你好 needle 世界\n")
	require.NoError(t, err)
	files := map[string]string{
		"wide.txt": wide, "bare.txt": bare, "gb.txt": gb, "latin.txt": "gr\xfc\xdfe needle\n", "bin": "needle\x00", "late.bin": strings.Repeat("text\n", 4000) + "\x00 needle\n",
		"-dash needle": "needle", "sp ace/né\nw": "NEEDLE needle", ".hidden": "needle", "ignored/x": "needle", ".gitignore": "ignored\n", ".ignore": "gb.txt\n", ".rgignore": "wide.txt\n",
		"kelvin": "\u212aelvin needle ſharp", "long": strings.Repeat("x", 100_000) + "needle", "crlf": "needle\r\nx\r\n", "empty": "", "pdf": "%PDF-1.4 needle",
	}
	for i := range worthRipgrep {
		files[fmt.Sprintf("d%d/f%d.txt", i%7, i)] = fmt.Sprintf("file %d\nNeedle %d\nfoo(bar)\n", i, i*i)
	}
	dir := makeTree(t, files)
	for _, args := range []string{
		`{"pattern":"needle"}`, `{"pattern":"needle","ignore_case":true}`, `{"pattern":"NEEDLE","ignore_case":true,"context":2}`, `{"pattern":"^needle$"}`, `{"pattern":"grüße|ünï"}`, `{"pattern":"世界"}`, `{"pattern":"needle 世"}`,
		`{"pattern":"n.+dle"}`, `{"pattern":"foo(bar)","literal":true}`, `{"pattern":"file (1|2)[0-9]*$","glob":"d1/*"}`, `{"pattern":"kelvin|sharp","ignore_case":true}`, `{"pattern":"\\bneedle\\b"}`, `{"pattern":"x{3,}"}`,
		`{"pattern":"needle","ignored":true}`, `{"pattern":"needle","path":"d1"}`, `{"pattern":"nowhere at all"}`, `{"pattern":"(?:needle|file)","limit":20}`, `{"pattern":"-needle","literal":true}`, `{"pattern":"[n]eedle"}`, `{"pattern":"(?i)FILE 7"}`,
	} {
		want := output(t, dir, "search", args, all["Go"])
		assert.Equal(t, want, output(t, dir, "search", args, all["ripgrep"]), args)
	}
	assert.Contains(t, output(t, dir, "search", `{"pattern":"needle","limit":1000}`, all["ripgrep"]), "wide.txt\n1: wide needle ünï\n")
}

func TestRequiredTexts(t *testing.T) {
	for expression, want := range map[string]needles{
		"needle":           {texts: []string{"needle"}},
		"ab.*longer":       {texts: []string{"longer"}},
		"(foo|bars)+x":     {texts: []string{"foo", "bars"}},
		"(?i)Needle":       {texts: []string{"NEEDLE"}, fold: true},
		"a":                {},
		"foo|.":            {},
		"(foo)?":           {},
		"[a-z]+":           {},
		"grüße":            {texts: []string{"gr"}},
		"(abc){2,}":        {texts: []string{"abc"}},
		"世界":               {},
		`foo\.bar\(`:       {texts: []string{"foo.bar("}},
		"x*needle(?:y|z)?": {texts: []string{"needle"}},
	} {
		assert.Equal(t, want, required(regexp.MustCompile(expression)), expression)
	}
}

// fakeRipgrep puts a script in ripgrep's place.
func fakeRipgrep(t *testing.T, script string) Option {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	path := filepath.Join(t.TempDir(), "rg")
	require.NoError(t, os.WriteFile(path, []byte("#!"+shell+"\n"+script), 0o700))
	return WithRipgrep(path)
}

func manyFiles(t *testing.T) string {
	files := map[string]string{}
	for i := range worthRipgrep {
		files[fmt.Sprintf("f%03d", i)] = fmt.Sprintf("number %d\n", i)
	}
	return makeTree(t, files)
}

func TestARipgrepThatFailsDoesNotMatter(t *testing.T) {
	dir := manyFiles(t)
	for _, script := range []string{"exit 2", "echo broken; exit 3", "kill -9 $$"} {
		assert.Contains(t, output(t, dir, "search", `{"pattern":"number 7$"}`, fakeRipgrep(t, script)), "1 match in 1 file", script)
	}
	assert.Contains(t, output(t, dir, "search", `{"pattern":"number 7$"}`, WithRipgrep("/nowhere/rg")), "1 match in 1 file")
}

func TestWhatRipgrepSaysIsChecked(t *testing.T) {
	script := `printf './f007\0/etc/passwd\0./../x\0./f008\0'`
	assert.Equal(t, "1 match in 1 file for /number 7$/.\n\nf007\n1: number 7\n", output(t, manyFiles(t), "search", `{"pattern":"number 7$"}`, fakeRipgrep(t, script)))
}

func TestARipgrepInTheFolderIsNotStarted(t *testing.T) {
	dir := manyFiles(t)
	mark := filepath.Join(t.TempDir(), "started")
	program := filepath.Join(dir, "rg")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o700))
	output(t, dir, "search", `{"pattern":"number 7$"}`, WithRipgrep(program))
	assert.NoFileExists(t, mark)
}

func TestRipgrepGetsNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("SECRET_KEY", "abc")
	mark := filepath.Join(t.TempDir(), "env")
	output(t, manyFiles(t), "search", `{"pattern":"number 7$"}`, fakeRipgrep(t, "/usr/bin/env >"+mark+"\nexit 1"))
	env, err := os.ReadFile(mark)
	require.NoError(t, err)
	assert.False(t, bytes.Contains(env, []byte("SECRET_KEY")), string(env))
}

func TestAnInterruptKillsRipgrepAndWhatItStarted(t *testing.T) {
	dir := manyFiles(t)
	ready := filepath.Join(t.TempDir(), "ready")
	engine := fakeRipgrep(t, "mkfifo "+ready+".fifo\n/bin/sleep 600 &\necho $! >"+ready+"\n/bin/cat "+ready+".fifo\n")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan string, 1)
	go func() { done <- call(t, ctx, dir, "search", `{"pattern":"number 7$"}`, engine).Output }()
	var pid string
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(ready)
		pid = strings.TrimSpace(string(b))
		return err == nil && pid != ""
	}, 10*time.Second, 5*time.Millisecond)

	began := time.Now()
	cancel(errors.New("stopped"))
	assert.Contains(t, <-done, "stopped")
	assert.Less(t, time.Since(began), 5*time.Second)
	assert.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 5*time.Second, 10*time.Millisecond, "what ripgrep had started is gone too")
}

func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	for i := range 20_000 {
		folder := filepath.Join(dir, fmt.Sprint("d", i/100))
		if i%100 == 0 {
			require.NoError(b, os.MkdirAll(folder, 0o755))
		}
		require.NoError(b, os.WriteFile(filepath.Join(folder, fmt.Sprint("f", i, ".txt")), []byte(numbered(200)), 0o600))
	}
	for name, engine := range engines(b) {
		for _, pattern := range []string{"line 150 nowhere", "l[a-z]ne 150x"} {
			b.Run(name+"/"+pattern, func(b *testing.B) {
				for b.Loop() {
					output(b, dir, "search", `{"pattern":`+quote(pattern)+`}`, engine)
				}
			})
		}
	}
}
