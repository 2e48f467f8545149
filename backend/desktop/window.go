package desktop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The sizes of the window, in logical pixels.
const (
	DefaultWidth  = 1200
	DefaultHeight = 800
	MinWidth      = 480
	MinHeight     = 360
	maxSide       = 16384
	// grip is how much of the window has to be on a screen for a person to get hold of it.
	grip = 80
)

// Window is where the window was when it was closed: its normal bounds, and whether it was maximised.
type Window struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	// Placed is false when the position is not known; the window manager then chooses.
	Placed bool `json:"placed"`
}

// Screen is the part of one screen that windows may cover, in the coordinates of the whole desktop.
type Screen struct{ X, Y, Width, Height int }

func windowFile(stateDir string) string { return filepath.Join(stateDir, "window.json") }

// LoadWindow reads where the window was. What is missing or makes no sense gives the default.
func LoadWindow(stateDir string) Window {
	w := Window{Width: DefaultWidth, Height: DefaultHeight}
	b, err := os.ReadFile(windowFile(stateDir))
	if err != nil {
		return w
	}
	var saved Window
	if json.Unmarshal(b, &saved) != nil || saved.Width < MinWidth || saved.Height < MinHeight || saved.Width > maxSide || saved.Height > maxSide {
		return w
	}
	return saved
}

// Save writes where the window is. Bounds that make no sense, such as those of a minimised window, are not saved.
func (w Window) Save(stateDir string) error {
	if w.Width < MinWidth || w.Height < MinHeight || w.Width > maxSide || w.Height > maxSide {
		return nil
	}
	b, err := json.Marshal(w)
	if err != nil {
		return err
	}
	next := windowFile(stateDir) + ".new"
	if err := os.WriteFile(next, b, 0o600); err != nil {
		return fmt.Errorf("save the window's place: %w", err)
	}
	return os.Rename(next, windowFile(stateDir))
}

// Fit makes the window fit the screens that are there now: no larger than the largest, and at its place only if its title
// bar can be reached on one of them. Otherwise the window manager chooses the place.
func (w Window) Fit(screens []Screen) Window {
	if len(screens) == 0 {
		w.Placed = false
		return w
	}
	wide, high, reachable := 0, 0, false
	for _, s := range screens {
		wide, high = max(wide, s.Width), max(high, s.Height)
		shown := min(w.X+w.Width, s.X+s.Width) - max(w.X, s.X)
		reachable = reachable || shown >= grip && w.Y >= s.Y && w.Y <= s.Y+s.Height-grip
	}
	w.Width, w.Height = max(MinWidth, min(w.Width, wide)), max(MinHeight, min(w.Height, high))
	w.Placed = w.Placed && reachable
	return w
}
