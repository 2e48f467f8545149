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
	MinWidth      = 640
	MinHeight     = 480
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

// Screen is one screen's size.
type Screen struct{ Width, Height int }

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

// Fit makes the window fit the screens that are there now: not larger than the largest, and at a place only if enough of
// it is on one. Screens come without positions, so a place is good if it is on a desktop of their added widths.
func (w Window) Fit(screens []Screen) Window {
	if len(screens) == 0 {
		return w
	}
	wide, high, width := 0, 0, 0
	for _, s := range screens {
		wide, high, width = max(wide, s.Width), max(high, s.Height), width+s.Width
	}
	w.Width, w.Height = max(MinWidth, min(w.Width, wide)), max(MinHeight, min(w.Height, high))
	if w.X+w.Width < grip || w.X > width-grip || w.Y < 0 || w.Y > high-grip {
		w.Placed = false
	}
	return w
}
