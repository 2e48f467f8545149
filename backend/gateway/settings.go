package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

const (
	settingsKey   = "settings"
	minFontSize   = 10
	maxFontSize   = 28
	plainFontSize = 14
)

// settingsCache holds what sessions ask often.
type settingsCache struct {
	mu     sync.Mutex
	known  bool
	cached wire.Settings
}

func (c *settingsCache) get() (wire.Settings, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cached, c.known
}

func (c *settingsCache) set(s wire.Settings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known || s.Revision > c.cached.Revision { // a slow reader must not bring former ones back
		c.cached, c.known = s, true
	}
}

func (c *settingsCache) titles() bool {
	s, known := c.get()
	return !known || s.TitleModelAuto
}

func defaultSettings() wire.Settings {
	return wire.Settings{Theme: "system", Language: "system", SendKey: "enter", FontSize: plainFontSize, TitleModelAuto: true}
}

// Settings gives the preferences.
func (g *Gateway) Settings(ctx context.Context) (*wire.Settings, error) {
	if s, ok := g.settings.get(); ok {
		return &s, nil
	}
	s := defaultSettings()
	row, err := g.deps.Store.Read().GetSetting(ctx, settingsKey)
	if err != nil && !missing(err) {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	if err == nil {
		if err := json.Unmarshal([]byte(row.Value), &s); err != nil {
			return nil, fmt.Errorf("decode the settings: %w", err)
		}
		s.Revision = row.Revision
	}
	g.settings.set(s)
	return &s, nil
}

// SetSettings changes the preferences; their Revision must be the one that was read.
func (g *Gateway) SetSettings(ctx context.Context, s wire.Settings) (*wire.Settings, error) {
	if err := checkSettings(s); err != nil {
		return nil, err
	}
	err := g.exclusive(ctx, func() error {
		former, err := g.Settings(ctx)
		if err != nil {
			return err
		}
		if former.Revision != s.Revision {
			return wire.Reject(wire.CodeRevisionConflict, "The settings were changed elsewhere (revision %d, you have %d).", former.Revision, s.Revision)
		}
		if s.DefaultFolder != "" && s.DefaultFolder != former.DefaultFolder {
			if s.DefaultFolder, _, err = g.deps.Folders.Check(s.DefaultFolder, g.deps.Store.Dir); err != nil {
				return err
			}
		}
		s.Revision++
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if err := g.deps.Store.Write(ctx, func(q *db.Queries) error { return q.SetSetting(ctx, settingsKey, s.Revision, string(text)) }); err != nil {
			return err
		}
		g.settings.set(s) // under the gate, so that the next change is compared with this one
		g.announce(wire.Change{Settings: &s})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &s, nil
}

func checkSettings(s wire.Settings) error {
	one := func(value string, allowed ...string) bool {
		for _, a := range allowed {
			if a == value {
				return true
			}
		}
		return false
	}
	switch {
	case !one(s.Theme, "system", "light", "dark", "contrast"):
		return wire.Reject(wire.CodeInvalidRequest, "The theme %q does not exist.", s.Theme)
	case !one(s.Language, "system", "en", "de"):
		return wire.Reject(wire.CodeInvalidRequest, "The language %q is not available.", s.Language)
	case !one(s.SendKey, "enter", "mod_enter"):
		return wire.Reject(wire.CodeInvalidRequest, "The sending key %q does not exist.", s.SendKey)
	case s.FontSize < minFontSize || s.FontSize > maxFontSize:
		return wire.Reject(wire.CodeInvalidRequest, "The font size is %d to %d.", minFontSize, maxFontSize)
	}
	return nil
}
