package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"mobius/backend/llm"
)

func TestBuilderPutsPiecesTogether(t *testing.T) {
	var pieces []llm.Piece
	b := llm.NewBuilder(func(p llm.Piece) { pieces = append(pieces, p) })
	b.Append(llm.Reasoning, "hm")
	b.Append(llm.Reasoning, "…")
	b.Append(llm.Text, "")
	b.Append(llm.Text, "one")
	call := b.Open(llm.Block{Kind: llm.ToolCall, CallID: "c", Name: "read"})
	b.Add(call, `{"a"`)
	b.Add(call, `:1}`)
	b.Append(llm.Text, "two")

	assert.Equal(t, []llm.Block{
		{Kind: llm.Reasoning, Text: "hm…"}, {Kind: llm.Text, Text: "one"}, {Kind: llm.ToolCall, CallID: "c", Name: "read", Args: `{"a":1}`}, {Kind: llm.Text, Text: "two"},
	}, b.Blocks())
	assert.Equal(t, len("hm…")+len("one")+len(`{"a":1}`)+len("two"), b.Size())
	assert.True(t, b.HasCalls())
	assert.Equal(t, 1, b.Find(llm.Text))
	assert.Equal(t, llm.Piece{Index: 2, Kind: llm.ToolCall, CallID: "c", Name: "read"}, pieces[3])
	assert.Len(t, pieces, 7)
}

func TestBlocksWithoutTextStayOnlyForTheirMeta(t *testing.T) {
	b := llm.NewBuilder(func(llm.Piece) {})
	b.Open(llm.Block{Kind: llm.Text})
	signed := b.Open(llm.Block{Kind: llm.Reasoning})
	b.SetMeta(signed, llm.NewMeta("p", `"secret"`))
	blocks := b.Blocks()
	assert.Len(t, blocks, 1)
	assert.JSONEq(t, `"secret"`, llm.MetaOf(blocks[0].Meta, "p"))
	assert.Empty(t, llm.MetaOf(blocks[0].Meta, "q"), "another protocol does not see it")
}

func TestToolsAreEncodedOncePerSet(t *testing.T) {
	var e llm.EncodedTools
	times := 0
	encode := func(tools []llm.Tool) []byte {
		times++
		return []byte(tools[0].Name)
	}
	set := func(name string) []llm.Tool { return []llm.Tool{{Name: name}} }
	for range 3 {
		assert.Equal(t, "a", string(e.Encoded(set("a"), encode)))
		assert.Equal(t, "b", string(e.Encoded(set("b"), encode)))
	}
	assert.Equal(t, 2, times)
	for i := range 100 { // more sets than are kept
		name := string(rune('A' + i%26))
		assert.Equal(t, name, string(e.Encoded(set(name), encode)))
	}
}

func TestArgumentsAndSchemasAreObjectsWhateverTheyWere(t *testing.T) {
	for in, want := range map[string]string{``: `{}`, ` {"a":1} `: `{"a":1}`, `{"a":`: `{}`, `[1]`: `{}`, `"x"`: `{}`, `null`: `{}`} {
		assert.Equal(t, want, llm.ObjectArgs(in), in)
	}
	for _, in := range []string{`{"type":"object"}`, ``, `{`, `[]`} {
		assert.True(t, json.Valid(llm.Tool{Schema: in}.Object()), in)
	}
}

func TestCallIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := llm.NewCallID()
		assert.False(t, seen[id])
		seen[id] = true
	}
}
