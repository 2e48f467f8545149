package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mobius/backend/llm/modeltest"
	"mobius/backend/wire"
)

const starts = 15

// floorStart is the least that a server's start can be: a listener and a line.
func floorStart() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	fmt.Printf("{\"url\":\"http://%s/\"}\n", l.Addr())
}

// start measures process start → ready line, on a database that is there and current.
func (b *bench) start(ctx context.Context) error {
	p, state, err := b.fresh(ctx, "start")
	if err != nil {
		return err
	}
	p.stop()
	var took, floor []time.Duration
	for range starts {
		if p, err = b.launch(ctx, state, false); err != nil {
			return err
		}
		took = append(took, p.took)
		p.stop()
		cmd := exec.Command(os.Args[0], "-floor", "start")
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		began := time.Now()
		if err := cmd.Start(); err != nil {
			return err
		}
		if _, err := bufio.NewReader(out).ReadBytes('\n'); err != nil {
			return err
		}
		floor = append(floor, time.Since(began))
		_ = cmd.Wait()
	}
	b.add("1 process start → ready", ms(median(took)), ms(median(floor)), "≤ 25 ms, then 12")
	return nil
}

// once measures the command `run` by itself.
func (b *bench) once(ctx context.Context) error {
	p, state, err := b.fresh(ctx, "run")
	if err != nil {
		return err
	}
	p.stop()
	var took []time.Duration
	for range starts {
		cmd := exec.CommandContext(ctx, b.program, "run", "--workspace", b.folder(), "say 1")
		cmd.Env = append(os.Environ(), "MOBIUS_STATE_DIR="+state, "MOBIUS_KEYS=file")
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("run: %w: %s", err, out)
		}
		took = append(took, time.Since(began))
	}
	b.add(`2 run "say 1", exec → done`, ms(median(took)), "", "≤ 30 ms, then 15")
	return nil
}

// memory measures a server at rest, and after 50 sessions had a turn.
func (b *bench) memory(ctx context.Context) error {
	p, _, err := b.fresh(ctx, "memory")
	if err != nil {
		return err
	}
	defer p.stop()
	rest := pss(p.cmd.Process.Pid)
	for range 50 {
		s, err := b.session(ctx, p)
		if err != nil {
			return err
		}
		if _, err := p.submit(ctx, s, "say 20"); err != nil {
			return err
		}
		if err := p.ended(ctx, s); err != nil {
			return err
		}
	}
	b.add("3 memory at rest / after 50 sessions", fmt.Sprintf("%.1f / %.1f MB", rest, pss(p.cmd.Process.Pid)), "11 MB", "≤ 35 / 45 MB, then 28 / 32")
	before := cpu(p.cmd.Process.Pid)
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
	}
	b.add("4 CPU at rest", fmt.Sprintf("%.1f ms a second", float64(cpu(p.cmd.Process.Pid)-before)/5/float64(time.Millisecond)), "0", "≤ 1 ms a second")
	return nil
}

const (
	historyTurns = 1100
	sample       = 60
)

// turns measures the overhead of a turn by the length of its history, what it writes, and resuming and opening.
func (b *bench) turns(ctx context.Context) error {
	p, state, err := b.fresh(ctx, "turns")
	if err != nil {
		return err
	}
	s, err := b.session(ctx, p)
	if err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	var medians, tails, loads []string
	for turn := 0; turn < historyTurns; {
		if turn != 0 && turn != 100 && turn != 1000 {
			if err := p.turn(ctx, s); err != nil {
				return err
			}
			turn++
			continue
		}
		first := len(b.server.Requests())
		used, wrote, text := cpu(pid), written(pid), 0
		var overhead []time.Duration
		for range sample {
			began := time.Now()
			if err := p.turn(ctx, s); err != nil {
				return err
			}
			overhead = append(overhead, time.Since(began))
			text += len("say 1") + len(modeltest.WordsText(1))
		}
		for i, r := range b.server.Requests()[first:] {
			overhead[i] -= r.Took
		}
		medians, tails = append(medians, fmt.Sprintf("%.2f", float64(median(overhead))/1e6)), append(tails, fmt.Sprintf("%.1f", float64(percentile(overhead, 0.95))/float64(median(overhead))))
		loads = append(loads, fmt.Sprintf("%.2f", float64(cpu(pid)-used)/sample/1e6))
		if turn == 100 {
			b.add("7 written to storage per short turn", fmt.Sprintf("%.1f kB", float64(written(pid)-wrote)/sample/1000), "", "≤ 20 kB")
		}
		turn += sample
	}
	b.add("5 turn overhead, history 0 / 100 / 1,000", strings.Join(medians, " / ")+" ms", "0.15 / 0.17 / 0.25 ms", "≤ 2.5 / 2.5 / 5 ms")
	b.add("5 the same, p95 by median", strings.Join(tails, " / "), "", "≤ 2")
	b.add("6 CPU per turn, history 0 / 100 / 1,000", strings.Join(loads, " / ")+" ms", "", "≤ 3 / 6 ms (0 / 1,000)")
	p.stop()
	if info, err := os.Stat(filepath.Join(state, "mobius.db")); err == nil {
		b.add("7 file growth per turn beyond the text", fmt.Sprintf("%d B", (info.Size()-80_000)/historyTurns-int64(len("say 1")+len(modeltest.WordsText(1)))), "", "≤ 400 B")
	}
	return b.resume(ctx, state, s)
}

// turn has one short turn.
func (p *program) turn(ctx context.Context, session string) error {
	if _, err := p.submit(ctx, session, "say 1"); err != nil {
		return err
	}
	return p.ended(ctx, session)
}

// resume measures a long session after a start: to the next request, and opening it.
func (b *bench) resume(ctx context.Context, state, session string) error {
	var took []time.Duration
	for range 5 {
		n := len(b.server.Requests())
		began := time.Now()
		p, err := b.launch(ctx, state, true)
		if err != nil {
			return err
		}
		if err := p.turn(ctx, session); err != nil {
			return err
		}
		took = append(took, b.server.Requests()[n].At.Sub(began))
		p.stop()
	}
	b.add("12 resume of 1,100 turns, start → request", ms(median(took)), "", "≤ 60 ms, then 30")
	p, err := b.launch(ctx, state, true)
	if err != nil {
		return err
	}
	defer p.stop()
	var newest, whole []time.Duration
	for range 21 {
		for _, turns := range []int{30, 2000} {
			body, _ := json.Marshal([]any{wire.OpenRequest{ID: session, Turns: turns}})
			began := time.Now()
			if err := p.raw(ctx, "Sessions.Open", body); err != nil {
				return err
			}
			if turns == 30 {
				newest = append(newest, time.Since(began))
			} else {
				whole = append(whole, time.Since(began))
			}
		}
	}
	b.add("13 open 1,100 turns, newest page / whole", ms(median(newest))+" / "+ms(median(whole)), "5.6 ms whole", "≤ 3 / 10 ms")
	return nil
}

// raw calls a method and reads the answer without decoding it.
func (p *program) raw(ctx context.Context, method string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"api/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var sink bytes.Buffer
	_, err = sink.ReadFrom(res.Body)
	return err
}

const deltas = 5000

// stream measures 5,000 deltas without delay, to a client that sees every one.
func (b *bench) stream(ctx context.Context) error {
	p, _, err := b.fresh(ctx, "stream")
	if err != nil {
		return err
	}
	defer p.stop()
	var took, load []time.Duration
	lost := 0
	for range 7 {
		s, err := b.session(ctx, p)
		if err != nil {
			return err
		}
		used, began := cpu(p.cmd.Process.Pid), time.Now()
		if _, err := p.submit(ctx, s, fmt.Sprintf("say %d", deltas)); err != nil {
			return err
		}
		got, err := p.listen(ctx, s)
		if err != nil {
			return err
		}
		took, load = append(took, time.Since(began)), append(load, cpu(p.cmd.Process.Pid)-used)
		if want := modeltest.WordsText(deltas); got.text != want {
			lost += len(want) - len(got.text)
		}
	}
	rate := func(d time.Duration) string { return fmt.Sprintf("%.0f/s", deltas/d.Seconds()) }
	floor, err := b.bare(ctx)
	if err != nil {
		return err
	}
	b.add("8 5,000 deltas to a client: rate, lost bytes", fmt.Sprintf("%s, %d", rate(median(took)), lost), rate(floor), "≥ 70,000/s, 0")
	b.add("8 the same: CPU", fmt.Sprintf("%.3f s", median(load).Seconds()), "0.03 s", "≤ 0.10 s")
	return nil
}

// heard is what a client got of a turn.
type heard struct {
	text   string
	frames int
	first  time.Time
	last   time.Time
}

// listen collects a turn's frames until its end.
func (p *program) listen(ctx context.Context, session string) (*heard, error) {
	var h heard
	var text strings.Builder
	for {
		list, err := p.read(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if e.SessionID != session {
				continue
			}
			if e.Frame != nil && len(e.Frame.Deltas) > 0 {
				now := time.Now()
				if h.frames == 0 {
					h.first = now
				}
				h.frames++
				h.last = now
				for _, d := range e.Frame.Deltas {
					text.WriteString(d.Text)
				}
			}
			if e.Event != nil && e.Event.Kind == wire.EventTurnCompleted {
				h.text = text.String()
				return &h, nil
			}
		}
	}
}

// bare is the floor of stream: a plain client that reads the same answer and decodes each piece.
func (b *bench) bare(ctx context.Context) (time.Duration, error) {
	var took []time.Duration
	for range 7 {
		body := fmt.Sprintf(`{"model":"test-model","stream":true,"messages":[{"role":"user","content":"say %d"}]}`, deltas)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.server.Base(modeltest.Chat)+"/chat/completions", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		req.Header.Set("Content-Type", "application/json")
		began := time.Now()
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "[DONE]" {
				if err := json.Unmarshal([]byte(data), &chunk); err != nil {
					return 0, err
				}
			}
		}
		took = append(took, time.Since(began))
		_ = res.Body.Close()
	}
	return median(took), nil
}

// frames measures what a client gets of a paced stream.
func (b *bench) frames(ctx context.Context) error {
	p, _, err := b.fresh(ctx, "frames")
	if err != nil {
		return err
	}
	defer p.stop()
	s, err := b.session(ctx, p)
	if err != nil {
		return err
	}
	n := len(b.server.Requests())
	if _, err := p.submit(ctx, s, "say 400 every 2ms"); err != nil {
		return err
	}
	h, err := p.listen(ctx, s)
	if err != nil {
		return err
	}
	b.add("9 first delta; updates a second while streaming", fmt.Sprintf("%s after the request; %.0f", ms(h.first.Sub(b.server.Requests()[n].At)), float64(h.frames-1)/h.last.Sub(h.first).Seconds()), "", "at once; ≤ 60")
	return nil
}

// many measures sessions at once.
func (b *bench) many(ctx context.Context) error {
	for _, n := range []int{50, 200} {
		if err := b.atOnce(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) atOnce(ctx context.Context, n int) error {
	p, _, err := b.fresh(ctx, fmt.Sprint("many", n))
	if err != nil {
		return err
	}
	defer p.stop()
	sessions := map[string]*time.Duration{}
	for range n {
		s, err := b.session(ctx, p)
		if err != nil {
			return err
		}
		sessions[s] = nil
	}
	used, began := cpu(p.cmd.Process.Pid), time.Now()
	failed := make(chan error, n)
	for s := range sessions {
		go func() {
			_, err := p.submit(ctx, s, "say 100 every 5ms")
			failed <- err
		}()
	}
	var first []time.Duration
	errors, peak := 0, 0.0
	for ended := 0; ended < n; {
		list, err := p.read(ctx)
		if err != nil {
			return err
		}
		for _, e := range list {
			if seen, ok := sessions[e.SessionID]; ok && seen == nil && e.Frame != nil {
				d := time.Since(began)
				sessions[e.SessionID] = &d
				first = append(first, d)
			}
			if e.Event != nil && e.Event.Kind == wire.EventTurnCompleted {
				ended++
				if ended == n/2 {
					peak = pss(p.cmd.Process.Pid)
				}
				if e.Event.Outcome.Status != wire.OutcomeCompleted {
					errors++
				}
			}
		}
	}
	wall := time.Since(began)
	for range n {
		if <-failed != nil {
			errors++
		}
	}
	load := cpu(p.cmd.Process.Pid) - used
	if n == 50 {
		b.add("10 50 sessions, 100 deltas 5 ms apart: wall; CPU", fmt.Sprintf("%.2f s; %.2f s; %d errors", wall.Seconds(), load.Seconds(), errors), "0.58 s; 0.08 s", "≤ 0.63 s; 0.25 s")
		return nil
	}
	b.add("11 200 sessions: wall; CPU; PSS; first text p95", fmt.Sprintf("%.2f s; %.2f s; %.0f MB; %s; %d errors", wall.Seconds(), load.Seconds(), max(peak, pss(p.cmd.Process.Pid)), ms(percentile(first, 0.95)), errors),
		"0.585 s; 0.30 s; 57 MB", "≤ 0.85 s; 0.75 s; 100 MB; 200 ms; 0")
	return nil
}

// retries measures how long a turn takes whose requests fail before they succeed.
func (b *bench) retries(ctx context.Context) error {
	p, _, err := b.fresh(ctx, "retries")
	if err != nil {
		return err
	}
	defer p.stop()
	var took []string
	for _, what := range []string{"twice 429", "twice 500", "twice 529", "drop once"} {
		s, err := b.session(ctx, p)
		if err != nil {
			return err
		}
		began := time.Now()
		if _, err := p.submit(ctx, s, what); err != nil {
			return err
		}
		if err := p.ended(ctx, s); err != nil {
			return err
		}
		took = append(took, fmt.Sprintf("%.2f", time.Since(began).Seconds()))
	}
	b.add("16 twice 429 (1 s) / 500 / 529", strings.Join(took[:3], " / ")+" s", "2.0 / 0 / 0 s", "≤ 2.1 / 0.7 / 0.7 s")
	b.add("17 connection dropped in mid-answer", took[3]+" s", "0", "≤ 0.3 s")
	return nil
}
