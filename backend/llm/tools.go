package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

const keptToolSets = 8

// EncodedTools keeps the encoded form of the lists of tools that a model was last given: they are the same in request
// after request. The zero value is ready; it is safe for concurrent use.
type EncodedTools struct {
	mu   sync.Mutex
	sets []toolSet
	next int
}

type toolSet struct {
	tools []Tool
	enc   []byte
}

// Encoded gives the encoded form of tools, made by encode when it is not kept. The result must not be changed.
func (e *EncodedTools) Encoded(tools []Tool, encode func([]Tool) []byte) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, set := range e.sets {
		if slices.Equal(set.tools, tools) {
			return set.enc
		}
	}
	set := toolSet{slices.Clone(tools), encode(tools)}
	if len(e.sets) < keptToolSets {
		e.sets = append(e.sets, set)
	} else {
		e.sets[e.next] = set
		e.next = (e.next + 1) % keptToolSets
	}
	return set.enc
}

// Object gives the schema of a tool's arguments, which every protocol wants to be an object's. What is none becomes the
// schema of an object without properties: a tool that was described badly must not make every request fail.
func (t Tool) Object() json.RawMessage {
	if strings.HasPrefix(strings.TrimSpace(t.Schema), "{") && json.Valid([]byte(t.Schema)) {
		return json.RawMessage(t.Schema)
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}
