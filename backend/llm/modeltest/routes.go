package modeltest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// routes are the addresses of a server of the chosen kind.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	kind := s.options.Kind
	chat := s.handle(chatProtocol{})
	mux.HandleFunc("POST /v1/chat/completions", chat)
	mux.HandleFunc("GET /v1/models", s.models)
	switch kind {
	case "":
		mux.HandleFunc("POST /v1/responses", s.handle(responsesProtocol{}))
		mux.HandleFunc("POST /v1/messages", s.handle(anthropicProtocol{}))
		mux.HandleFunc("POST /v1beta/models/", s.handle(geminiProtocol{}))
		mux.HandleFunc("GET /v1beta/models", s.geminiModels)
		s.ollamaRoutes(mux)
	case "ollama":
		s.ollamaRoutes(mux)
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("Ollama is running")) })
	case "lmstudio":
		mux.HandleFunc("GET /api/v0/models", s.studioModels)
	case "llamacpp":
		mux.HandleFunc("GET /props", func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, map[string]any{"default_generation_settings": map[string]any{"n_ctx": s.options.Context}, "total_slots": 1, "build_info": "b7000-test"})
		})
	case "vllm":
		mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]string{"version": "0.11.0"}) })
	}
	mux.HandleFunc("GET /_modeltest/requests", s.report)
	mux.HandleFunc("POST /_modeltest/reset", func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		writeJSON(w, true)
	})
	return mux
}

func (s *Server) ollamaRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/chat", s.handle(ollamaProtocol{}))
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]string{"version": "0.40.12"}) })
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		list := []map[string]any{}
		for _, m := range s.options.Models {
			list = append(list, map[string]any{"name": m.ID, "model": m.ID, "size": 1 << 30, "details": map[string]string{"family": "test"}})
		}
		writeJSON(w, map[string]any{"models": list})
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		list := []map[string]any{}
		if s.options.Context > 0 {
			for _, m := range s.options.Models {
				list = append(list, map[string]any{"name": m.ID, "model": m.ID, "context_length": s.options.Context})
			}
		}
		writeJSON(w, map[string]any{"models": list})
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string `json:"model"`
		}
		_ = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&q)
		for _, m := range s.options.Models {
			if m.ID == q.Model {
				writeJSON(w, map[string]any{
					"model_info":   map[string]any{"general.architecture": "test", "test.context_length": m.Context},
					"capabilities": []string{"completion", "tools", "thinking"}, "parameters": "temperature 0.7",
				})
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
		writeJSON(w, map[string]string{"error": "model '" + q.Model + "' not found"})
	})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(v))
}

// allowed answers a request with a wrong key itself.
func (s *Server) allowed(w http.ResponseWriter, r *http.Request, p protocol) bool {
	if key := s.options.Key; key != "" && p.key(r.Header) != key {
		s.fail(w, p, nil, Reply{Status: http.StatusUnauthorized, Error: "Incorrect API key provided: " + p.key(r.Header)})
		return false
	}
	return true
}

// models is the list of OpenAI and, for who asks so, that of Anthropic.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Anthropic-Version") != "" {
		if !s.allowed(w, r, anthropicProtocol{}) {
			return
		}
		list := []map[string]any{}
		for _, m := range s.options.Models {
			list = append(list, map[string]any{"type": "model", "id": m.ID, "display_name": m.ID, "created_at": "2026-01-01T00:00:00Z"})
		}
		writeJSON(w, map[string]any{"data": list, "has_more": false})
		return
	}
	if !s.allowed(w, r, chatProtocol{}) {
		return
	}
	owner := map[string]string{"": "test", "ollama": "library", "lmstudio": "organization_owner", "llamacpp": "llamacpp", "vllm": "vllm"}[s.options.Kind]
	list := []map[string]any{}
	for _, m := range s.options.Models {
		one := map[string]any{"id": m.ID, "object": "model", "created": 1790000000, "owned_by": owner}
		switch s.options.Kind {
		case "vllm":
			one["max_model_len"] = m.Context
		case "llamacpp":
			one["meta"] = map[string]any{"n_ctx_train": m.Context}
		}
		list = append(list, one)
	}
	writeJSON(w, map[string]any{"object": "list", "data": list})
}

func (s *Server) geminiModels(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, geminiProtocol{}) {
		return
	}
	list := []map[string]any{}
	for _, m := range s.options.Models {
		list = append(list, map[string]any{
			"name": "models/" + m.ID, "displayName": strings.ToUpper(m.ID), "inputTokenLimit": m.Context, "outputTokenLimit": 8192,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"},
		})
	}
	list = append(list, map[string]any{"name": "models/embedding-test", "supportedGenerationMethods": []string{"embedContent"}})
	writeJSON(w, map[string]any{"models": list})
}

func (s *Server) studioModels(w http.ResponseWriter, _ *http.Request) {
	list := []map[string]any{}
	for _, m := range s.options.Models {
		list = append(list, map[string]any{"id": m.ID, "object": "model", "type": "llm", "state": "loaded", "max_context_length": m.Context, "loaded_context_length": s.options.Context})
	}
	writeJSON(w, map[string]any{"object": "list", "data": list})
}

// Entry is one request in the report of a server in a process of its own.
type Entry struct {
	N          int      `json:"n"`
	Protocol   Protocol `json:"protocol"`
	Messages   int      `json:"messages"`
	Bytes      int      `json:"bytes"`
	AtUS       int64    `json:"at_us"`   // Unix time in microseconds at which it was read
	TookUS     int64    `json:"took_us"` // from then to the last byte written, in microseconds; 0 while it runs
	Violations []string `json:"violations,omitempty"`
}

// report gives the requests so far as JSON, for measurements from another process.
func (s *Server) report(w http.ResponseWriter, _ *http.Request) {
	list := []Entry{}
	for _, r := range s.Requests() {
		list = append(list, Entry{r.N, r.Protocol, r.count, r.size, r.At.UnixMicro(), r.Took.Microseconds(), r.Violations})
	}
	writeJSON(w, list)
}
