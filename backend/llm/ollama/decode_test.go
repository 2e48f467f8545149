package ollama

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mobius/backend/llm"
)

// decoded is all that the decoder did with a stream of documents, one a line.
func decoded(in []byte, slow bool) string {
	var log strings.Builder
	d := newDecoder(llm.NewBuilder(func(p llm.Piece) { fmt.Fprintf(&log, "%d %s %s %q\n", p.Index, p.Kind, p.Name, p.Text) }))
	d.slow = slow
	var err error
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		var done bool
		if done, err = d.event(line); done || err != nil {
			break
		}
	}
	kind := llm.ErrorKind("")
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		kind = e.Kind
	}
	return log.String() + fmt.Sprintf("%q %s %+v %s", d.answer.Model, d.answer.Finish, d.answer.Usage, kind)
}

func FuzzLinesAreReadTheSameFastAndSlow(f *testing.F) {
	f.Add([]byte(`{"model":"m","created_at":"x","message":{"role":"assistant","content":"a\u00e9"},"done":false}`))
	f.Add([]byte(`{"model":"m","message":{"role":"assistant","content":"","thinking":"t","tool_calls":[{"function":{"name":"n","arguments":{"a":1}}}]}}` + "\n" + `{"done":true,"done_reason":"length","prompt_eval_count":1,"eval_count":2}`))
	f.Add([]byte(`{"error":"model not found"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if fast, slow := decoded(in, false), decoded(in, true); fast != slow {
			t.Fatalf("fast:\n%s\nslow:\n%s", fast, slow)
		}
	})
}
