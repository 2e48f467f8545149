package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// written gives what was understood in one line.
func written(p plan) string {
	var steps []string
	for _, group := range p {
		var parts []string
		for _, in := range group {
			switch in.kind {
			case useTool:
				args, _ := json.Marshal(in.args)
				parts = append(parts, in.tool+string(args))
			case sayN:
				parts = append(parts, fmt.Sprintf("say %d", in.n))
			case failAs:
				f := failureOf(in.text)
				parts = append(parts, fmt.Sprintf("fail %s %d ×%d", f.kind, f.status, in.n))
			case thinkAbout:
				parts = append(parts, "think:"+in.text)
			default:
				parts = append(parts, map[kind]string{unknown: "unknown", overview: "overview", askBack: "ask", showMarkdown: "markdown", longAnswer: "long", greet: "greet", thanks: "thanks", brokenCall: "broken", unknownCall: "unknown tool"}[in.kind])
			}
		}
		steps = append(steps, strings.Join(parts, " & "))
	}
	return strings.Join(steps, " > ")
}

func TestPlainRequestsAreUnderstood(t *testing.T) {
	for _, c := range []struct{ want, asked string }{
		{`list_files{}`, `list the files|List files.|ls|please list all of the files in here?=list_files{"depth":5}|what is in this folder?|What's in here|what files are there|show me the files please|show the folder|can you list the files for me?|what is here|Could you please show me the contents of this directory?|which files are in the project?|look around`},
		{`list_files{}`, `Zeig mir die Dateien|liste die Dateien|Was ist hier drin?|was liegt in diesem ordner|Welche Dateien gibt es?|Zeige bitte den Ordner|Kannst du mir bitte die Dateien zeigen?`},
		{`list_files{"path":"src"}`, `what is in src/?|list src files|list the files in src|what is in the folder src|show me the files in the src directory|Was ist in src?|Zeig die Dateien im Ordner src|ls src`},
		{`list_files{"path":"src/app"}`, `what's in src/app|list the files of src/app.`},
		{`list_files{"depth":5}`, `list everything recursively|list all files|show the whole tree|Zeig alle Dateien`},
		{`read_file{"path":"README.md"}`, `read README.md|Read the file README.md.|show me README.md|open README.md please|cat README.md|what is in README.md?|summarise README.md|can you explain README.md?|README.md|` + "read `README.md`" + `|read "README.md"|what does README.md say?|Lies README.md|Lies bitte die Datei README.md|Zeig mir README.md|Was steht in README.md?|Öffne README.md|please read README.md for me`},
		{`read_file{"path":"main.go"}`, `show me main.go|describe main.go|what does main.go do?|tell me about main.go|Erkläre main.go`},
		{`read_file{"path":"README"}`, `read the README|show README|Lies das README`},
		{`read_file{"path":"src/deep/a_b-c.test.ts"}`, `read src/deep/a_b-c.test.ts`},
		{`read_file{"path":"my notes.txt"}`, `read "my notes.txt"|read 'my notes.txt'|Lies „my notes.txt“`},
		{`read_file{"lines":11,"path":"main.go","start_line":10}`, `show lines 10 to 20 of main.go|read main.go lines 10-20|Zeig Zeilen 10 bis 20 von main.go`},
		{`read_file{"lines":5,"path":"main.go"}`, `show the first 5 lines of main.go|Zeig die ersten 5 Zeilen von main.go`},
		{`read_file{"path":"a.txt"} & read_file{"path":"b.txt"}`, `read a.txt and b.txt|show me a.txt, b.txt`},
		{`glob{"pattern":"*.go"}`, `find *.go|find all *.go files|glob *.go|which *.go are there?|find go files|show me all Go files|where are the go files?|list the .go files|Finde *.go|Finde alle Go-Dateien|Zeig mir die Go-Dateien`},
		{`glob{"pattern":"src/**/*.ts"}`, `find src/**/*.ts|which files match src/**/*.ts?`},
		{`glob{"pattern":"main.go"}`, `find main.go|where is main.go?|find the file main.go|Wo ist main.go?|locate main.go`},
		{`search{"literal":true,"pattern":"TODO"}`, `search for TODO|search TODO|grep TODO|look for TODO|Search the files for TODO.|find the word TODO|search for "TODO"|find all occurrences of TODO|where is TODO used?|search for TODO in all files|Suche nach TODO|Suche TODO in allen Dateien|Wo steht TODO?|durchsuche die Dateien nach TODO|please search for the word TODO in this folder`},
		{`search{"literal":true,"path":"src","pattern":"TODO"}`, `search for TODO in src|look for "TODO" in src/|Suche nach TODO in src`},
		{`search{"literal":true,"path":"main.go","pattern":"TODO"}`, `search for TODO in main.go`},
		{`search{"glob":"*.go","literal":true,"pattern":"TODO"}`, `search for TODO in *.go|grep "TODO" in all go files`},
		{`search{"pattern":"fu+nc"}`, `search for /fu+nc/`},
		{`search{"literal":true,"pattern":"hello world"}`, `search for hello world|search for "hello world"|Suche nach „hello world“`},
		{`write_file{"content":"hello there\n","path":"notes.txt"}`, `make notes.txt with hello there|create a file notes.txt containing hello there|write notes.txt: hello there|make notes.txt with "hello there"|write hello there to notes.txt|write "hello there" into the file notes.txt|Please create notes.txt with the text hello there|Erstelle notes.txt mit hello there|Schreibe hello there in notes.txt|Lege eine Datei notes.txt mit dem Inhalt hello there an=write_file{"content":"hello there an\n","path":"notes.txt"}`},
		{`write_file{"content":"a and then b\n","path":"n.txt"}`, `make n.txt with a and then b`},
		{`write_file{"content":"","path":"empty.txt"}`, `make empty.txt`},
		{`say 5`, `say 5|Say 5.|count to 5|say 5 words|please say 5|stream 5 tokens|Sag 5|zähle bis 5`},
		{`say 200000`, `say 99999999999999999999`},
		{`think:life`, `think about life|Think hard about life.|reason about life|please think about life|Denk über life nach=think:life nach`},
		{`markdown`, `show markdown|show me markdown|Show me some Markdown formatting|markdown sample please|Zeig Markdown`},
		{`long`, `write a long answer|give me a long text|Schreib eine lange Antwort|tell me a long story`},
		{`greet`, `hello|Hi!|hey there|what can you do?|Who are you?|help|are you an AI?|Hallo|Grüß dich|Was kannst du?|Guten Morgen`},
		{`thanks`, `thanks|Thank you!|Danke`},
		{`ask`, `ask me something|ask me a question|Frag mich etwas`},
		{`fail rate_limited 429 ×0`, `fail with 429|fail with a rate limit|Scheitere mit 429|simulate 429`},
		{`fail rate_limited 429 ×2`, `fail twice with 429|fail 2 times with 429|scheitere zweimal mit 429`},
		{`fail overloaded 503 ×1`, `fail once with 503`},
		{`fail overloaded 500 ×0`, `fail|fail with a server error`},
		{`fail overloaded 529 ×0`, `fail with 529|fail with overload|Scheitere mit Überlastung`},
		{`fail key_invalid 401 ×0`, `fail with 401|fail with a wrong key|Scheitere mit falschem Schlüssel`},
		{`fail forbidden 403 ×0`, `fail with 403`},
		{`fail not_found 404 ×0`, `fail with 404`},
		{`fail context_limit 400 ×0`, `fail with a context that is too long`},
		{`fail dropped 0 ×0`, `fail with a dropped connection|scheitere mit Abbruch`},
		{`fail silent 0 ×0`, `fail with silence`},
		{`fail malformed 0 ×0`, `fail with html`},
		{`fail empty 0 ×0`, `fail with nothing`},
		{`fail unreachable 0 ×0`, `fail as if offline`},
		{`fail refused 422 ×0`, `fail with 422`},
		{`broken`, `make a broken tool call`},
		{`unknown tool`, `call an unknown tool`},
		{`overview`, `give me an overview of this project|what is this project about?|summarise the project|explain this repository|Gib mir einen Überblick über das Projekt|Worum geht es in diesem Projekt?`},
		{`list_files{} > read_file{"path":"README.md"}`, `list the files and then read README.md|list the files, then read README.md|list the files and read README.md|Zeig mir die Dateien und dann lies README.md`},
		{`search{"literal":true,"pattern":"TODO"} > greet`, `search for TODO and then hello`},
		{`unknown`, `what is the meaning of life?|how much is 3.14 times 2|write a poem|hm|I saw e.g. a bird|Warum ist der Himmel blau?|fix the bug and then commit`},
	} {
		for asked := range strings.SplitSeq(c.asked, "|") {
			want := c.want
			if i := strings.Index(asked, "=list_"); i > 0 {
				asked, want = asked[:i], asked[i+1:]
			} else if i := strings.Index(asked, "=write_"); i > 0 {
				asked, want = asked[:i], asked[i+1:]
			} else if i := strings.Index(asked, "=think:"); i > 0 {
				asked, want = asked[:i], asked[i+1:]
			}
			assert.Equal(t, want, written(understand(asked)), asked)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]language{
		"list the files": english, "read README.md": english, "hello": english, "": english, "find *.go": english, "what was in there before this": english,
		"Zeig mir die Dateien": german, "Lies README.md": german, "Hallo": german, "Was kannst du?": german, "Suche nach TODO": german,
	} {
		assert.Equal(t, want, languageOf(text), text)
	}
}

func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"read `a", "search for in in", "make a.b with", "find *", "show lines 9 to 1 of a.b", "then then then", "„“", "say -1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := understand(text)
		if len(p) == 0 || len(p[0]) == 0 {
			t.Fatalf("%q was understood as nothing at all", text)
		}
		for _, group := range p {
			for _, in := range group {
				if in.kind == useTool && in.tool == "" {
					t.Fatalf("%q: a call of no tool", text)
				}
			}
		}
	})
}
