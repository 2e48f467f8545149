package openai

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

// decoded is all that a decoder did with a stream of chunks, one a line.
func decodedChat(in []byte, slow bool) string {
	var log strings.Builder
	d := newChatDecoder(llm.NewBuilder(func(p llm.Piece) { fmt.Fprintf(&log, "%d %s %s %q\n", p.Index, p.Kind, p.Name, p.Text) }))
	d.slow = slow
	var err error
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		var done bool
		if done, err = d.event(line); done || err != nil {
			break
		}
	}
	d.close()
	return log.String() + outcome(&d.answer, err)
}

func decodedResponses(in []byte, slow bool) string {
	var log strings.Builder
	d := newResponsesDecoder(llm.NewBuilder(func(p llm.Piece) { fmt.Fprintf(&log, "%d %s %s %q\n", p.Index, p.Kind, p.Name, p.Text) }))
	d.slow = slow
	var err error
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		var done bool
		if done, err = d.event(line); done || err != nil {
			break
		}
	}
	return log.String() + outcome(&d.answer, err)
}

func outcome(a *llm.Answer, err error) string {
	kind := llm.ErrorKind("")
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		kind = e.Kind
	}
	return fmt.Sprintf("%q %s %+v %s", a.Model, a.Finish, a.Usage, kind)
}

func FuzzChatIsReadTheSameFastAndSlow(f *testing.F) {
	f.Add([]byte(`{"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"a\u00e9\n"},"finish_reason":null}],"usage":null}` + "\n[DONE]"))
	f.Add([]byte(`{"choices":[{"delta":{"reasoning":"r","content":""}}]}` + "\n" + `{"choices":[{"delta":{"content":"<think>x</think> y"},"finish_reason":"stop"}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":"{"}}]}}]}` + "\n" + `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":{}}}]}}]}`))
	f.Add([]byte(`{"error":{"message":"m","code":500}}`))
	f.Add([]byte(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"text":"t"}]}]}}],"Model":"m"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if fast, slow := decodedChat(in, false), decodedChat(in, true); fast != slow && !strings.Contains(fast, "call_") {
			t.Fatalf("fast:\n%s\nslow:\n%s", fast, slow)
		}
	})
}

func FuzzResponsesIsReadTheSameFastAndSlow(f *testing.F) {
	f.Add([]byte(`{"type":"response.output_text.delta","sequence_number":4,"item_id":"i","output_index":0,"content_index":0,"delta":"a"}`))
	f.Add([]byte(`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c","name":"n"}}` + "\n" + `{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}`))
	f.Add([]byte(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"}}`))
	f.Add([]byte(`{"type":"response.completed","response":{"model":"m","usage":{"input_tokens":1,"output_tokens":2}}}`))
	f.Add([]byte(`{"type":"response.failed","response":{"error":{"code":"server_error","message":"m"}}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if fast, slow := decodedResponses(in, false), decodedResponses(in, true); fast != slow {
			t.Fatalf("fast:\n%s\nslow:\n%s", fast, slow)
		}
	})
}

func TestTheFastPathTakesOrdinaryDeltas(t *testing.T) {
	d := newChatDecoder(llm.NewBuilder(func(llm.Piece) {}))
	for _, chunk := range []string{
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}`,
		`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"\n\"x\""},"finish_reason":null}],"usage":null}`,
		`{"id":"c","choices":[{"delta":{"reasoning_content":"r","content":null}}]}`,
	} {
		assert.True(t, d.fast([]byte(chunk)), chunk)
	}
	for _, chunk := range []string{
		`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`,
		`{"choices":[{"delta":{"content":"x","tool_calls":[]}}]}`,
		`{"choices":[{"delta":{"content":"x","content":"y"}}]}`,
		`{"choices":[{"delta":{"content":"x"}},{"delta":{}}]}`,
		`{"choices":[{"delta":{"content":"x"}}],"usage":{}}`,
		`{"choices":[{"delta":{"Content":"x"}}]}`,
	} {
		assert.False(t, d.fast([]byte(chunk)), chunk)
	}
}

func TestManyCallsWithTheSameIndexAreManyCalls(t *testing.T) {
	b := llm.NewBuilder(func(llm.Piece) {})
	d := newChatDecoder(b)
	for _, id := range []string{"one", "two"} {
		_, err := d.event([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"` + id + `","function":{"name":"read","arguments":"{}"}}]}}]}`))
		require.NoError(t, err)
	}
	blocks := b.Blocks()
	require.Len(t, blocks, 2)
	assert.Equal(t, "two", blocks[1].CallID)
	assert.Equal(t, "{}", blocks[1].Args)
}

func TestThinkTagsAtEveryCut(t *testing.T) {
	const in = "\n<think>a < b </thin k> ü</think>\n\nThe answer <think>stays</think>."
	for size := 1; size < len(in); size++ {
		var text, thought string
		b := llm.NewBuilder(func(llm.Piece) {})
		var tags thinkTags
		for i := 0; i < len(in); i += size {
			tags.add(b, in[i:min(len(in), i+size)])
		}
		tags.flush(b)
		for _, block := range b.Blocks() {
			if block.Kind == llm.Reasoning {
				thought += block.Text
			} else {
				text += block.Text
			}
		}
		assert.Equal(t, "a < b </thin k> ü", thought, "pieces of %d", size)
		assert.Equal(t, "The answer <think>stays</think>.", text, "pieces of %d", size)
	}
}

func TestReasoningDetailsArePutTogether(t *testing.T) {
	b := llm.NewBuilder(func(llm.Piece) {})
	d := newChatDecoder(b)
	for _, chunk := range []string{
		`{"choices":[{"delta":{"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","index":0,"format":"f"}]}}]}`,
		`{"choices":[{"delta":{"reasoning":"think","reasoning_details":[{"type":"reasoning.text","text":"think","index":0}]}}]}`,
		`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0},{"type":"reasoning.encrypted","data":"d","index":1}]}}]}`,
		`{"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}`,
	} {
		_, err := d.event([]byte(chunk))
		require.NoError(t, err)
	}
	d.close()
	blocks := b.Blocks()
	require.Len(t, blocks, 2)
	assert.Equal(t, "I think", blocks[0].Text)
	assert.JSONEq(t, `[{"type":"reasoning.text","text":"I think","signature":"s","index":0,"format":"f"},{"type":"reasoning.encrypted","data":"d","index":1}]`, llm.MetaOf(blocks[0].Meta, detailsProtocol))
}

func TestUsageCountsEachTokenOnce(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want llm.Usage
	}{
		"OpenAI":     {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":5}}`, llm.Usage{Input: 20, CacheRead: 80, Output: 20, Reasoning: 5}},
		"DeepSeek":   {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40}`, llm.Usage{Input: 40, CacheRead: 60, Output: 20}},
		"Moonshot":   {`{"prompt_tokens":100,"completion_tokens":20,"cached_tokens":30}`, llm.Usage{Input: 70, CacheRead: 30, Output: 20}},
		"xAI":        {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":150,"completion_tokens_details":{"reasoning_tokens":30}}`, llm.Usage{Input: 100, Output: 50, Reasoning: 30}},
		"OpenRouter": {`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":50,"cache_write_tokens":10}}`, llm.Usage{Input: 40, CacheRead: 50, CacheWrite: 10, Output: 20}},
	} {
		d := newChatDecoder(llm.NewBuilder(func(llm.Piece) {}))
		_, err := d.event([]byte(`{"choices":[],"usage":` + c.in + `}`))
		require.NoError(t, err)
		assert.Equal(t, c.want, d.answer.Usage, name)
	}
}
