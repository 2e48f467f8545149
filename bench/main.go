// Command bench measures Mobius against the least that the same work could cost, and prints one table: figure, floor,
// target. It runs the built programs (make build) as a person's machine would, with a model server of its own that adds
// no delay, and takes less than five minutes. Run it with make bench; name rows to run only those.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"mobius/backend/llm/modeltest"
)

// row is one line of the table.
type row struct {
	name, figure, floor, target string
}

// bench is one run.
type bench struct {
	program string // build/bin/mobius-headless
	window  string // build/bin/mobius
	work    string
	server  *modeltest.Server
	script  *script
	rows    []row
}

func main() {
	program := flag.String("program", "build/bin/mobius-headless", "the headless program")
	window := flag.String("window", "build/bin/mobius", "the desktop program")
	floor := flag.String("floor", "", "internal: act as a floor")
	flag.Parse()
	if *floor == "start" {
		floorStart()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *program, *window, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, window string, wanted []string) error {
	work, err := os.MkdirTemp("", "mobius-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	b := &bench{work: work, script: &script{}}
	if err := os.MkdirAll(b.folder(), 0o700); err != nil {
		return err
	}
	if b.program, err = filepath.Abs(program); err != nil {
		return err
	}
	if b.window, err = filepath.Abs(window); err != nil {
		return err
	}
	if b.server, err = modeltest.Start(b.script.answer, modeltest.Options{DropBodies: true, NoCheck: true}); err != nil {
		return err
	}
	defer b.server.Close()
	steps := []struct {
		name string
		run  func(context.Context) error
	}{
		{"start", b.start}, {"run", b.once}, {"memory", b.memory}, {"turns", b.turns}, {"stream", b.stream}, {"frames", b.frames},
		{"many", b.many}, {"retries", b.retries}, {"storage", b.storage}, {"window", b.windowed}, {"page", b.page}, {"size", b.size},
	}
	began := time.Now()
	for _, s := range steps {
		if len(wanted) > 0 && !contains(wanted, s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%5.1fs %s\n", time.Since(began).Seconds(), s.name)
		if err := s.run(ctx); err != nil {
			b.add(s.name, "not measured: "+err.Error(), "", "")
		}
	}
	b.print()
	return ctx.Err()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (b *bench) add(name, figure, floor, target string) {
	b.rows = append(b.rows, row{name, figure, floor, target})
}

func (b *bench) print() {
	t := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "what\tfigure\tfloor\ttarget")
	fmt.Fprintln(t, strings.Repeat("-", 4)+"\t"+strings.Repeat("-", 6)+"\t"+strings.Repeat("-", 5)+"\t"+strings.Repeat("-", 6))
	for _, r := range b.rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.name, r.figure, r.floor, r.target)
	}
	_ = t.Flush()
}

func percentile(list []time.Duration, p float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := append([]time.Duration{}, list...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

func median(list []time.Duration) time.Duration { return percentile(list, 0.5) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }
