package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"mobius/backend/llm"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// Providers makes models of provider instances.
type Providers interface {
	Kinds() []wire.ProviderKind
	// Normalize gives the base URL as it is used, from what a person typed, or an invalid_provider rejection.
	Normalize(kind, baseURL string) (string, error)
	// Model makes a client for one model of an instance.
	Model(instance wire.ProviderInstance, key, model string) (llm.Model, error)
	// Attempts gives the retry policy of an instance; all its requests share its limiter.
	Attempts(instance string) llm.Attempts
	// Info tells what the catalogue knows of a model.
	Info(kind, model string) wire.Model
	// Models asks the instance's server for its models.
	Models(ctx context.Context, instance wire.ProviderInstance, key string) ([]wire.Model, error)
	// Test tries the connection and says plainly how it went.
	Test(ctx context.Context, instance wire.ProviderInstance, key string) wire.ProviderTest
	// Detect finds keys in the environment and model servers on this machine.
	Detect(ctx context.Context) []wire.Detected
	// EnvironmentKey gives the value of a variable that Detect named.
	EnvironmentKey(variable string) string
	// Cost prices usage, in millionths of a US dollar.
	Cost(u llm.Usage, prices *wire.Prices) int64
	// Explain turns the error that ended a request into what the person reads.
	Explain(err error) *wire.Rejection
}

const (
	maxInstances = 100
	maxKey       = 8 << 10 // bytes
	maxModels    = 5000
)

var instanceID = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func (g *Gateway) instance(ctx context.Context, id string) (*wire.ProviderInstance, error) {
	row, err := g.deps.Store.Read().GetProvider(ctx, id)
	if missing(err) {
		return nil, wire.Reject(wire.CodeInvalidProvider, "The provider %q is not set up.", id)
	}
	if err != nil {
		return nil, fmt.Errorf("read the provider: %w", err)
	}
	p := providerRecord(row)
	return &p, nil
}

func providerRecord(r db.Provider) wire.ProviderInstance {
	return wire.ProviderInstance{ID: r.ID, Kind: r.Kind, Name: r.Name, BaseURL: r.BaseUrl, HasKey: r.HasKey != 0, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
}

// Instances lists the provider instances, with a hint of their keys.
func (g *Gateway) Instances(ctx context.Context) (*wire.ProviderList, error) {
	list := &wire.ProviderList{Revision: g.revision.Load(), Providers: []wire.ProviderInstance{}}
	rows, err := g.deps.Store.Read().ListProviders(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the providers: %w", err)
	}
	for _, r := range rows {
		list.Providers = append(list.Providers, g.hinted(providerRecord(r)))
	}
	return list, nil
}

// hinted adds the hint of the key. A key store that does not answer costs the hint only.
func (g *Gateway) hinted(p wire.ProviderInstance) wire.ProviderInstance {
	if !p.HasKey {
		return p
	}
	key, err := g.deps.Keys.Get(p.ID)
	if err != nil {
		slog.Warn("a key could not be read", "provider", p.ID, "error", err)
		return p
	}
	p.KeyHint = wire.KeyHint(key)
	return p
}

// SaveInstance creates or changes an instance; a key in the draft goes to the key store.
func (g *Gateway) SaveInstance(ctx context.Context, draft wire.ProviderDraft) (*wire.ProviderInstance, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var saved *wire.ProviderInstance
	err := g.exclusive(ctx, func() error {
		p, err := g.drafted(ctx, draft)
		if err != nil {
			return err
		}
		if draft.Key != "" {
			if err := g.deps.Keys.Set(p.ID, draft.Key); err != nil {
				return err
			}
			p.HasKey = true
		} else if draft.ID != "" && !p.HasKey {
			if err := g.deps.Keys.Delete(p.ID); err != nil {
				return err
			}
		}
		if err := g.saveInstance(ctx, *p); err != nil {
			return err
		}
		saved = g.announceInstance(*p)
		return nil
	})
	return saved, err
}

// announceInstance is called with the gate held, so that changes are published in their order.
func (g *Gateway) announceInstance(p wire.ProviderInstance) *wire.ProviderInstance {
	g.models.forget()
	p = g.hinted(p)
	g.announce(wire.Change{Provider: &p})
	return &p
}

func (g *Gateway) saveInstance(ctx context.Context, p wire.ProviderInstance) error {
	hasKey := int64(0)
	if p.HasKey {
		hasKey = 1
	}
	return g.deps.Store.Write(ctx, func(q *db.Queries) error {
		return q.UpsertProvider(ctx, db.UpsertProviderParams{ID: p.ID, Kind: p.Kind, Name: p.Name, BaseUrl: p.BaseURL, HasKey: hasKey, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt})
	})
}

// drafted validates a draft and gives the instance that it describes.
func (g *Gateway) drafted(ctx context.Context, draft wire.ProviderDraft) (*wire.ProviderInstance, error) {
	now := g.now()
	p := &wire.ProviderInstance{ID: draft.ID, Kind: draft.Kind, Name: strings.TrimSpace(draft.Name), CreatedAt: now, UpdatedAt: now}
	var kind *wire.ProviderKind
	for _, k := range g.deps.Providers.Kinds() {
		if k.ID == draft.Kind {
			kind = &k
		}
	}
	if kind == nil {
		return nil, wire.Reject(wire.CodeInvalidProvider, "The kind of provider %q does not exist.", draft.Kind)
	}
	if p.Name == "" {
		p.Name = kind.Name
	}
	if len(p.Name) > maxName || len(draft.Key) > maxKey || strings.ContainsFunc(draft.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, wire.Reject(wire.CodeInvalidProvider, "A name has at most %d bytes, and a key is one word of plain characters.", maxName)
	}
	var err error
	if p.BaseURL, err = g.deps.Providers.Normalize(draft.Kind, draft.BaseURL); err != nil {
		return nil, err
	}
	rows, err := g.deps.Store.Read().ListProviders(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the providers: %w", err)
	}
	taken := map[string]bool{}
	for _, r := range rows {
		taken[r.ID] = true
		if r.ID == draft.ID {
			// A key belongs to the address it was given for: it is never sent to another one.
			p.CreatedAt, p.HasKey = r.CreatedAt, r.HasKey != 0 && r.BaseUrl == p.BaseURL && r.Kind == p.Kind
		}
	}
	switch {
	case draft.ID != "" && !taken[draft.ID]:
		return nil, wire.Reject(wire.CodeInvalidProvider, "The provider %q is not set up.", draft.ID)
	case draft.ID == "" && len(rows) >= maxInstances:
		return nil, wire.Reject(wire.CodeInvalidProvider, "There are %d providers already; remove one first.", len(rows))
	case draft.ID == "":
		base := slug(draft.Kind)
		p.ID = base
		for i := 2; taken[p.ID]; i++ {
			p.ID = fmt.Sprintf("%s-%d", base, i)
		}
	}
	if !instanceID.MatchString(p.ID) {
		return nil, wire.Reject(wire.CodeInvalidProvider, "The id %q is not valid.", p.ID)
	}
	return p, nil
}

// RemoveInstance deletes an instance and its key. One that a Bot uses is refused.
func (g *Gateway) RemoveInstance(ctx context.Context, id string) error {
	if err := g.pending(ctx); err != nil {
		return err
	}
	err := g.exclusive(ctx, func() error {
		p, err := g.instance(ctx, id)
		if err != nil {
			return err
		}
		bots, err := g.bots(ctx)
		if err != nil {
			return err
		}
		var users []string
		for _, b := range bots {
			if b.Config.Config.Provider.Instance == id {
				users = append(users, b.Name)
			}
		}
		if len(users) > 0 {
			return wire.Reject(wire.CodeProviderInUse, "%s is used by %s. Give them another model first.", p.Name, strings.Join(users, ", "))
		}
		if p.HasKey {
			if err := g.deps.Keys.Delete(id); err != nil {
				return err
			}
		}
		return g.deps.Store.Write(ctx, func(q *db.Queries) error {
			_, err := q.DeleteProvider(ctx, id)
			return err
		})
	})
	if err != nil {
		return err
	}
	g.models.forget()
	g.announce(wire.Change{Removed: id})
	return nil
}

// SetCredential stores or, when it is empty, removes an instance's key.
func (g *Gateway) SetCredential(ctx context.Context, id, key string) (*wire.ProviderInstance, error) {
	p, err := g.instance(ctx, id)
	if err != nil {
		return nil, err
	}
	if key != "" {
		return g.SaveInstance(ctx, wire.ProviderDraft{ID: p.ID, Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL, Key: key})
	}
	var saved *wire.ProviderInstance
	err = g.exclusive(ctx, func() error {
		p, err := g.instance(ctx, id) // again: it may have been changed while this waited
		if err != nil {
			return err
		}
		if err := g.deps.Keys.Delete(id); err != nil {
			return err
		}
		p.HasKey, p.UpdatedAt = false, g.now()
		if err := g.saveInstance(ctx, *p); err != nil {
			return err
		}
		saved = g.announceInstance(*p)
		return nil
	})
	return saved, err
}

// TestInstance tries the connection of a draft. Without a key of its own it uses the stored one, but only at the address
// that the key was stored for.
func (g *Gateway) TestInstance(ctx context.Context, draft wire.ProviderDraft) (*wire.ProviderTest, error) {
	p, err := g.drafted(ctx, draft)
	if err != nil {
		return nil, err
	}
	key := draft.Key
	if stored, err := g.instance(ctx, p.ID); key == "" && draft.ID != "" && err == nil && stored.HasKey && stored.BaseURL == p.BaseURL && stored.Kind == p.Kind {
		if key, err = g.deps.Keys.Get(p.ID); err != nil {
			return nil, err
		}
	}
	result := g.deps.Providers.Test(ctx, *p, key)
	return &result, nil
}

// Detect finds what could be set up at once.
func (g *Gateway) Detect(ctx context.Context) []wire.Detected { return g.deps.Providers.Detect(ctx) }

// Kinds lists the kinds of provider.
func (g *Gateway) Kinds() []wire.ProviderKind { return g.deps.Providers.Kinds() }

// Adopt sets up a detected provider. Its key is read from the environment variable that detection named, nowhere else,
// and goes to the address that belongs to that variable, whatever address the caller names.
func (g *Gateway) Adopt(ctx context.Context, found wire.Detected) (*wire.ProviderInstance, error) {
	if found.EnvVar == "" {
		return g.SaveInstance(ctx, wire.ProviderDraft{Kind: found.Kind, Name: found.Name, BaseURL: found.BaseURL})
	}
	for _, d := range g.deps.Providers.Detect(ctx) {
		if d.EnvVar == found.EnvVar && d.Kind == found.Kind {
			return g.SaveInstance(ctx, wire.ProviderDraft{Kind: d.Kind, Name: d.Name, BaseURL: d.BaseURL, Key: g.deps.Providers.EnvironmentKey(d.EnvVar)})
		}
	}
	return nil, wire.Reject(wire.CodeInvalidProvider, "The environment has no key in %s any more.", found.EnvVar)
}
