// Package modeltest is a model server for tests and measurements. It listens on loopback and speaks what real providers
// speak: OpenAI Chat Completions and Responses, Anthropic Messages, Gemini streamGenerateContent, Ollama's chat, and the
// lists of models of each. What it answers is scripted:
//
//	server := modeltest.New(t, modeltest.Queue(
//		modeltest.Reply{Status: 429, Header: http.Header{"Retry-After": {"1"}}},
//		modeltest.Reply{Parts: []modeltest.Part{modeltest.Call("read", `{"path":"a.txt"}`)}},
//		modeltest.Say("done"),
//	))
//
// # Checks
//
// Every request is checked against the rules of its protocol as the provider would: each tool call answered once and
// right after it, no result without its call, arguments that are JSON objects, roles in order, signatures and encrypted
// reasoning given back as they were sent. A violation is answered with 400, kept in [Server.Violations], and fails the
// test that the server belongs to.
//
// # Cost
//
// A delta without delay costs well under two microseconds (see the benchmark), so that a measurement measures its subject.
// [Request.Took] is the server's own time, from the request read to the last byte written.
package modeltest
