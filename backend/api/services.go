package api

import (
	"context"

	"mobius/backend/gateway"
	"mobius/backend/wire"
)

// Bots manages the durable agent profiles.
type Bots struct{ host *Host }

// List gives all Bots.
func (s *Bots) List() (*wire.BotList, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.BotList, error) { return g.Bots(ctx) })
}

// Get gives one Bot.
func (s *Bots) Get(id string) (*wire.Bot, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Bot, error) { return g.Bot(ctx, id) })
}

// Create makes a new Bot.
func (s *Bots) Create(draft wire.BotDraft) (*wire.Bot, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Bot, error) { return g.CreateBot(ctx, draft) })
}

// Update changes a Bot; all its resident sessions run the new profile, or none does.
func (s *Bots) Update(update wire.BotUpdate) (*wire.Bot, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Bot, error) { return g.UpdateBot(ctx, update) })
}

// Delete removes a Bot with everything it owns.
func (s *Bots) Delete(id string, expectedRevision int64) (*wire.BotDeletion, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.BotDeletion, error) {
		return g.DeleteBot(ctx, id, expectedRevision)
	})
}

// Defaults gives what a new Bot starts with.
func (s *Bots) Defaults() (*wire.BotDefaults, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.BotDefaults, error) { return g.BotDefaults(ctx) })
}

// SetDefaults changes what new Bots start with.
func (s *Bots) SetDefaults(expectedRevision int64, config wire.BotConfig) (*wire.BotDefaults, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.BotDefaults, error) {
		return g.SetBotDefaults(ctx, expectedRevision, config)
	})
}

// Capabilities lists what a Bot can be given.
func (s *Bots) Capabilities() ([]wire.CapabilityInfo, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]wire.CapabilityInfo, error) {
		return g.Capabilities(), nil
	})
}

// Sessions manages conversations.
type Sessions struct{ host *Host }

// List gives a page of conversations.
func (s *Sessions) List(query wire.SessionQuery) (*wire.SessionPage, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.SessionPage, error) {
		return g.Sessions(ctx, query)
	})
}

// Create makes a conversation.
func (s *Sessions) Create(draft wire.SessionDraft) (*wire.Session, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Session, error) {
		return g.CreateSession(ctx, draft)
	})
}

// Open gives a conversation's newest page, or what came after a cursor.
func (s *Sessions) Open(req wire.OpenRequest) (*wire.OpenSession, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.OpenSession, error) {
		return g.OpenSession(ctx, req)
	})
}

// History gives an older page.
func (s *Sessions) History(req wire.HistoryRequest) (*wire.EventPage, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.EventPage, error) { return g.History(ctx, req) })
}

// Submit hands one command to a conversation.
func (s *Sessions) Submit(sub wire.Submission) (*wire.Accepted, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Accepted, error) { return g.Submit(ctx, sub) })
}

// Rename sets the title.
func (s *Sessions) Rename(id, title string) (*wire.Session, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Session, error) {
		return g.RenameSession(ctx, id, title)
	})
}

// Pin sets or clears the pin.
func (s *Sessions) Pin(id string, pinned bool) (*wire.Session, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Session, error) {
		return g.PinSession(ctx, id, pinned)
	})
}

// Delete moves conversations to the trash.
func (s *Sessions) Delete(ids []string) ([]string, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]string, error) { return g.DeleteSessions(ctx, ids) })
}

// Undelete takes conversations out of the trash.
func (s *Sessions) Undelete(ids []string) ([]string, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]string, error) { return g.UndeleteSessions(ctx, ids) })
}

// Purge removes conversations of the trash for good; no ids means all of it.
func (s *Sessions) Purge(ids []string) ([]string, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]string, error) { return g.PurgeSessions(ctx, ids) })
}

// Relink binds a conversation to another folder.
func (s *Sessions) Relink(id, workspace string) (*wire.Session, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Session, error) {
		return g.RelinkSession(ctx, id, workspace)
	})
}

// Providers manages the model providers.
type Providers struct{ host *Host }

// Kinds lists the kinds of provider that can be set up.
func (s *Providers) Kinds() ([]wire.ProviderKind, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]wire.ProviderKind, error) { return g.Kinds(), nil })
}

// List gives the configured instances.
func (s *Providers) List() (*wire.ProviderList, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.ProviderList, error) { return g.Instances(ctx) })
}

// Save creates or changes an instance.
func (s *Providers) Save(draft wire.ProviderDraft) (*wire.ProviderInstance, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.ProviderInstance, error) {
		return g.SaveInstance(ctx, draft)
	})
}

// Remove deletes an instance and its key; one that a Bot uses is refused (provider_in_use).
func (s *Providers) Remove(id string) error {
	return do(s.host, func(ctx context.Context, g *gateway.Gateway) error { return g.RemoveInstance(ctx, id) })
}

// SetCredential stores the key of an instance.
func (s *Providers) SetCredential(id, key string) (*wire.ProviderInstance, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.ProviderInstance, error) {
		return g.SetCredential(ctx, id, key)
	})
}

// ClearCredential removes the key of an instance.
func (s *Providers) ClearCredential(id string) (*wire.ProviderInstance, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.ProviderInstance, error) {
		return g.SetCredential(ctx, id, "")
	})
}

// Test tries the connection of a draft without saving it; an empty key uses the stored one of the draft's id.
func (s *Providers) Test(draft wire.ProviderDraft) (*wire.ProviderTest, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.ProviderTest, error) {
		return g.TestInstance(ctx, draft)
	})
}

// Models lists the models of an instance: what its server says, with what the catalogue knows.
func (s *Providers) Models(id string, refresh bool) ([]wire.Model, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]wire.Model, error) {
		return g.InstanceModels(ctx, id, refresh)
	})
}

// SetModel overrides what is known about one model of an instance.
func (s *Providers) SetModel(id string, model wire.Model) error {
	return do(s.host, func(ctx context.Context, g *gateway.Gateway) error { return g.SetModel(ctx, id, model) })
}

// Detect finds keys in the environment and model servers on this machine.
func (s *Providers) Detect() ([]wire.Detected, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) ([]wire.Detected, error) { return g.Detect(ctx), nil })
}

// Adopt sets up a detected provider; a key is taken from the environment into the key store.
func (s *Providers) Adopt(found wire.Detected) (*wire.ProviderInstance, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.ProviderInstance, error) {
		return g.Adopt(ctx, found)
	})
}

// Settings holds the person's preferences.
type Settings struct{ host *Host }

// Get gives the settings.
func (s *Settings) Get() (*wire.Settings, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Settings, error) { return g.Settings(ctx) })
}

// Set changes them; Revision must be the one read (revision_conflict).
func (s *Settings) Set(settings wire.Settings) (*wire.Settings, error) {
	return call(s.host, func(ctx context.Context, g *gateway.Gateway) (*wire.Settings, error) {
		return g.SetSettings(ctx, settings)
	})
}
