// Command modelserver runs the test model server in a process of its own, for measurements. It prints one JSON line with
// its URL and runs until its standard input ends or it is interrupted. See modeltest.Obey for what it answers.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"mobius/backend/llm/modeltest"
)

func main() {
	addr := flag.String("addr", "", "address to listen on; default: a free port of 127.0.0.1")
	kind := flag.String("kind", "", "what the server is: ollama, lmstudio, llamacpp, vllm; default: everything")
	model := flag.String("model", "test-model", "name of its model")
	check := flag.Bool("check", true, "refuse malformed requests")
	stdin := flag.Bool("stdin", false, "end when the standard input ends")
	flag.Parse()
	if err := run(modeltest.Options{
		Addr: *addr, Kind: *kind, Models: []modeltest.Listed{{ID: *model, Context: 131072}}, DropBodies: true, NoCheck: !*check,
	}, *stdin); err != nil {
		fmt.Fprintln(os.Stderr, "modelserver:", err)
		os.Exit(1)
	}
}

func run(o modeltest.Options, stdin bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := modeltest.Start(modeltest.Obey, o)
	if err != nil {
		return err
	}
	defer server.Close()
	ready := struct {
		URL   string `json:"url"`
		Model string `json:"model"`
		PID   int    `json:"pid"`
	}{server.URL, o.Models[0].ID, os.Getpid()}
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return fmt.Errorf("say where the server is: %w", err)
	}
	if stdin { // whoever started it ends it by ending, however it ends
		ended, cancel := context.WithCancel(ctx)
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
		ctx = ended
	}
	<-ctx.Done()
	return nil
}
