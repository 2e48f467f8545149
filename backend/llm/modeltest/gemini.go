package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"mobius/backend/llm"
)

type geminiProtocol struct{}

func (geminiProtocol) name() Protocol           { return Gemini }
func (geminiProtocol) contentType() string      { return "text/event-stream" }
func (geminiProtocol) key(h http.Header) string { return h.Get("X-Goog-Api-Key") }

func (geminiProtocol) errorBody(status int, kind, text string) string {
	if kind == "" {
		kind = map[int]string{
			400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
		}[status]
	}
	return fmt.Sprintf(`[{"error":{"code":%d,"message":%s,"status":%s}}]`, status, quoted(text), quoted(kind))
}

type geminiPart struct {
	Text      string `json:"text"`
	Thought   bool   `json:"thought"`
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
	Inline *struct {
		MIME string `json:"mimeType"`
		Data string `json:"data"`
	} `json:"inlineData"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiRequest struct {
	System     *geminiContent  `json:"systemInstruction"`
	Contents   []geminiContent `json:"contents"`
	Generation struct {
		MaxOutput int64 `json:"maxOutputTokens"`
	} `json:"generationConfig"`
	Tools []struct {
		Functions []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
			JSONSchema json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

// skipSignature is what the protocol lets a client send in place of a signature that it never got.
const skipSignature = "skip_thought_signature_validator"

func (p geminiProtocol) parse(r *Request, hr *http.Request) {
	model, method, _ := strings.Cut(strings.TrimPrefix(hr.URL.Path, "/v1beta/models/"), ":")
	r.Model = model
	if method != "streamGenerateContent" || hr.URL.Query().Get("alt") != "sse" {
		r.violate("the address is not that of a stream: %s", hr.URL)
	}
	if hr.URL.Query().Has("key") {
		r.violate("the key is in the address")
	}
	var q geminiRequest
	if err := json.Unmarshal(r.Body, &q); err != nil {
		r.violate("the body is not of the protocol: %v", err)
		return
	}
	r.MaxOutput = q.Generation.MaxOutput
	if q.System != nil && len(q.System.Parts) > 0 {
		r.System = q.System.Parts[0].Text
	}
	for i, c := range q.Contents {
		p.content(r, i, c)
	}
	for _, t := range q.Tools {
		for _, f := range t.Functions {
			switch {
			case len(f.Parameters) > 0:
				p.checkSchema(r, f.Name, f.Parameters)
				r.checkTool(f.Name, f.Parameters)
			case len(f.JSONSchema) > 0:
				r.checkTool(f.Name, f.JSONSchema)
			default: // a function without parameters
				r.Tools = append(r.Tools, f.Name)
			}
		}
	}
}

// checkSchema finds the keys that the protocol's own dialect of schemas refuses.
func (geminiProtocol) checkSchema(r *Request, name string, schema json.RawMessage) {
	for _, key := range []string{`"$schema"`, `"$ref"`, `"$defs"`, `"additionalProperties"`, `"const"`, `"exclusiveMinimum"`, `"patternProperties"`, `"oneOf"`} {
		if strings.Contains(string(schema), key+":") {
			r.violate("the schema of tool %q has the key %s", name, key)
		}
	}
}

func (geminiProtocol) content(r *Request, i int, c geminiContent) {
	role := map[string]string{"user": "user", "model": "assistant"}[c.Role]
	if role == "" {
		r.violate("content %d has the role %q", i, c.Role)
	}
	if i == 0 && role != "user" {
		r.violate("the first content is not the user's")
	}
	msg, results := Message{Role: role}, Message{Role: "tool"}
	for _, part := range c.Parts {
		if part.Signature != "" {
			msg.echoes = append(msg.echoes, echo{part.Signature, ""})
		}
		switch {
		case part.Call != nil:
			id := part.Call.ID
			if id == "" {
				id = fmt.Sprintf("%s#%d", part.Call.Name, len(msg.Calls))
			}
			if strings.HasPrefix(r.Model, "gemini-3") && len(msg.Calls) == 0 && part.Signature == "" {
				r.violate("content %d: the first call is missing a thoughtSignature", i)
			}
			msg.Calls = append(msg.Calls, ToolCall{id, part.Call.Name, string(part.Call.Args)})
		case part.Response != nil:
			id := part.Response.ID
			if id == "" {
				id = fmt.Sprintf("%s#%d", part.Response.Name, len(results.Results))
			}
			if !isObject(string(part.Response.Response)) {
				r.violate("content %d has a response that is no object", i)
			}
			results.Results = append(results.Results, ToolResult{ID: id, Name: part.Response.Name, Text: geminiText(part.Response.Response)})
		case part.Inline != nil:
			msg.Images++
		case part.Thought:
			msg.Thought += part.Text
		case part.Text == "" && part.Signature == "":
			r.violate("content %d has an empty part", i)
		default:
			msg.Text += part.Text
		}
	}
	if len(results.Results) > 0 {
		r.Messages = append(r.Messages, results)
		if msg.Text == "" && msg.Images == 0 {
			return
		}
	}
	r.Messages = append(r.Messages, msg)
}

func geminiText(response json.RawMessage) string {
	var m map[string]string
	_ = json.Unmarshal(response, &m)
	for _, v := range m {
		return v
	}
	return ""
}

func (geminiProtocol) check(r *Request, sent *issued) {
	r.checkCommon()
	for i, m := range r.Messages {
		for _, e := range m.echoes {
			if _, ok := sent.get(e.secret); !ok && e.secret != skipSignature {
				r.violate("content %d has a signature that was not sent like this", i)
			}
		}
	}
}

func (geminiProtocol) speak(s *stream) speaker { return &geminiSpeaker{stream: s} }

type geminiSpeaker struct {
	*stream
	item int
}

func (c *geminiSpeaker) tail(finish string, u *llm.Usage) string {
	end := `],"role":"model"}`
	if finish != "" {
		end += `,"finishReason":` + quoted(finish)
	}
	end += `,"index":0}]`
	if u != nil {
		end += fmt.Sprintf(`,"usageMetadata":{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"totalTokenCount":%d}`,
			u.Input+u.CacheRead+u.CacheWrite, u.CacheRead, u.Output-u.Reasoning, u.Reasoning, u.Total())
	}
	return end + fmt.Sprintf(`,"modelVersion":%s,"responseId":"r%d"}`, quoted(c.reply.Model), c.req.N)
}

const geminiHead = `{"candidates":[{"content":{"parts":[`

func (c *geminiSpeaker) start() {}

func (c *geminiSpeaker) open(i int, p *Part) (before, after []byte, ok bool) {
	c.item = i
	switch p.Kind {
	case ReasonPart:
		before, after = c.around("", geminiHead+`{"text":`, `,"thought":true}`+c.tail("", nil))
	case RedactedPart:
		return nil, nil, false
	case CallPart:
		args := p.whole()
		if !json.Valid([]byte(args)) {
			args = quoted(args) // the protocol has no way to send what is no JSON
		}
		id := ""
		if p.ID != "" {
			id = `"id":` + quoted(p.ID) + ","
		}
		secret := encrypted(c.req.N, i, args)
		c.server.issued.put(secret, "")
		c.event("", []byte(fmt.Sprintf(`%s{"functionCall":{%s"name":%s,"args":%s},"thoughtSignature":%s}%s`, geminiHead, id, quoted(p.Name), args, quoted(secret), c.tail("", nil))))
		c.sent++
		return nil, nil, false
	default:
		before, after = c.around("", geminiHead+`{"text":`, "}"+c.tail("", nil))
	}
	return before, after, true
}

func (c *geminiSpeaker) end(*Part) {}

func (c *geminiSpeaker) finish(f llm.Finish, u llm.Usage) {
	reason := map[llm.Finish]string{llm.FinishStop: "STOP", llm.FinishToolCalls: "STOP", llm.FinishLength: "MAX_TOKENS", llm.FinishFilter: "SAFETY"}[f]
	c.event("", []byte(geminiHead+`{"text":""}`+c.tail(reason, &u)))
}

func (c *geminiSpeaker) fault(kind, text string) {
	c.event("", []byte(fmt.Sprintf(`{"error":{"code":503,"message":%s,"status":%s}}`, quoted(text), quoted(kind))))
}
