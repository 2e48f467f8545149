package capability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/wire"
)

// fake is a tool that answers with what run gives.
type fake struct {
	name string
	run  func(Call) Result
}

func (f fake) Info() llm.Tool {
	return llm.Tool{Name: f.name, Description: "Does " + f.name + ".\nMore.", Schema: `{"type":"object"}`}
}
func (f fake) ReadOnly() bool                          { return f.name != "write" }
func (f fake) Run(_ context.Context, call Call) Result { return f.run(call) }

func says(text string) func(Call) Result { return func(Call) Result { return Result{Output: text} } }

func set(t *testing.T) *Set {
	t.Helper()
	s, err := NewSet(
		Capability{ID: "one", Name: "One", Description: "The first.", Prompt: "First.\n", Tools: []Tool{fake{"read", says("text")}}},
		Capability{ID: "two", Name: "Two", Description: "The second.", Prompt: "Second.", Tools: []Tool{fake{"write", says("done")}, fake{"long", says(strings.Repeat("ü", MaxOutput))}}},
		Capability{ID: "silent", Tools: nil},
	)
	require.NoError(t, err)
	return s
}

func names(list []llm.Tool) []string {
	out := []string{}
	for _, t := range list {
		out = append(out, t.Name)
	}
	return out
}

func TestInfosDescribeTheSet(t *testing.T) {
	assert.Equal(t, []wire.CapabilityInfo{
		{ID: "one", Name: "One", Description: "The first.", Tools: []wire.ToolInfo{{Name: "read", Description: "Does read.", ReadOnly: true}}},
		{ID: "two", Name: "Two", Description: "The second.", Tools: []wire.ToolInfo{{Name: "write", Description: "Does write."}, {Name: "long", Description: "Does long.", ReadOnly: true}}},
		{ID: "silent", Tools: []wire.ToolInfo{}},
	}, set(t).Infos())
}

func TestEnabledKeepsTheOrderOfTheSet(t *testing.T) {
	s := set(t)
	box := s.Enabled([]string{"gone", "silent", "two", "one"})
	assert.Equal(t, []string{"read", "write", "long"}, names(box.List()))
	assert.Equal(t, "First.\n\nSecond.", box.Prompt())

	box = s.Enabled([]string{"two"})
	assert.Equal(t, []string{"write", "long"}, names(box.List()))
	assert.Equal(t, "Second.", box.Prompt())

	assert.Empty(t, s.Enabled(nil).List())
	assert.Empty(t, s.Enabled(nil).Prompt())
}

func TestRunPassesTheCallOn(t *testing.T) {
	var got Call
	s, err := NewSet(Capability{ID: "x", Tools: []Tool{fake{"t", func(c Call) Result { got = c; return Errorf("no %d", 1) }}}})
	require.NoError(t, err)
	call := Call{SessionID: "s", BotID: "b", Workspace: "/w", ID: "1", Name: "t", Args: json.RawMessage(`{}`)}

	result := s.Enabled([]string{"x"}).Run(context.Background(), call)

	assert.Equal(t, Result{Output: "no 1", IsError: true}, result)
	assert.Equal(t, call, got)
}

func TestAnUnknownToolIsAnsweredWithTheNamesThereAre(t *testing.T) {
	result := set(t).Enabled([]string{"one"}).Run(context.Background(), Call{Name: "write"})
	assert.Equal(t, Result{Output: `There is no tool "write". The tools are: read.`, IsError: true}, result)

	result = set(t).Enabled(nil).Run(context.Background(), Call{Name: strings.Repeat("x", 9999)})
	assert.True(t, result.IsError)
	assert.Less(t, len(result.Output), 300)
}

func TestAResultIsNeverLongerThanTheLimit(t *testing.T) {
	result := set(t).Enabled([]string{"two"}).Run(context.Background(), Call{Name: "long"})
	assert.LessOrEqual(t, len(result.Output), MaxOutput)
	assert.True(t, utf8.ValidString(result.Output))
	assert.Contains(t, result.Output, "left out")
}

func TestNothingIsRunAfterAnInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupted"))
	result := set(t).Enabled([]string{"one"}).Run(ctx, Call{Name: "read"})
	assert.Equal(t, Result{Output: "The call was not started: interrupted.", IsError: true}, result)
}

func TestNewSetRefusesNamesThatClash(t *testing.T) {
	for name, list := range map[string][]Capability{
		"id twice":   {{ID: "a"}, {ID: "a"}},
		"no id":      {{}},
		"tool twice": {{ID: "a", Tools: []Tool{fake{name: "t"}}}, {ID: "b", Tools: []Tool{fake{name: "t"}}}},
		"tool name":  {{ID: "a", Tools: []Tool{fake{name: "has space"}}}},
	} {
		_, err := NewSet(list...)
		assert.Error(t, err, name)
	}
}

func TestDecode(t *testing.T) {
	type args struct {
		Path  string   `json:"path"`
		Lines int      `json:"lines,omitempty"`
		All   bool     `json:"all"`
		List  []string `json:"list"`
	}
	for text, want := range map[string]args{
		``:                           {},
		`  `:                         {},
		`{}`:                         {},
		`{"path":"a","lines":3}`:     {Path: "a", Lines: 3},
		`{"path":null,"list":["x"]}`: {List: []string{"x"}},
	} {
		var got args
		require.NoError(t, Decode(json.RawMessage(text), &got), text)
		assert.Equal(t, want, got, text)
	}
	for text, says := range map[string]string{
		`[]`:                             "not a JSON object",
		`null`:                           "not a JSON object",
		`{"path":`:                       "not a JSON object",
		`{} x`:                           "not a JSON object",
		`{"paht":"a","b":1}`:             `there is no argument "b", "paht"; the arguments are: path, lines, all, list`,
		`{"Path":"a"}`:                   `there is no argument "Path"`,
		`{"lines":"3"}`:                  "lines must be a whole number, not a text",
		`{"lines":1.5}`:                  "lines must be a whole number, not 1.5",
		`{"lines":1e999}`:                "lines must be a whole number, not 1e999",
		`{"path":3}`:                     "path must be a text, not a number",
		`{"all":"yes"}`:                  "all must be true or false, not a text",
		`{"list":{}}`:                    "list must be a list, not an object",
		`{"path":["a"]}`:                 "path must be a text, not a list",
		`{"lines":99999999999999999999}`: "lines must be a whole number",
	} {
		err := Decode(json.RawMessage(text), &args{})
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), says, text)
	}
	err := Decode(json.RawMessage(`{"path":"`+strings.Repeat("x", maxArgs)+`"}`), &args{})
	assert.ErrorContains(t, err, "more than")
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"path":"a"}`, `{"x":1}`, `[`, `{"lines":1e5}`, `{"lines":{}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var args struct {
			Path  string `json:"path"`
			Lines int    `json:"lines"`
		}
		err := Decode(json.RawMessage(text), &args)
		if err != nil && (err.Error() == "" || len(err.Error()) > 2000) {
			t.Fatalf("no useful error: %q", err)
		}
	})
}

func TestClip(t *testing.T) {
	assert.Equal(t, "short", Clip("short", 5, "x"))
	assert.Equal(t, "a\ufffdb", Clip("a\xffb", 100, "x"))

	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "line %d äöü\n", i)
	}
	for limit := 200; limit < 400; limit++ {
		got := Clip(lines.String(), limit, "read on")
		require.LessOrEqual(t, len(got), limit)
		require.True(t, utf8.ValidString(got))
		require.True(t, strings.HasPrefix(got, "line 0 äöü\n"))
		require.True(t, strings.HasSuffix(got, "line 999 äöü\n"))
		require.Contains(t, got, "; read on]")
	}
	got := Clip(lines.String(), 300, "read on")
	head, rest, _ := strings.Cut(got, "\n\n[")
	_, tail, _ := strings.Cut(rest, "]\n\n")
	var left int
	_, err := fmt.Sscanf(rest, "%d bytes", &left)
	require.NoError(t, err)
	assert.Equal(t, lines.Len(), len(head)+len(tail)+left, "what is left out is counted exactly")
}

func TestOpenGivesABotItsToolsInItsFolder(t *testing.T) {
	var got Call
	s, err := NewSet(Capability{ID: "x", Prompt: "About x.", Tools: []Tool{fake{"t", func(c Call) Result { got = c; return Errorf("no") }}}}, Capability{ID: "off", Tools: []Tool{fake{name: "u"}}})
	require.NoError(t, err)
	dir := t.TempDir()
	bot := wire.Bot{ID: "b", Config: wire.BotRevision{Config: wire.BotConfig{Capabilities: wire.Capabilities{Enabled: []string{"x"}}}}}

	opened, prompt, err := s.Open(bot, wire.Session{ID: "s", Workspace: dir})
	require.NoError(t, err)
	assert.Equal(t, "Your workspace is the folder "+dir+".\n\nAbout x.", prompt)
	assert.Equal(t, []string{"t"}, names(opened.List()))
	assert.Equal(t, agent.Result{Output: "no", IsError: true}, opened.Run(context.Background(), llm.Block{CallID: "c", Name: "t", Args: `{"a":1}`}))
	assert.Equal(t, Call{SessionID: "s", BotID: "b", Workspace: dir, ID: "c", Name: "t", Args: json.RawMessage(`{"a":1}`)}, got)

	_, _, err = s.Open(bot, wire.Session{Workspace: dir + "/gone"})
	assert.Equal(t, wire.CodeInvalidSessionWorkspace, wire.CodeOf(err))
}
