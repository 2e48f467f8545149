package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"mobius/backend/llm"
)

type content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Cache     *cacheControl   `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

func encodeThinking(m *llm.Message) []byte { return encode(m, true) }

func encodePlain(m *llm.Message) []byte { return encode(m, false) }

// encode gives a message in the protocol's form, nil if nothing of it has one. Its last block takes a cache mark.
func encode(m *llm.Message, echo bool) []byte {
	role := "user"
	if m.Role == llm.RoleAssistant {
		role = "assistant"
	}
	var parts, held []json.RawMessage
	for _, b := range m.Blocks {
		if b.Kind == llm.Reasoning {
			if v := llm.MetaOf(b.Meta, protocol); v != "" && echo {
				held = append(held, json.RawMessage(v)) // as it came; without its signature it would be refused
			}
			continue
		}
		if p := part(b); p != nil {
			parts = append(append(parts, held...), p) // thinking must not be the last block
			held = nil
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return marshal(struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	}{role, parts})
}

func part(b llm.Block) json.RawMessage {
	switch b.Kind {
	case llm.Text:
		if strings.TrimSpace(b.Text) == "" {
			return nil // refused by the protocol
		}
		return marshal(content{Type: "text", Text: b.Text})
	case llm.ToolCall:
		return marshal(content{Type: "tool_use", ID: callID(b.CallID), Name: b.Name, Input: json.RawMessage(llm.ObjectArgs(b.Args))})
	case llm.ToolResult:
		text := b.Text
		if strings.TrimSpace(text) == "" {
			text = "(no output)"
		}
		return marshal(content{Type: "tool_result", ToolUseID: callID(b.CallID), Content: text, IsError: b.IsError})
	case llm.Image:
		return marshal(content{Type: "image", Source: &source{"base64", b.MIME, base64.StdEncoding.EncodeToString(b.Data)}})
	}
	return nil
}

// callID gives the id of a call as the protocol takes it: other providers use other characters.
func callID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// marshal encodes values that always encode: strings, checked JSON, and lists of them.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
