// Package capability holds what a Bot can be given: tools, with what the model reads of them. A capability is one folder
// below this one and one line in the composition root.
package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/wire"
)

// MaxOutput bounds what one tool call gives to the model, in bytes.
const MaxOutput = 64 << 10

// Call is one call of a tool.
type Call struct {
	Root *os.Root        // the workspace; tools open files through it only
	Dir  string          // its path, for messages and for programs that are run in it
	Args json.RawMessage // a JSON object
}

// Tool is one tool.
type Tool struct {
	Name        string
	Description string // what the model reads
	Summary     string // one line for people
	Schema      string // JSON Schema of the arguments
	ReadOnly    bool
	Run         func(ctx context.Context, call Call) (string, error)
}

// Capability is a set of tools that is switched on and off together.
type Capability struct {
	ID          string
	Name        string
	Description string
	Prompt      string // a section of the system prompt, may be empty
	Tools       []Tool
}

// Set is the capabilities of this program; it makes the toolbox of each session.
type Set struct{ list []Capability }

// NewSet makes a set.
func NewSet(list ...Capability) *Set { return &Set{list: list} }

// Infos describes the capabilities for people.
func (s *Set) Infos() []wire.CapabilityInfo {
	out := make([]wire.CapabilityInfo, 0, len(s.list))
	for _, c := range s.list {
		info := wire.CapabilityInfo{ID: c.ID, Name: c.Name, Description: c.Description, Tools: []wire.ToolInfo{}}
		for _, t := range c.Tools {
			info.Tools = append(info.Tools, wire.ToolInfo{Name: t.Name, Description: t.Summary, ReadOnly: t.ReadOnly})
		}
		out = append(out, info)
	}
	return out
}

// Open gives the tools that a Bot has in a session's workspace, and the sections of its prompt; see session.Toolbox. A
// capability that this version does not know is left out.
func (s *Set) Open(bot wire.Bot, session wire.Session) (agent.Tools, string, error) {
	enabled := map[string]bool{}
	for _, id := range bot.Config.Config.Capabilities.Enabled {
		enabled[id] = true
	}
	if info, err := os.Stat(session.Workspace); err != nil || !info.IsDir() {
		return nil, "", wire.Reject(wire.CodeInvalidSessionWorkspace, "The folder %s of this conversation is gone or was moved. Choose where it is now.", session.Workspace)
	}
	box := &toolbox{dir: session.Workspace, tools: map[string]Tool{}}
	prompt := []string{"Your workspace is the folder " + session.Workspace + ". Paths in tool calls are relative to it."}
	for _, c := range s.list {
		if !enabled[c.ID] {
			continue
		}
		if c.Prompt != "" {
			prompt = append(prompt, strings.TrimSpace(c.Prompt))
		}
		for _, t := range c.Tools {
			box.tools[t.Name] = t
			box.list = append(box.list, llm.Tool{Name: t.Name, Description: strings.TrimSpace(t.Description), Schema: t.Schema})
		}
	}
	return box, strings.Join(prompt, "\n\n"), nil
}

// toolbox is the tools of one turn.
type toolbox struct {
	dir   string
	tools map[string]Tool
	list  []llm.Tool
}

// List gives the tools that the model may call.
func (b *toolbox) List() []llm.Tool { return b.list }

// Run carries out one call.
func (b *toolbox) Run(ctx context.Context, call llm.Block) agent.Result {
	tool, ok := b.tools[call.Name]
	if !ok {
		names := make([]string, len(b.list))
		for i, t := range b.list {
			names[i] = t.Name
		}
		return failed("There is no tool %q. The tools are: %s.", call.Name, strings.Join(names, ", "))
	}
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return failed("The workspace folder cannot be opened: %v.", err)
	}
	defer func() { _ = root.Close() }()
	args := json.RawMessage(call.Args)
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	out, err := tool.Run(ctx, Call{Root: root, Dir: b.dir, Args: args})
	if err != nil {
		return failed("%s", Bounded(err.Error()))
	}
	return agent.Result{Output: Bounded(out)}
}

func failed(format string, args ...any) agent.Result {
	return agent.Result{Output: fmt.Sprintf(format, args...), IsError: true}
}

// Decode reads the arguments of a call strictly: an unknown name is an error that says so.
func Decode(args json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the arguments are not right: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the arguments are not right: something follows the object")
	}
	return nil
}

// Bounded shortens an output to MaxOutput, keeping its head and tail, cut at characters.
func Bounded(text string) string {
	if len(text) <= MaxOutput {
		return text
	}
	head, tail := MaxOutput*3/4, len(text)-MaxOutput/4
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n\n[%d bytes left out here; ask for a smaller part]\n\n%s", text[:head], tail-head, text[tail:])
}
