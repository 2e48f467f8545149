package capability

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mobius/backend/llm"
	"mobius/backend/wire"
)

// Call is one call of a tool by a model.
type Call struct {
	SessionID string
	BotID     string
	Workspace string // absolute path of the folder that the session works in
	ID        string // of the call
	Name      string // of the tool
	Args      json.RawMessage
}

// Result is the answer to a call, for the model to read.
type Result struct {
	Output  string
	IsError bool
}

// Errorf makes the result of a call that did not do what was asked.
func Errorf(format string, args ...any) Result {
	return Result{Output: fmt.Sprintf(format, args...), IsError: true}
}

// Tool is something that a model can call. It is safe for concurrent use.
type Tool interface {
	// Info is what the model is told of it.
	Info() llm.Tool
	// ReadOnly tells that a call changes nothing.
	ReadOnly() bool
	// Run carries out a call. It ends soon after ctx.
	Run(ctx context.Context, call Call) Result
}

// Capability is a set of tools under one switch.
type Capability struct {
	ID          string // [a-zA-Z0-9_-]{1,64}
	Name        string // for people
	Description string // for people, one sentence
	Prompt      string // section of the system prompt, may be empty
	Tools       []Tool
}

// Set is the capabilities that there are, in the order of the composition root. It is immutable.
type Set struct {
	capabilities []Capability
}

// NewSet makes a set. Names that are not valid or occur twice are an error of the program.
func NewSet(capabilities ...Capability) (*Set, error) {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, c := range capabilities {
		if !validName(c.ID) || ids[c.ID] {
			return nil, fmt.Errorf("capability %q: the id is not valid or there twice", c.ID)
		}
		ids[c.ID] = true
		for _, t := range c.Tools {
			info := t.Info()
			if !validName(info.Name) || names[info.Name] {
				return nil, fmt.Errorf("capability %s: the name of tool %q is not valid or there twice", c.ID, info.Name)
			}
			if !json.Valid([]byte(info.Schema)) {
				return nil, fmt.Errorf("capability %s: the schema of tool %s is not JSON", c.ID, info.Name)
			}
			names[info.Name] = true
		}
	}
	return &Set{capabilities: slices.Clone(capabilities)}, nil
}

// validName tells whether a name fits what every provider accepts as the name of a tool; ids keep to the same.
func validName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters) == ""
}

// Infos describes the capabilities for people.
func (s *Set) Infos() []wire.CapabilityInfo {
	infos := make([]wire.CapabilityInfo, 0, len(s.capabilities))
	for _, c := range s.capabilities {
		info := wire.CapabilityInfo{ID: c.ID, Name: c.Name, Description: c.Description, Tools: make([]wire.ToolInfo, 0, len(c.Tools))}
		for _, t := range c.Tools {
			about := t.Info()
			line, _, _ := strings.Cut(about.Description, "\n")
			info.Tools = append(info.Tools, wire.ToolInfo{Name: about.Name, Description: line, ReadOnly: t.ReadOnly()})
		}
		infos = append(infos, info)
	}
	return infos
}

// Enabled gives the tools of the capabilities with these ids. Ids that are not known (of a capability that is gone) are
// passed over. The order is the set's own, so that a prompt stays the same however the ids are ordered.
func (s *Set) Enabled(ids []string) *Toolbox {
	box := &Toolbox{tools: map[string]Tool{}}
	var prompt []string
	for _, c := range s.capabilities {
		if !slices.Contains(ids, c.ID) {
			continue
		}
		if c.Prompt != "" {
			prompt = append(prompt, strings.TrimSpace(c.Prompt))
		}
		for _, t := range c.Tools {
			info := t.Info()
			box.infos = append(box.infos, info)
			box.tools[info.Name] = t
		}
	}
	box.prompt = strings.Join(prompt, "\n\n")
	return box
}

// Toolbox is the tools that one Bot has. It is immutable.
type Toolbox struct {
	infos  []llm.Tool
	tools  map[string]Tool
	prompt string
}

// List gives what the model is told of the tools. The result must not be changed.
func (b *Toolbox) List() []llm.Tool { return b.infos }

// Prompt gives the sections of the system prompt that belong to the tools.
func (b *Toolbox) Prompt() string { return b.prompt }

// Run carries out a call.
func (b *Toolbox) Run(ctx context.Context, call Call) Result {
	tool, ok := b.tools[call.Name]
	if !ok {
		return b.unknown(call.Name)
	}
	if err := ctx.Err(); err != nil {
		return Errorf("The call was not started: %v.", context.Cause(ctx))
	}
	result := tool.Run(ctx, call)
	result.Output = Clip(result.Output, MaxOutput, "ask for less at a time to see the rest")
	return result
}

func (b *Toolbox) unknown(name string) Result {
	if len(b.infos) == 0 {
		return Errorf("There is no tool %q: no tools are switched on.", shorten(name))
	}
	names := make([]string, len(b.infos))
	for i, info := range b.infos {
		names[i] = info.Name
	}
	return Errorf("There is no tool %q. The tools are: %s.", shorten(name), strings.Join(names, ", "))
}

// shorten keeps a name that a model made up from filling an error.
func shorten(name string) string {
	const limit = 80
	if len(name) <= limit {
		return name
	}
	return cutEnd(name, limit) + "…"
}
