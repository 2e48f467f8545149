package llm

import (
	"encoding/json"
	"strings"
)

// NewMeta wraps what a provider wants back (a JSON text) with the name of the protocol that it belongs to.
func NewMeta(protocol, value string) string {
	b, err := json.Marshal(struct {
		Protocol string          `json:"p"`
		Value    json.RawMessage `json:"v"`
	}{protocol, json.RawMessage(value)})
	if err != nil {
		return "" // value was no JSON: nothing can be given back
	}
	return string(b)
}

// MetaOf gives what NewMeta wrapped if it is of this protocol, else "".
func MetaOf(meta, protocol string) string {
	if meta == "" {
		return ""
	}
	var m struct {
		Protocol string          `json:"p"`
		Value    json.RawMessage `json:"v"`
	}
	if json.Unmarshal([]byte(meta), &m) != nil || m.Protocol != protocol {
		return ""
	}
	return string(m.Value)
}

// ObjectArgs gives the arguments of a call as a JSON object, which every protocol requires in a request: what a model
// wrote wrongly becomes an empty object (the result that follows says what was wrong).
func ObjectArgs(args string) string {
	args = strings.TrimSpace(args)
	if args == "" || args[0] != '{' || !json.Valid([]byte(args)) {
		return "{}"
	}
	return args
}
