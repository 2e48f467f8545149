package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"mobius/backend/llm"
	"mobius/backend/session"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// modelCache keeps clients and server lists until an instance changes.
type modelCache struct {
	mu     sync.Mutex
	models map[string]*session.Model
	lists  map[string][]wire.Model
	age    int // changes with every forget: what was made before it is not kept
}

func (c *modelCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.models, c.lists = nil, nil
	c.age++
}

// Resolve gives the model that a Bot has chosen; see session.Models.
func (g *Gateway) Resolve(choice wire.ProviderChoice) (*session.Model, error) {
	cacheKey := choice.Instance + "\x00" + choice.Model
	g.models.mu.Lock()
	cached, age := g.models.models[cacheKey], g.models.age
	g.models.mu.Unlock()
	if cached != nil {
		return cached, nil
	}
	if choice.Instance == "" || choice.Model == "" {
		return nil, wire.Reject(wire.CodeModelUnset, "This Bot has no model yet. Choose one in its profile.")
	}
	ctx, cancel := g.Context(callLimit)
	defer cancel()
	instance, err := g.instance(ctx, choice.Instance)
	if err != nil && wire.CodeOf(err) != wire.CodeInvalidProvider {
		return nil, err
	}
	if err != nil {
		return nil, wire.Reject(wire.CodeModelUnset, "The provider %q of this Bot is not set up any more. Choose another model in its profile.", choice.Instance)
	}
	key := ""
	if instance.HasKey {
		if key, err = g.deps.Keys.Get(instance.ID); err != nil {
			return nil, err
		}
	}
	client, err := g.deps.Providers.Model(*instance, key, choice.Model)
	if err != nil {
		return nil, err
	}
	info, err := g.modelInfo(ctx, *instance, choice.Model)
	if err != nil {
		return nil, err
	}
	m := &session.Model{
		Model: client, Provider: instance.ID, ID: choice.Model, MaxOutput: info.MaxOutput, Attempts: g.deps.Providers.Attempts(instance.ID),
		Cost: func(u llm.Usage) int64 { return g.deps.Providers.Cost(u, info.Prices) },
	}
	g.models.mu.Lock()
	defer g.models.mu.Unlock()
	if g.models.age != age {
		return m, nil
	}
	if g.models.models == nil {
		g.models.models = map[string]*session.Model{}
	}
	g.models.models[cacheKey] = m
	return m, nil
}

// modelInfo is the person's override, else what the instance's server said, else what the catalogue knows.
func (g *Gateway) modelInfo(ctx context.Context, instance wire.ProviderInstance, model string) (wire.Model, error) {
	rows, err := g.deps.Store.Read().ListModelOverrides(ctx, instance.ID)
	if err != nil {
		return wire.Model{}, fmt.Errorf("read the overrides: %w", err)
	}
	for _, r := range rows {
		if r.Model == model {
			var m wire.Model
			if err := json.Unmarshal([]byte(r.Info), &m); err != nil {
				return m, fmt.Errorf("decode an override: %w", err)
			}
			return m, nil
		}
	}
	g.models.mu.Lock()
	list := g.models.lists[instance.ID]
	g.models.mu.Unlock()
	for _, m := range list { // its server knows best what it runs
		if m.ID == model {
			return m, nil
		}
	}
	return g.deps.Providers.Info(instance.Kind, model), nil
}

// InstanceModels lists an instance's models: what its server says, with what the catalogue and the person know.
func (g *Gateway) InstanceModels(ctx context.Context, id string, refresh bool) ([]wire.Model, error) {
	g.models.mu.Lock()
	list, known := g.models.lists[id]
	age := g.models.age
	g.models.mu.Unlock()
	if !known || refresh {
		p, err := g.instance(ctx, id)
		if err != nil {
			return nil, err
		}
		key := ""
		if p.HasKey {
			if key, err = g.deps.Keys.Get(id); err != nil {
				return nil, err
			}
		}
		if list, err = g.deps.Providers.Models(ctx, *p, key); err != nil {
			return nil, g.deps.Providers.Explain(err)
		}
		list = list[:min(len(list), maxModels)]
		g.models.mu.Lock()
		if g.models.lists == nil {
			g.models.lists = map[string][]wire.Model{}
		}
		if g.models.age == age {
			g.models.lists[id] = list
		}
		g.models.mu.Unlock()
	}
	return g.overridden(ctx, id, list)
}

func (g *Gateway) overridden(ctx context.Context, id string, list []wire.Model) ([]wire.Model, error) {
	rows, err := g.deps.Store.Read().ListModelOverrides(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the overrides: %w", err)
	}
	out := append([]wire.Model{}, list...)
	for _, r := range rows {
		var m wire.Model
		if err := json.Unmarshal([]byte(r.Info), &m); err != nil {
			return nil, fmt.Errorf("decode an override: %w", err)
		}
		found := false
		for i := range out {
			if out[i].ID == m.ID {
				out[i], found = m, true
			}
		}
		if !found {
			out = append(out, m)
		}
	}
	return out, nil
}

// SetModel overrides what is known about a model of an instance.
func (g *Gateway) SetModel(ctx context.Context, id string, m wire.Model) error {
	if m.ID == "" || len(m.ID) > 256 || len(m.Name) > 256 || m.ContextWindow < 0 || m.MaxOutput < 0 || len(m.Efforts) > 16 ||
		m.Prices != nil && (m.Prices.Input < 0 || m.Prices.Output < 0 || m.Prices.CacheRead < 0 || m.Prices.CacheWrite < 0) {
		return wire.Reject(wire.CodeInvalidProvider, "A model has a name, and its numbers are not negative.")
	}
	m.Source = "override"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	err = g.exclusive(ctx, func() error {
		if _, err := g.instance(ctx, id); err != nil {
			return err
		}
		return g.deps.Store.Write(ctx, func(q *db.Queries) error { return q.SetModelOverride(ctx, id, m.ID, string(text)) })
	})
	if err == nil {
		g.models.forget()
	}
	return err
}
