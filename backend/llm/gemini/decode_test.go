package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/llm"
)

// decoded is all that the decoder did with a stream of chunks, one a line.
func decoded(in []byte, slow bool) string {
	var log strings.Builder
	b := llm.NewBuilder(func(p llm.Piece) { fmt.Fprintf(&log, "%d %s %s %q\n", p.Index, p.Kind, p.Name, p.Text) })
	d := newDecoder(b)
	d.slow = slow
	var err error
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		if _, err = d.event(line); err != nil {
			break
		}
	}
	for _, block := range b.Blocks() {
		log.WriteString(block.Meta)
	}
	kind := llm.ErrorKind("")
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		kind = e.Kind
	}
	return log.String() + fmt.Sprintf("%q %s %v %+v %s", d.answer.Model, d.answer.Finish, d.finished, d.counted(), kind)
}

func FuzzChunksAreReadTheSameFastAndSlow(f *testing.F) {
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"text":"a\u00e9"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":3},"modelVersion":"m","responseId":"r"}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"text":"t","thought":true},{"functionCall":{"name":"n","args":{"a":1}},"thoughtSignature":"s"}]},"finishReason":"STOP"}]}`))
	f.Add([]byte(`{"promptFeedback":{"blockReason":"SAFETY"}}` + "\n" + `{"error":{"status":"INTERNAL","message":"m"}}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"s"}]}}],"usageMetadata":null}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if fast, slow := decoded(in, false), decoded(in, true); fast != slow {
			t.Fatalf("fast:\n%s\nslow:\n%s", fast, slow)
		}
	})
}

func TestSchemasBecomeTheProtocolsDialect(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", `{"$schema":"x","type":"object","properties":{"path":{"type":"string","description":"d","default":"."}},"required":["path"],"additionalProperties":false}`, `{"type":"object","properties":{"path":{"type":"string","description":"d"}},"required":["path"]}`},
		{"nullable", `{"type":"object","properties":{"n":{"type":["integer","null"]}}}`, `{"type":"object","properties":{"n":{"type":"integer","nullable":true}}}`},
		{"several types", `{"type":"object","properties":{"n":{"type":["integer","string"]}}}`, `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`},
		{"one of", `{"type":"object","properties":{"n":{"oneOf":[{"type":"string"},{"type":"null"}],"description":"d"}}}`, `{"type":"object","properties":{"n":{"type":"string","nullable":true,"description":"d"}}}`},
		{"constant", `{"type":"object","properties":{"n":{"type":"string","const":"a"}}}`, `{"type":"object","properties":{"n":{"type":"string","enum":["a"]}}}`},
		{"numbers in an enumeration", `{"type":"object","properties":{"n":{"type":"integer","enum":[1,2]}}}`, `{"type":"object","properties":{"n":{"type":"integer"}}}`},
		{"reference", `{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{"x":{"type":"number","exclusiveMinimum":0}}}}}`, `{"type":"object","properties":{"n":{"type":"object","properties":{"x":{"type":"number"}}}}}`},
		{"all of", `{"type":"object","properties":{"n":{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}}}`, `{"type":"object","properties":{"n":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}}}`},
		{"array without items", `{"type":"object","properties":{"n":{"type":"array"}}}`, `{"type":"object","properties":{"n":{"type":"array","items":{"type":"string"}}}}`},
		{"unknown format", `{"type":"object","properties":{"n":{"type":"string","format":"uri"},"t":{"type":"string","format":"date-time"}}}`, `{"type":"object","properties":{"n":{"type":"string"},"t":{"type":"string","format":"date-time"}}}`},
		{"a property named like a keyword", `{"type":"object","properties":{"$ref":{"type":"string"},"const":{"type":"string"}},"required":["const","gone"]}`, `{"type":"object","properties":{"$ref":{"type":"string"},"const":{"type":"string"}},"required":["const"]}`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.JSONEq(t, c.want, string(Schema(c.in))) })
	}
	for _, in := range []string{`{"type":"object","properties":{}}`, `{"type":"object"}`, `no JSON`, `[]`} {
		assert.Nil(t, Schema(in), in)
	}
}

func TestASchemaThatRefersToItselfEnds(t *testing.T) {
	got := Schema(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#/nowhere"}}}`)
	assert.True(t, json.Valid(got))
	assert.Less(t, len(got), 1<<20)
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":["null","object"]},{"allOf":[{"$ref":"#"}]}],"enum":["x"]}},"required":["a"]}`)
	f.Fuzz(func(t *testing.T, in string) {
		if got := Schema(in); got != nil && !json.Valid(got) {
			t.Fatalf("%q became %q", in, got)
		}
	})
}

func TestSignaturesStayWithTheirParts(t *testing.T) {
	b := llm.NewBuilder(func(llm.Piece) {})
	d := newDecoder(b)
	_, err := d.event([]byte(`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"functionCall":{"name":"a","args":{}},"thoughtSignature":"s1"},{"functionCall":{"name":"b","args":{}}},{"text":"","thoughtSignature":"s2"}]},"finishReason":"STOP"}]}`))
	require.NoError(t, err)
	m := llm.NewMessage(llm.RoleAssistant, b.Blocks()...)

	assert.JSONEq(t, `{"role":"model","parts":[{"functionCall":{"name":"a","args":{}},"thoughtSignature":"s1"},{"functionCall":{"name":"b","args":{}}},{"text":"","thoughtSignature":"s2"}]}`, string(encodeStrict(m)))
	other := llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.ToolCall, CallID: "toolu_1", Name: "a"}, llm.Block{Kind: llm.ToolCall, CallID: "toolu_2", Name: "b"})
	assert.JSONEq(t, `{"role":"model","parts":[{"functionCall":{"id":"toolu_1","name":"a","args":{}},"thoughtSignature":"`+skipSignature+`"},{"functionCall":{"id":"toolu_2","name":"b","args":{}}}]}`, string(encodeStrict(other)))
	assert.NotContains(t, string(encodeSigned(other)), "Signature")
}
