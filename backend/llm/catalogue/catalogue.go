// Package catalogue knows models without asking anybody: context windows, abilities and prices. Its list, models.txt, is
// made from the one that the module charm.land/catwalk ships, reduced to what is asked for; it is searched as it is, so
// that it costs neither time nor memory before somebody asks. A test makes it anew and says when it is out of date
// (go test ./backend/llm/catalogue -update).
package catalogue

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"mobius/backend/wire"
)

// The sources of what is known of a model.
const (
	SourceCatalogue = "catalogue"
	SourceServer    = "server" // nothing but its name
	SourceOverride  = "override"
)

// list has a section for each provider, "#provider" and then a line for each model, sorted by id: id, name, context
// window, output limit, abilities (r reasons, i takes images), efforts, and the four prices, separated by tabs.
//
//go:embed models.txt
var list string

// Catalogue looks models up. The zero value is ready; it is safe for concurrent use.
type Catalogue struct {
	// Overrides replace what is known, by "kind/model". It must not be changed once models are looked up.
	Overrides map[string]wire.Model
}

// names maps a kind of provider to the list's name for it, where they differ.
var names = map[string]string{"openai_chat": "openai", "openai-chat": "openai"}

// local are the kinds that run on the person's own machine. A model that is called like a provider's is not that
// provider's: it costs nothing, and how much it reads is for its server to say.
var local = map[string]bool{"ollama": true, "lmstudio": true, "llamacpp": true, "vllm": true}

// shared is a provider whose list has the models of many others, under "maker/model".
const shared = "openrouter"

// section gives a provider's lines.
func section(provider string) string {
	_, rest, ok := strings.Cut(list, "#"+provider+"\n")
	if !ok || provider == "" {
		return ""
	}
	lines, _, _ := strings.Cut(rest, "#")
	return lines
}

// exact finds the line of an id.
func exact(lines, id string) (wire.Model, bool) {
	if id == "" || strings.ContainsAny(id, "\t\n") {
		return wire.Model{}, false
	}
	at := 0
	if !strings.HasPrefix(lines, id+"\t") {
		if at = strings.Index(lines, "\n"+id+"\t"); at < 0 {
			return wire.Model{}, false
		}
		at++
	}
	line, _, _ := strings.Cut(lines[at:], "\n")
	return parse(line)
}

// newest finds the line whose id is this one with a date behind it, the latest of them.
func newest(lines, id string) (found wire.Model, ok bool) {
	for line := range strings.Lines(lines) {
		dateless, isDated := strings.CutPrefix(line, id+"-")
		if !isDated {
			continue
		}
		rest, _, _ := strings.Cut(dateless, "\t")
		if dated.FindString("-"+rest) != "-"+rest {
			continue
		}
		if m, fine := parse(strings.TrimSuffix(line, "\n")); fine {
			found, ok = m, true // sorted, so the last is the latest
		}
	}
	return found, ok
}

const columns = 10

func parse(line string) (m wire.Model, ok bool) {
	f := strings.Split(line, "\t")
	if len(f) != columns {
		return m, false
	}
	m = wire.Model{ID: f[0], Name: f[1], Tools: true, Source: SourceCatalogue, Reasoning: strings.Contains(f[4], "r"), Images: strings.Contains(f[4], "i"), Prices: &wire.Prices{}}
	m.ContextWindow, _ = strconv.ParseInt(f[2], 10, 64)
	m.MaxOutput, _ = strconv.ParseInt(f[3], 10, 64)
	if f[5] != "" {
		m.Efforts = strings.Split(f[5], ",")
	}
	for i, p := range [...]*float64{&m.Prices.Input, &m.Prices.Output, &m.Prices.CacheRead, &m.Prices.CacheWrite} {
		*p, _ = strconv.ParseFloat(f[6+i], 64)
	}
	return m, true
}

var (
	dated  = regexp.MustCompile(`-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$`)
	tagged = regexp.MustCompile(`[:@][a-zA-Z0-9._-]+$`)
)

// Lookup tells what is known of a model of a kind of provider. One that is not known comes back with its id and source
// "server", and without numbers. A model of a server that is only known by what it speaks gets what is known of the model,
// but no prices and no output limit: they are the server's.
func (c *Catalogue) Lookup(kind, id string) wire.Model {
	if m, ok := c.Overrides[kind+"/"+id]; ok {
		m.ID, m.Source = id, SourceOverride
		return m
	}
	unknown := wire.Model{ID: id, Name: id, Tools: true, Source: SourceServer}
	if local[kind] {
		return unknown
	}
	name := kind
	if n, ok := names[kind]; ok {
		name = n
	}
	if m, ok := find(section(name), id); ok {
		m.ID = id
		return m
	}
	m, ok := elsewhere(name, id)
	if !ok {
		return unknown
	}
	m.ID = id
	if kind != "mistral" { // whose models the shared list passes on as they are
		m.Prices, m.MaxOutput = nil, 0
	}
	return m
}

// find looks in one provider's list: for the id as it is, then without what providers put before or behind a name.
func find(lines, id string) (wire.Model, bool) {
	if lines == "" {
		return wire.Model{}, false
	}
	plain := strings.TrimPrefix(id, "models/")
	bare := plain[strings.LastIndexByte(plain, '/')+1:]
	for _, name := range [...]string{id, plain, tagged.ReplaceAllString(plain, ""), bare, tagged.ReplaceAllString(bare, "")} {
		if m, ok := exact(lines, name); ok {
			return m, true
		}
		undated := dated.ReplaceAllString(name, "")
		if m, ok := exact(lines, undated); ok {
			return m, true
		}
		if m, ok := newest(lines, undated); ok {
			return m, true
		}
	}
	return wire.Model{}, false
}

// makers are where the models of a kind that has no list of its own stand in the shared one.
var makers = [...]string{"mistralai/", "openai/", "anthropic/", "google/", "deepseek/", "x-ai/", "qwen/", "meta-llama/", "moonshotai/", "z-ai/", "minimax/"}

// elsewhere looks a model up that its own provider's list does not have.
func elsewhere(kind, id string) (wire.Model, bool) {
	lines := section(shared)
	lower := strings.ToLower(strings.TrimPrefix(id, "models/"))
	if m, ok := exact(lines, lower); ok {
		return m, true
	}
	bare := tagged.ReplaceAllString(lower[strings.LastIndexByte(lower, '/')+1:], "")
	for _, maker := range makers {
		if kind == "mistral" && maker != makers[0] {
			break
		}
		for _, candidate := range [...]string{maker + bare, maker + dated.ReplaceAllString(bare, "")} {
			if m, ok := exact(lines, candidate); ok {
				return m, true
			}
		}
	}
	return wire.Model{}, false
}

// Known lists what the catalogue has of a kind of provider, by id.
func (c *Catalogue) Known(kind string) []wire.Model {
	if name, ok := names[kind]; ok {
		kind = name
	}
	all := []wire.Model{}
	for line := range strings.Lines(section(kind)) {
		if m, ok := parse(strings.TrimSuffix(line, "\n")); ok {
			all = append(all, m)
		}
	}
	return all
}
