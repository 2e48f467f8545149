package gemini

import (
	"encoding/json"
	"strings"

	"mobius/backend/llm"
)

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type functions struct {
	List []function `json:"functionDeclarations"`
}

func encodeTools(tools []llm.Tool) []byte {
	var all functions
	for _, t := range tools {
		all.List = append(all.List, function{t.Name, t.Description, Schema(t.Schema)})
	}
	return marshal([]functions{all})
}

const maxNesting = 16 // of a schema; deeper, anything goes

// Schema rewrites a JSON Schema into the protocol's dialect of OpenAPI's: it knows few keywords and refuses the others.
// References are put in place, constants become enumerations, "oneOf" becomes "anyOf", and what has no counterpart is
// left out: the tool itself checks its arguments. nil when the arguments have no properties.
func Schema(schema string) json.RawMessage {
	var s map[string]any
	if json.Unmarshal([]byte(schema), &s) != nil {
		return nil
	}
	out := (&rewriter{root: s}).schema(s, 0)
	if p, ok := out["properties"].(map[string]any); !ok || len(p) == 0 {
		return nil // an object without properties is refused
	}
	return marshal(out)
}

const maxNodes = 5000 // of a schema once its references are in place: one that refers to itself would have no end

type rewriter struct {
	root  map[string]any
	nodes int
}

// copied are the keywords that mean the same in both.
var copied = [...]string{"description", "title", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "minProperties", "maxProperties", "nullable"}

func (r *rewriter) schema(s map[string]any, depth int) map[string]any {
	if r.nodes++; depth > maxNesting || r.nodes > maxNodes {
		return map[string]any{"type": "string"}
	}
	if ref, ok := s["$ref"].(string); ok {
		if target := r.resolve(ref); target != nil {
			return r.schema(merge(target, s), depth+1)
		}
	}
	if all, ok := s["allOf"].([]any); ok {
		whole := merge(s, nil)
		delete(whole, "allOf")
		for _, one := range all {
			if m, ok := one.(map[string]any); ok {
				whole = join(whole, r.inPlace(m))
			}
		}
		return r.schema(whole, depth+1)
	}
	out := map[string]any{}
	for _, k := range copied {
		if v, ok := s[k]; ok {
			out[k] = v
		}
	}
	r.kind(s, out, depth)
	r.choices(s, out)
	if format, ok := s["format"].(string); ok && known(out["type"], format) {
		out["format"] = format
	}
	if properties, ok := s["properties"].(map[string]any); ok && len(properties) > 0 {
		list := map[string]any{}
		for name, p := range properties {
			if m, ok := p.(map[string]any); ok {
				list[name] = r.schema(m, depth+1)
			} else {
				list[name] = map[string]any{"type": "string"}
			}
		}
		out["properties"] = list
		out["required"] = required(s["required"], list)
		if len(out["required"].([]any)) == 0 {
			delete(out, "required")
		}
	}
	if out["type"] == "array" {
		items, _ := s["items"].(map[string]any)
		if items == nil {
			items = map[string]any{"type": "string"} // the dialect wants the kind of items
		}
		out["items"] = r.schema(items, depth+1)
	}
	return out
}

// kind sets the type: a list of types becomes a choice, "null" among them becomes "nullable".
func (r *rewriter) kind(s, out map[string]any, depth int) {
	var options []any
	for _, key := range [...]string{"anyOf", "oneOf"} {
		if list, ok := s[key].([]any); ok {
			options = append(options, list...)
		}
	}
	switch t := s["type"].(type) {
	case string:
		out["type"] = t
	case []any:
		for _, one := range t {
			options = append(options, merge(s, map[string]any{"type": one}))
		}
	}
	var rest []any
	for _, o := range options {
		m, ok := o.(map[string]any)
		if !ok {
			continue
		}
		if m["type"] == "null" {
			out["nullable"] = true
			continue
		}
		rest = append(rest, r.schema(without(m, "anyOf", "oneOf"), depth+1))
	}
	switch {
	case len(rest) == 1:
		for k, v := range rest[0].(map[string]any) {
			if _, has := out[k]; !has {
				out[k] = v
			}
		}
	case len(rest) > 1:
		out["anyOf"] = rest
	}
	if out["type"] == nil && out["anyOf"] == nil {
		out["type"] = guess(s)
	}
}

// guess gives the type of a schema that does not name it.
func guess(s map[string]any) string {
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

// choices takes enumerations over; the dialect has those of texts only.
func (r *rewriter) choices(s, out map[string]any) {
	list, _ := s["enum"].([]any)
	if v, ok := s["const"]; ok {
		list = []any{v}
	}
	var texts []any
	for _, v := range list {
		if t, ok := v.(string); ok && t != "" {
			texts = append(texts, t)
		}
	}
	if len(texts) > 0 && out["type"] == "string" {
		out["enum"] = texts
	}
}

func known(kind any, format string) bool {
	switch kind {
	case "string":
		return format == "enum" || format == "date-time"
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

// required leaves out names that are no properties.
func required(list any, properties map[string]any) []any {
	out := []any{}
	names, _ := list.([]any)
	for _, n := range names {
		if name, ok := n.(string); ok && properties[name] != nil {
			out = append(out, name)
		}
	}
	return out
}

// inPlace gives what a schema refers to, if it is a reference.
func (r *rewriter) inPlace(s map[string]any) map[string]any {
	if ref, ok := s["$ref"].(string); ok {
		if target := r.resolve(ref); target != nil {
			return merge(target, s)
		}
	}
	return s
}

// resolve finds what a reference within the schema means.
func (r *rewriter) resolve(ref string) map[string]any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := r.root
	for step := range strings.SplitSeq(path, "/") {
		next, ok := at[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)].(map[string]any)
		if !ok {
			return nil
		}
		at = next
	}
	return at
}

// merge gives base with the members of over, and without any reference.
func merge(base, over map[string]any) map[string]any {
	out := make(map[string]any, len(base)+len(over))
	for k, v := range base {
		out[k] = v
	}
	for k, v := range over {
		if k != "$ref" {
			out[k] = v
		}
	}
	return out
}

// join is merge for parts of one schema: their properties and required names add up.
func join(a, b map[string]any) map[string]any {
	out := merge(a, b)
	pa, _ := a["properties"].(map[string]any)
	pb, _ := b["properties"].(map[string]any)
	if pa != nil && pb != nil {
		out["properties"] = merge(pa, pb)
	}
	ra, _ := a["required"].([]any)
	rb, _ := b["required"].([]any)
	if ra != nil && rb != nil {
		out["required"] = append(append([]any{}, ra...), rb...)
	}
	return out
}

func without(s map[string]any, keys ...string) map[string]any {
	out := merge(s, nil)
	for _, k := range keys {
		delete(out, k)
	}
	return out
}
