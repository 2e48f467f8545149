package anthropic

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/llm"
)

// decoded is all that the decoder did with a stream of events, one a line.
func decoded(in []byte, slow bool) string {
	var log strings.Builder
	b := llm.NewBuilder(func(p llm.Piece) { fmt.Fprintf(&log, "%d %s %s %q\n", p.Index, p.Kind, p.Name, p.Text) })
	d := newDecoder(b)
	d.slow = slow
	var err error
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		var done bool
		if done, err = d.event(line); done || err != nil {
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
	return log.String() + fmt.Sprintf("%q %s %+v %s", d.answer.Model, d.answer.Finish, d.answer.Usage, kind)
}

func FuzzEventsAreReadTheSameFastAndSlow(f *testing.F) {
	f.Add([]byte(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":3}}}` + "\n" + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n" + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\u00e9"}}`))
	f.Add([]byte(`{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}` + "\n" + `{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"t"}}` + "\n" + `{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s"}}` + "\n" + `{"type":"content_block_stop","index":1}`))
	f.Add([]byte(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"i","name":"n","input":{}}}` + "\n" + `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}` + "\n" + `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`))
	f.Add([]byte(`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"d"}}`))
	f.Add([]byte(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if fast, slow := decoded(in, false), decoded(in, true); fast != slow && !strings.Contains(fast, "call_") {
			t.Fatalf("fast:\n%s\nslow:\n%s", fast, slow)
		}
	})
}

func TestArgumentsThatComeWithTheBeginningOfACallAreKept(t *testing.T) {
	b := llm.NewBuilder(func(llm.Piece) {})
	d := newDecoder(b)
	for _, e := range []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"read","input":{"path":"a"}}}`,
		`{"type":"content_block_stop","index":0}`,
	} {
		_, err := d.event([]byte(e))
		require.NoError(t, err)
	}
	call := b.Blocks()[0]
	assert.JSONEq(t, `{"path":"a"}`, call.Args)
	assert.NotEmpty(t, call.CallID)
}

func TestWhichModelsThinkByEffort(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-opus-4-7": true, "claude-opus-4-6": true, "claude-sonnet-4-6-20260219": true, "claude-opus-5": true, "claude-fable-5": true, "anthropic/claude-opus-4.8": true,
		"claude-opus-4-5-20251101": false, "claude-opus-4-20250514": false, "claude-sonnet-4-5": false, "claude-3-7-sonnet-20250219": false, "MiniMax-M2": false,
	} {
		assert.Equal(t, want, adaptive(model), model)
	}
}
