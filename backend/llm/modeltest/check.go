package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// issued remembers what the server sent that a client has to give back unchanged.
type issued struct {
	mu sync.Mutex
	m  map[string]string
}

func (i *issued) put(key, value string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.m == nil {
		i.m = map[string]string{}
	}
	i.m[key] = value
}

func (i *issued) get(key string) (string, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	v, ok := i.m[key]
	return v, ok
}

// violate notes a violation.
func (r *Request) violate(format string, args ...any) {
	if len(r.Violations) < 20 {
		r.Violations = append(r.Violations, fmt.Sprintf(format, args...))
	}
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkCommon checks what all protocols have in common.
func (r *Request) checkCommon() {
	if r.Model == "" {
		r.violate("no model is named")
	}
	if len(r.Messages) == 0 {
		r.violate("there are no messages")
		return
	}
	for i, m := range r.Messages {
		switch {
		case m.Role != "user" && m.Role != "assistant" && m.Role != "tool":
			r.violate("message %d has the role %q", i, m.Role)
		case m.Role == "tool" && (i == 0 || len(r.Messages[i-1].Calls) == 0):
			r.violate("message %d has results without calls right before it", i)
		case m.Text == "" && m.Thought == "" && m.Images == 0 && len(m.Calls) == 0 && len(m.Results) == 0:
			r.violate("message %d is empty", i)
		}
		if len(m.Calls) > 0 {
			r.checkPairs(i)
		}
	}
	if last := r.Last(); last.Role == "assistant" {
		r.violate("the last message is the assistant's")
	}
	for _, name := range r.Tools {
		if !toolName.MatchString(name) {
			r.violate("a tool has the name %q", name)
		}
	}
}

// checkPairs checks that the calls of message i are answered once each by the message after it.
func (r *Request) checkPairs(i int) {
	open := map[string]bool{}
	for _, c := range r.Messages[i].Calls {
		if c.ID == "" {
			r.violate("a call in message %d has no id", i)
		}
		if _, twice := open[c.ID]; twice {
			r.violate("the call id %q is used twice in message %d", c.ID, i)
		}
		open[c.ID] = true
		if !isObject(c.Args) {
			r.violate("the arguments of call %q are not a JSON object: %.80s", c.ID, c.Args)
		}
		if !toolName.MatchString(c.Name) {
			r.violate("call %q names the tool %q", c.ID, c.Name)
		}
	}
	if i+1 < len(r.Messages) {
		for _, result := range r.Messages[i+1].Results {
			pending, known := open[result.ID]
			switch {
			case !known:
				r.violate("result %q has no call", result.ID)
			case !pending:
				r.violate("call %q is answered twice", result.ID)
			}
			if known {
				open[result.ID] = false
			}
		}
	}
	for id, pending := range open {
		if pending {
			r.violate("call %q in message %d is not answered right after it", id, i)
		}
	}
}

func isObject(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") && json.Valid([]byte(s))
}

// checkTool checks the schema of a tool's arguments.
func (r *Request) checkTool(name string, schema json.RawMessage) {
	r.Tools = append(r.Tools, name)
	var s struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(schema, &s) != nil || s.Type != "object" {
		r.violate("the schema of tool %q is no object's", name)
	}
}

// text reads a content that is a text or a list of parts with texts, and counts what else is in it.
func contentText(raw json.RawMessage) (text string, kinds map[string]int, ok bool) {
	kinds = map[string]int{}
	if len(raw) == 0 || string(raw) == "null" {
		return "", kinds, true
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, kinds, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", kinds, false
	}
	for _, p := range parts {
		kinds[p.Type]++
		text += p.Text
	}
	return text, kinds, true
}
