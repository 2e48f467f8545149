package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mobius/backend/llm"
)

// maxSteps is after how many steps with tools the model tells what it has, whatever else there was to do.
const maxSteps = 8

// conversation is what a request holds, seen from its last message of the user.
type conversation struct {
	req   *llm.Request
	asked string
	lang  language
	plan  plan
	done  []outcome // calls since then, with their results
	steps int       // answers since then that had calls
	calls int       // calls of the whole conversation
}

// outcome is a call with its result.
type outcome struct {
	call   llm.Block
	result *llm.Block // nil when there is none
}

// listen finds what was asked and what was done about it.
func listen(req *llm.Request) *conversation {
	c := &conversation{req: req}
	last := -1
	for i, m := range req.Messages {
		if m.Role == llm.RoleUser {
			last = i
		}
		for _, b := range m.Blocks {
			if b.Kind == llm.ToolCall {
				c.calls++
			}
		}
	}
	if last >= 0 {
		c.asked = textOf(req.Messages[last])
	}
	c.lang = languageOf(c.asked)
	c.plan = understand(c.asked)
	for _, m := range req.Messages[last+1:] {
		c.follow(m)
	}
	return c
}

func (c *conversation) follow(m *llm.Message) {
	called := false
	for _, b := range m.Blocks {
		switch b.Kind {
		case llm.ToolCall:
			called = true
			c.done = append(c.done, outcome{call: b})
		case llm.ToolResult:
			for i := range c.done {
				if c.done[i].call.CallID == b.CallID && c.done[i].result == nil {
					c.done[i].result = &b
					break
				}
			}
		}
	}
	if called {
		c.steps++
	}
}

// lastText is the text of the last message of a role.
func lastText(messages []*llm.Message, role llm.Role) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == role {
			return textOf(m)
		}
	}
	return ""
}

func textOf(m *llm.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		if b.Kind == llm.Text && b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// reply does the next thing that was asked for, or tells what came of it all.
func (c *conversation) reply(v *voice) error {
	if c.steps == 0 && c.plan[0][0].kind == unknown && c.wasAsked() {
		return c.acknowledge(v)
	}
	if next := c.next(); len(next) > 0 && c.steps < maxSteps {
		return c.use(v, next)
	}
	if len(c.done) > 0 {
		if err := c.report(v); err != nil {
			return err
		}
	}
	for _, group := range c.plan {
		for _, in := range group {
			if err := c.talk(v, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// next gives the calls that are to be made now, nothing when all are done.
func (c *conversation) next() []intent {
	for _, group := range c.plan {
		var open []intent
		for _, in := range group {
			if in.kind == overview {
				in = c.overviewStep()
			}
			if in.kind == useTool && c.offered(in.tool) && !c.has(in) {
				open = append(open, in)
			}
			if (in.kind == brokenCall || in.kind == unknownCall) && len(c.done) == 0 {
				open = append(open, in)
			}
		}
		if len(open) > 0 {
			return open
		}
	}
	return c.retries()
}

// overviewStep is the next step of an overview: the list, then the README that is in it.
func (c *conversation) overviewStep() intent {
	list := toolIntent("list_files", map[string]any{})[0]
	if !c.has(list) {
		return list
	}
	for _, o := range c.done {
		if o.call.Name != "list_files" || o.result == nil || o.result.IsError {
			continue
		}
		for _, e := range entriesOf(o.result.Text) {
			if strings.HasPrefix(strings.ToLower(e.name), "readme") && !e.folder {
				return toolIntent("read_file", map[string]any{"path": e.name, "lines": 200})[0]
			}
		}
	}
	return list
}

// suggestion finds the name that a tool says was meant.
var suggestion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Did you mean ([^,?]+)`) })

// retries reads the file that was meant where one with another name was asked for.
func (c *conversation) retries() []intent {
	var out []intent
	for _, o := range c.done {
		if in, ok := o.retry(); ok && c.offered(in.tool) && !c.has(in) {
			out = append(out, in)
		}
	}
	return out
}

// retry gives the call that a failed one suggests.
func (o outcome) retry() (intent, bool) {
	if o.result == nil || !o.result.IsError || o.call.Name != "read_file" {
		return intent{}, false
	}
	m := suggestion().FindStringSubmatch(o.result.Text)
	if m == nil {
		return intent{}, false
	}
	return intent{kind: useTool, tool: "read_file", args: map[string]any{"path": m[1]}}, true
}

func (c *conversation) offered(tool string) bool {
	return slices.ContainsFunc(c.req.Tools, func(t llm.Tool) bool { return t.Name == tool })
}

// has tells whether a call was made already.
func (c *conversation) has(in intent) bool {
	want := string(c.arguments(in))
	return slices.ContainsFunc(c.done, func(o outcome) bool { return o.call.Name == in.tool && o.call.Args == want })
}

// arguments gives the arguments of a call, under the names that the offered tool has for them.
func (c *conversation) arguments(in intent) []byte {
	args := map[string]any{}
	names := c.argumentNames(in.tool)
	for name, value := range in.args {
		args[rename(name, names)] = value
	}
	b, err := json.Marshal(args)
	if err != nil {
		return []byte("{}") // cannot be: the values are texts, numbers and truths
	}
	return b
}

func (c *conversation) argumentNames(tool string) map[string]json.RawMessage {
	for _, t := range c.req.Tools {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if t.Name == tool && json.Unmarshal([]byte(t.Schema), &schema) == nil {
			return schema.Properties
		}
	}
	return nil
}

// rename gives the name that a tool has for an argument, since tools that this model was not made for differ in them.
func rename(name string, names map[string]json.RawMessage) string {
	if _, ok := names[name]; ok || len(names) == 0 {
		return name
	}
	others := map[string][]string{
		"path": {"file_path", "file", "filename"}, "content": {"text", "contents"}, "pattern": {"query", "regex"}, "start_line": {"offset"}, "lines": {"limit", "count"},
	}
	for _, other := range others[name] {
		if _, ok := names[other]; ok {
			return other
		}
	}
	return name
}

// use thinks aloud and makes calls.
func (c *conversation) use(v *voice, calls []intent) error {
	if thought := c.thought(calls); thought != "" {
		if err := v.say(llm.Reasoning, thought); err != nil {
			return err
		}
	}
	for i, in := range calls {
		id := fmt.Sprintf("demo_%d", c.calls+i+1)
		var err error
		switch in.kind {
		case brokenCall:
			err = v.call(id, "read_file", `{"path": "READ`)
		case unknownCall:
			err = v.call(id, "make_coffee", `{"sugar":2}`)
		default:
			err = v.call(id, in.tool, string(c.arguments(in)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// thought is what the model reasons before it makes calls; the effort tells how much.
func (c *conversation) thought(calls []intent) string {
	if c.req.Effort == "minimal" || c.req.Effort == "none" {
		return ""
	}
	var first string
	switch in := calls[0]; {
	case in.kind == brokenCall:
		first = c.lang.pick("I am asked to make a call that is broken, so I leave its arguments unfinished.", "Ich soll einen kaputten Aufruf machen, also lasse ich die Argumente unvollständig.")
	case in.kind == unknownCall:
		first = c.lang.pick("I am asked for a tool that does not exist. I call it to see what happens.", "Ich soll ein Werkzeug benutzen, das es nicht gibt. Ich rufe es auf, um zu sehen, was geschieht.")
	case len(c.done) > 0 && len(c.retries()) > 0:
		first = c.lang.pick("That name does not exist, but the tool names one that is close. I try that.", "Diesen Namen gibt es nicht, aber das Werkzeug nennt einen ähnlichen. Ich versuche den.")
	case len(c.done) > 0:
		first = c.lang.pick("That worked. Now the next step: ", "Das hat geklappt. Nun der nächste Schritt: ") + c.reason(in)
	default:
		first = c.reason(in)
	}
	if len(calls) > 1 {
		first += c.lang.pick(fmt.Sprintf(" I make %d calls at once.", len(calls)), fmt.Sprintf(" Ich mache %d Aufrufe auf einmal.", len(calls)))
	}
	if c.req.Effort == "high" {
		first += c.lang.pick(" The result may be long or an error, so I read it before I say anything, and I name what I rely on.", " Das Ergebnis kann lang oder ein Fehler sein, darum lese ich es, bevor ich etwas sage, und nenne, worauf ich mich stütze.")
	}
	return first
}

func (c *conversation) reason(in intent) string {
	switch in.tool {
	case "list_files":
		return c.lang.pick("To know what is in the folder I have to look. The tool list_files does that.", "Um zu wissen, was im Ordner liegt, muss ich nachsehen. Das tut das Werkzeug list_files.")
	case "read_file":
		return c.lang.pick(fmt.Sprintf("A file is named: %v. I read it before I say anything about it.", in.args["path"]), fmt.Sprintf("Eine Datei wird genannt: %v. Ich lese sie, bevor ich etwas über sie sage.", in.args["path"]))
	case "glob":
		return c.lang.pick(fmt.Sprintf("This asks for files by name. The pattern is %v.", in.args["pattern"]), fmt.Sprintf("Gefragt ist nach Dateien mit bestimmten Namen. Das Muster ist %v.", in.args["pattern"]))
	case "search":
		return c.lang.pick(fmt.Sprintf("I look for %q in the text of the files.", in.args["pattern"]), fmt.Sprintf("Ich suche %q im Text der Dateien.", in.args["pattern"]))
	case "write_file":
		return c.lang.pick(fmt.Sprintf("A file is to be written: %v. There is a tool for it.", in.args["path"]), fmt.Sprintf("Eine Datei soll geschrieben werden: %v. Dafür gibt es ein Werkzeug.", in.args["path"]))
	}
	return c.lang.pick("There is a tool for this.", "Dafür gibt es ein Werkzeug.")
}
