package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"mobius/backend/llm"
)

type turn struct {
	Role  string            `json:"role,omitempty"`
	Parts []json.RawMessage `json:"parts"`
}

type textPart struct {
	Text      string `json:"text"`
	Signature string `json:"thoughtSignature,omitempty"`
}

type callPart struct {
	Call      functionCall `json:"functionCall"`
	Signature string       `json:"thoughtSignature,omitempty"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type resultPart struct {
	Response functionResult `json:"functionResponse"`
}

type functionResult struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

type inlinePart struct {
	Inline inlineData `json:"inlineData"`
}

type inlineData struct {
	MIME string `json:"mimeType"`
	Data string `json:"data"`
}

// marshal encodes values that always encode: strings, checked JSON, and lists of them.
func marshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func encodeSigned(m *llm.Message) []byte { return encode(m, kept) }

// encodeStrict is for models that refuse the first call of a message without a signature.
func encodeStrict(m *llm.Message) []byte {
	return encode(m, func(b llm.Block, firstCall bool) string {
		if s := kept(b, firstCall); s != "" || !firstCall {
			return s
		}
		return skipSignature
	})
}

// encodePlain gives back no signature that was kept.
func encodePlain(m *llm.Message) []byte {
	return encode(m, func(_ llm.Block, firstCall bool) string {
		if firstCall {
			return skipSignature
		}
		return ""
	})
}

// kept is the signature that came with a block.
func kept(b llm.Block, _ bool) string {
	var s string
	if meta := llm.MetaOf(b.Meta, protocol); meta != "" {
		_ = json.Unmarshal([]byte(meta), &s) // what is no text is no signature
	}
	return s
}

// encode gives a message in the protocol's form, nil if nothing of it has one.
func encode(m *llm.Message, sign func(b llm.Block, firstCall bool) string) []byte {
	t := turn{Role: "user"}
	if m.Role == llm.RoleAssistant {
		t.Role = "model"
	}
	called := false
	for _, b := range m.Blocks {
		switch b.Kind {
		case llm.Text:
			if p := (textPart{b.Text, sign(b, false)}); p != (textPart{}) {
				t.Parts = append(t.Parts, marshal(p))
			}
		case llm.Reasoning:
			// Thoughts are not sent back; their signatures come with the parts after them.
		case llm.ToolCall:
			t.Parts = append(t.Parts, marshal(callPart{functionCall{callID(b.CallID), b.Name, json.RawMessage(llm.ObjectArgs(b.Args))}, sign(b, !called)}))
			called = true
		case llm.ToolResult:
			key := "result"
			if b.IsError {
				key = "error"
			}
			t.Parts = append(t.Parts, marshal(resultPart{functionResult{callID(b.CallID), b.Name, map[string]string{key: b.Text}}}))
		case llm.Image:
			t.Parts = append(t.Parts, marshal(inlinePart{inlineData{b.MIME, base64.StdEncoding.EncodeToString(b.Data)}}))
		}
	}
	if len(t.Parts) == 0 {
		return nil
	}
	return marshal(t)
}

// callID gives the id of a call if it is the provider's own; without one, calls and results belong together by order.
func callID(id string) string {
	if strings.HasPrefix(id, "call_") {
		return ""
	}
	return id
}
