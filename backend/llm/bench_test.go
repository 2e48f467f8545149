package llm_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"mobius/backend/llm"
	"mobius/backend/llm/modeltest"
	"mobius/backend/llm/transport"
)

// recorded is a server whose answer was recorded: it shows what an adapter costs without any network.
type recorded struct {
	body        []byte
	contentType string
}

func (r *recorded) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	body := r.body
	if req.URL.Path == "/api/show" || req.URL.Path == "/api/ps" {
		body = []byte("{}")
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {r.contentType}}, Body: io.NopCloser(bytes.NewReader(body)), Request: req}, nil
}

type recorder struct {
	rt   http.RoundTripper
	body *recorded
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.rt.RoundTrip(req)
	if err != nil || req.URL.Path == "/api/show" || req.URL.Path == "/api/ps" {
		return res, err
	}
	b, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	r.body = &recorded{b, res.Header.Get("Content-Type")}
	res.Body = io.NopCloser(bytes.NewReader(b))
	return res, err
}

// record gives the answer of a protocol to one request.
func record(tb testing.TB, a adapter, reply modeltest.Reply) *recorded {
	tb.Helper()
	s := modeltest.New(tb, modeltest.Always(reply))
	client := transport.NewClient()
	defer client.CloseIdleConnections()
	r := &recorder{rt: client.Transport}
	_, err := a.model(&http.Client{Transport: r}, s.Base(a.protocol), "test-model", 0).Stream(context.Background(), ask("hello"), func(llm.Piece) {})
	require.NoError(tb, err)
	return r.body
}

// BenchmarkDelta is the cost of one delta, from the bytes of the answer to the emitted piece.
func BenchmarkDelta(b *testing.B) {
	const deltas = 5000
	for _, a := range adapters {
		b.Run(string(a.protocol), func(b *testing.B) {
			answer := record(b, a, modeltest.SayWords(deltas))
			model := a.model(&http.Client{Transport: answer}, "http://recorded", "test-model", 0)
			n := 0
			b.ReportAllocs()
			b.ResetTimer()
			for done := 0; done < b.N; done += deltas {
				_, err := model.Stream(context.Background(), ask("hello"), func(llm.Piece) { n++ })
				require.NoError(b, err)
			}
			b.ReportMetric(float64(len(answer.body))/deltas, "B/delta")
		})
	}
}

// BenchmarkStream is a stream over loopback, the server's and the connection's cost included.
func BenchmarkStream(b *testing.B) {
	for _, a := range adapters {
		b.Run(string(a.protocol), func(b *testing.B) {
			s := modeltest.New(b, modeltest.Always(modeltest.SayWords(b.N)))
			model := a.dial(b, s, 0)
			b.ResetTimer()
			_, err := model.Stream(context.Background(), ask("hello"), func(llm.Piece) {})
			require.NoError(b, err)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
		})
	}
}

// BenchmarkRequest is the cost of a request with a long history that was sent before.
func BenchmarkRequest(b *testing.B) {
	for _, a := range adapters {
		b.Run(string(a.protocol), func(b *testing.B) {
			answer := record(b, a, modeltest.Say("hello"))
			model := a.model(&http.Client{Transport: answer}, "http://recorded", "test-model", 0)
			req := ask("hello")
			req.Tools = []llm.Tool{readTool}
			for range 1000 {
				req.Messages = append(req.Messages,
					llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Text, Text: "An answer of some words, as they are."}),
					llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "And a question that follows it."}))
			}
			b.ReportAllocs()
			for b.Loop() {
				_, err := model.Stream(context.Background(), req, func(llm.Piece) {})
				require.NoError(b, err)
			}
		})
	}
}
