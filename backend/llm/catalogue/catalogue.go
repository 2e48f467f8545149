// Package catalogue knows models without asking anybody: context windows, abilities and prices, from the list that the
// module charm.land/catwalk ships. It is read at the first question, off the start path, and reduced to what is asked for.
package catalogue

import (
	"math"
	"regexp"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/embedded"

	"mobius/backend/llm"
	"mobius/backend/wire"
)

// Catalogue looks models up. It is safe for concurrent use.
type Catalogue struct {
	once   sync.Once
	models map[string]map[string]wire.Model // provider → id → model
}

// names maps a kind of provider to the list's name for it, where they differ.
var names = map[string]string{"openai-chat": "openai", "moonshot": "moonshot"}

func (c *Catalogue) load() {
	c.models = map[string]map[string]wire.Model{}
	for _, p := range embedded.GetAll() {
		list := make(map[string]wire.Model, len(p.Models))
		for _, m := range p.Models {
			list[m.ID] = wire.Model{
				ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, MaxOutput: m.DefaultMaxTokens, Reasoning: m.CanReason, Efforts: m.ReasoningLevels,
				Images: m.SupportsImages, Tools: true, Source: "catalogue",
				// The list calls what is written to the cache "cached input" and what is read from it "cached output".
				Prices: &wire.Prices{Input: m.CostPer1MIn, Output: m.CostPer1MOut, CacheRead: m.CostPer1MOutCached, CacheWrite: m.CostPer1MInCached},
			}
		}
		c.models[string(p.ID)] = list
	}
}

var dated = regexp.MustCompile(`-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$`)

// Lookup tells what is known of a model of a kind of provider. One that is not known comes back with its id and source
// "server", and without numbers.
func (c *Catalogue) Lookup(kind, id string) wire.Model {
	c.once.Do(c.load)
	if name, ok := names[kind]; ok {
		kind = name
	}
	if m, ok := c.find(kind, id); ok {
		m.ID = id
		return m
	}
	return wire.Model{ID: id, Name: id, Tools: true, Source: "server"}
}

func (c *Catalogue) find(kind, id string) (wire.Model, bool) {
	list := c.models[kind]
	plain := strings.TrimPrefix(id, "models/")
	for _, candidate := range []string{id, plain, dated.ReplaceAllString(plain, "")} {
		if m, ok := list[candidate]; ok {
			return m, true
		}
	}
	for known, m := range list { // an undated name that the list knows by its date
		if dated.ReplaceAllString(known, "") == plain {
			return m, true
		}
	}
	return wire.Model{}, false
}

// Known lists what the catalogue has of a kind of provider.
func (c *Catalogue) Known(kind string) []wire.Model {
	c.once.Do(c.load)
	if name, ok := names[kind]; ok {
		kind = name
	}
	list := make([]wire.Model, 0, len(c.models[kind]))
	for _, m := range c.models[kind] {
		list = append(list, m)
	}
	return list
}

// Cost prices usage in millionths of a US dollar: dollars a million tokens are millionths a token. A cache price that is
// not known (0 while input costs something) counts as input. 0 when prices are nil.
func Cost(u llm.Usage, p *wire.Prices) int64 {
	if p == nil {
		return 0
	}
	read, write := p.CacheRead, p.CacheWrite
	if read == 0 {
		read = p.Input
	}
	if write == 0 {
		write = p.Input
	}
	sum := float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*read + float64(u.CacheWrite)*write
	if sum <= 0 || math.IsNaN(sum) {
		return 0
	}
	return int64(math.Round(min(sum, 1<<53)))
}
