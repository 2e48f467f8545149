package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"mobius/backend/store"
	"mobius/backend/store/db"
)

// storage measures one append against a bare commit with the same settings, and a long session's save against a short one's.
func (b *bench) storage(ctx context.Context) error {
	dir := filepath.Join(b.work, "storage")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	sizes := map[string]int64{"short": 20, "long": 20_000}
	n := map[string]int64{}
	err = s.Write(ctx, func(q *db.Queries) error {
		bot, err := q.InsertBot(ctx, db.InsertBotParams{ID: "b", Handle: "b", Name: "b", Description: "b", Tint: "blue", Revision: 1})
		if err != nil {
			return err
		}
		for name, events := range sizes {
			if n[name], err = q.InsertSession(ctx, db.InsertSessionParams{ID: name, Bot: bot, Workspace: "/w"}); err != nil {
				return err
			}
			for seq := range events {
				if err := q.AppendEvent(ctx, event(n[name], seq+1)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	append1 := func(session int64) func(*db.Queries) error {
		return func(q *db.Queries) error {
			sizes["next"]++
			return q.AppendEvent(ctx, event(session, 100_000+sizes["next"]))
		}
	}
	appended, bare, err := interleaved(func() error { return s.Write(ctx, append1(n["short"])) }, bareCommit(ctx, filepath.Join(b.work, "bare.db")))
	if err != nil {
		return err
	}
	b.add("18 append of one event against a bare commit", fmt.Sprintf("%.2f × (%.0f/s)", float64(appended)/float64(bare), 1/appended.Seconds()), fmt.Sprintf("1 (%.0f/s)", 1/bare.Seconds()), "≤ 1.3")
	save := func(session int64) func() error {
		return func() error {
			return s.Write(ctx, func(q *db.Queries) error {
				if err := append1(session)(q); err != nil {
					return err
				}
				_, err := q.SaveCheckpoint(ctx, db.SaveCheckpointParams{UpdatedAt: sizes["next"], Activity: "idle", N: session})
				return err
			})
		}
	}
	long, short, err := interleaved(save(n["long"]), save(n["short"]))
	if err != nil {
		return err
	}
	b.add("19 save of a 10,000-turn session against a 10-turn one", fmt.Sprintf("%.2f ×", float64(long)/float64(short)), "1", "≤ 1.1")
	return nil
}

func event(session, seq int64) db.AppendEventParams {
	return db.AppendEventParams{ID: session<<32 + seq, At: seq, Kind: "step.completed", Turn: seq, Data: `{"step":{"index":0,"blocks":[{"kind":"text","text":"` + strings.Repeat("x", 400) + `"}]}}`}
}

// interleaved times two actions in turns, so that a noisy moment hits both, and gives their medians.
func interleaved(a, c func() error) (time.Duration, time.Duration, error) {
	var first, second []time.Duration
	for range 1500 {
		began := time.Now()
		if err := a(); err != nil {
			return 0, 0, err
		}
		first = append(first, time.Since(began))
		began = time.Now()
		if err := c(); err != nil {
			return 0, 0, err
		}
		second = append(second, time.Since(began))
	}
	return median(first), median(second), nil
}

// bareCommit is SQLite alone: a prepared insert of the same row in its own transaction.
func bareCommit(ctx context.Context, path string) func() error {
	conn, err := sql.Open("sqlite", "file:"+path+"?_pragma=page_size(1024)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return func() error { return err }
	}
	conn.SetMaxOpenConns(1)
	_, err = conn.ExecContext(ctx, "CREATE TABLE e (id INTEGER PRIMARY KEY, at INTEGER, kind TEXT, turn INTEGER, data TEXT)")
	insert, e := conn.PrepareContext(ctx, "INSERT INTO e VALUES (?, ?, ?, ?, ?)")
	if err = errors.Join(err, e); err != nil {
		return func() error { return err }
	}
	seq := int64(0)
	return func() error {
		seq++
		p := event(1, seq)
		_, err := insert.ExecContext(ctx, p.ID, p.At, p.Kind, p.Turn, p.Data)
		return err
	}
}

// painted is the line that the program logs when its page says that it was drawn.
var painted = regexp.MustCompile(`"time":"([^"]+)".*"msg":"page painted"`)

// windowed measures the real window under Xvfb: start → painted with 1,000 conversations listed, and its memory.
func (b *bench) windowed(ctx context.Context) error {
	if _, err := exec.LookPath("Xvfb"); err != nil {
		return errors.New("there is no Xvfb")
	}
	p, state, err := b.fresh(ctx, "window")
	if err != nil {
		return err
	}
	for range 1000 {
		if _, err := b.session(ctx, p); err != nil {
			return err
		}
	}
	p.stop()
	display := exec.CommandContext(ctx, "Xvfb", ":97", "-screen", "0", "1280x800x24")
	if err := display.Start(); err != nil {
		return err
	}
	defer func() { _ = display.Process.Kill(); _ = display.Wait() }()
	if err := waitFor(ctx, 5*time.Second, func() bool { _, err := os.Stat("/tmp/.X11-unix/X97"); return err == nil }); err != nil {
		return err
	}
	var took []time.Duration
	memory := 0.0
	for range 5 {
		d, m, err := b.openWindow(ctx, state)
		if err != nil {
			return err
		}
		took, memory = append(took, d), max(memory, m)
	}
	b.add("20 window: start → second frame, 1,000 conversations", ms(median(took)), "0.37 s, an empty page", "≤ 0.5 s")
	b.add("21 memory with the window, all processes", fmt.Sprintf("%.0f MB", memory), "226 MB, an empty page", "≤ 260 MB")
	return nil
}

func (b *bench) openWindow(ctx context.Context, state string) (time.Duration, float64, error) {
	log := filepath.Join(state, "logs", "mobius.log")
	_ = os.Remove(log)
	cmd := exec.Command(b.window)
	home := filepath.Join(b.work, "home")
	cmd.Env = append(os.Environ(), "MOBIUS_STATE_DIR="+state, "MOBIUS_KEYS=file", "DISPLAY=:97", "WAYLAND_DISPLAY=", "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() }()
	var took time.Duration
	err := waitFor(ctx, 20*time.Second, func() bool {
		text, _ := os.ReadFile(log)
		m := painted.FindSubmatch(text)
		if m == nil {
			return false
		}
		at, err := time.Parse(time.RFC3339Nano, string(m[1]))
		took = at.Sub(began)
		return err == nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("the window was not painted: %w", err)
	}
	select {
	case <-time.After(2 * time.Second): // at rest
	case <-ctx.Done():
	}
	return took, pss(cmd.Process.Pid), nil
}

func waitFor(ctx context.Context, limit time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if done() {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// page runs the page's own measurement in Chromium, if it is installed.
func (b *bench) page(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "node", "frontend/bench/streaming.mjs").Output()
	if err != nil {
		return fmt.Errorf("the page's measurement: %w", err)
	}
	var m struct {
		First int     `json:"us_per_token_first"`
		Last  int     `json:"us_per_token_last"`
		Ratio float64 `json:"ratio"`
		Long  int     `json:"frames_over_50ms"`
	}
	if err := json.Unmarshal(out, &m); err != nil {
		return fmt.Errorf("the page's measurement: %w", err)
	}
	b.add("22 page, main thread per token, 1st and 20th thousand", fmt.Sprintf("%d / %d µs, %.2f ×; %d frames over 50 ms", m.First, m.Last, m.Ratio, m.Long), "", "within a tenth; 0")
	return nil
}

// size gives the sizes of what is built.
func (b *bench) size(context.Context) error {
	var sizes []string
	for _, path := range []string{b.window, b.program} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		sizes = append(sizes, fmt.Sprintf("%.1f MB", float64(info.Size())/1e6))
	}
	b.add("23 binaries: desktop; headless", strings.Join(sizes, "; "), "", "≤ 45 MB; ≤ 40 MB")
	packages, _ := filepath.Glob("build/dist/*")
	for _, path := range packages {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			b.add("23 package "+filepath.Base(path), fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "", "")
		}
	}
	return nil
}
