package catalogue

import (
	"math"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	"github.com/stretchr/testify/assert"

	"mobius/backend/llm"
	"mobius/backend/wire"
)

func TestModelsAreFoundUnderTheirNames(t *testing.T) {
	var c Catalogue
	for _, x := range []struct {
		kind, id string
		window   int64
		priced   bool
	}{
		{"anthropic", "claude-opus-4-5-20251101", 200_000, true},
		{"anthropic", "claude-opus-4-5", 200_000, true},
		{"anthropic", "claude-opus-4-5-latest", 200_000, true},
		{"openai", "gpt-4o", 128_000, true},
		{"openai", "gpt-4o-2024-08-06", 128_000, true},
		{"openai_chat", "gpt-4o", 128_000, true},
		{"gemini", "models/gemini-2.5-pro", 1_048_576, true},
		{"openrouter", "anthropic/claude-opus-4.5", 200_000, true},
		{"compatible", "openai/gpt-4o", 128_000, false},
		{"compatible", "gpt-4o", 128_000, false},
		{"ollama", "gpt-4o", 0, false},
		{"openai", "nobody-knows-me", 0, false},
		{"no such kind", "nobody-knows-me", 0, false},
	} {
		m := c.Lookup(x.kind, x.id)
		assert.Equal(t, x.id, m.ID, "%s %s", x.kind, x.id)
		assert.Equal(t, x.window, m.ContextWindow, "%s %s", x.kind, x.id)
		assert.Equal(t, x.priced, m.Prices != nil && m.Prices.Input > 0, "%s %s", x.kind, x.id)
		if x.window == 0 {
			assert.Equal(t, SourceServer, m.Source)
		} else {
			assert.Equal(t, SourceCatalogue, m.Source)
		}
	}
}

func TestAnOverrideWins(t *testing.T) {
	c := Catalogue{Overrides: map[string]wire.Model{"openai/gpt-4o": {Name: "Mine", ContextWindow: 7}}}
	m := c.Lookup("openai", "gpt-4o")
	assert.EqualValues(t, 7, m.ContextWindow)
	assert.Equal(t, SourceOverride, m.Source)
	assert.Equal(t, "gpt-4o", m.ID)
}

func TestTheCachePricesAreToldApartByTheirAmount(t *testing.T) {
	for name, c := range map[string]struct {
		in   catwalk.Model
		want wire.Prices
	}{
		"write and read":        {catwalk.Model{CostPer1MIn: 5, CostPer1MOut: 25, CostPer1MInCached: 6.25, CostPer1MOutCached: 0.5}, wire.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}},
		"read in the first":     {catwalk.Model{CostPer1MIn: 5, CostPer1MOut: 30, CostPer1MInCached: 0.5}, wire.Prices{Input: 5, Output: 30, CacheRead: 0.5}},
		"read in the second":    {catwalk.Model{CostPer1MIn: 2.5, CostPer1MOut: 10, CostPer1MOutCached: 1.25}, wire.Prices{Input: 2.5, Output: 10, CacheRead: 1.25}},
		"read in both":          {catwalk.Model{CostPer1MIn: 1.75, CostPer1MOut: 14, CostPer1MInCached: 0.175, CostPer1MOutCached: 0.175}, wire.Prices{Input: 1.75, Output: 14, CacheRead: 0.175}},
		"output in the second":  {catwalk.Model{CostPer1MIn: 0.75, CostPer1MOut: 3.75, CostPer1MInCached: 0.075, CostPer1MOutCached: 3.75}, wire.Prices{Input: 0.75, Output: 3.75, CacheRead: 0.075}},
		"free":                  {catwalk.Model{}, wire.Prices{}},
		"writing costs as much": {catwalk.Model{CostPer1MIn: 2, CostPer1MOut: 8, CostPer1MInCached: 2, CostPer1MOutCached: 0.2}, wire.Prices{Input: 2, Output: 8, CacheRead: 0.2, CacheWrite: 2}},
	} {
		assert.Equal(t, c.want, *prices(&c.in), name)
	}
}

func TestNoPriceInTheListMakesNoSense(t *testing.T) {
	for _, p := range embedded.GetAll() {
		for i := range p.Models {
			got := prices(&p.Models[i])
			if got.CacheRead > got.Input || got.CacheWrite > 0 && got.CacheWrite < got.Input {
				t.Errorf("%s %s: %+v", p.ID, p.Models[i].ID, got)
			}
		}
	}
}

func TestCost(t *testing.T) {
	p := &wire.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	for name, c := range map[string]struct {
		usage  llm.Usage
		prices *wire.Prices
		want   int64
	}{
		"each kind apart":          {llm.Usage{Input: 1000, Output: 100, CacheRead: 10_000, CacheWrite: 2000}, p, 3000 + 1500 + 3000 + 7500},
		"rounded":                  {llm.Usage{CacheRead: 5}, p, 2},
		"reasoning is in output":   {llm.Usage{Output: 100, Reasoning: 90}, p, 1500},
		"unknown cache prices":     {llm.Usage{CacheRead: 100, CacheWrite: 100}, &wire.Prices{Input: 2}, 400},
		"free":                     {llm.Usage{Input: 100, CacheRead: 100}, &wire.Prices{}, 0},
		"unknown":                  {llm.Usage{Input: 100}, nil, 0},
		"beyond all bounds":        {llm.Usage{Input: math.MaxInt64, Output: math.MaxInt64}, p, mostCost},
		"prices that are none":     {llm.Usage{Input: 100, Output: 100}, &wire.Prices{Input: math.NaN(), Output: math.Inf(1)}, 0},
		"tokens that are negative": {llm.Usage{Input: -100, Output: 100}, p, 1500},
	} {
		assert.Equal(t, c.want, Cost(c.usage, c.prices), name)
	}
}

func BenchmarkLookup(b *testing.B) {
	var c Catalogue
	for b.Loop() {
		c.Lookup("openai", "gpt-4o")
		c.Lookup("compatible", "nobody-knows-me")
	}
}
