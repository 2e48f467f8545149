package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mobius/backend/wire"
)

const (
	detectLimit = 900 * time.Millisecond
	shownModels = 20
)

// DefaultPorts are the ports of loopback at which model servers usually listen: those of the kinds, then Jan, Docker's
// model runner, KoboldCpp, and text-generation-webui or TabbyAPI.
func DefaultPorts() []int {
	var ports []int
	for i := range kinds {
		if kinds[i].port != 0 {
			ports = append(ports, kinds[i].port)
		}
	}
	return append(ports, 1337, 12434, 5001, 5000)
}

// Detect finds keys in the environment and model servers on this machine, in the order of the kinds. It never gives a
// key, only a hint, and asks nobody but loopback.
func (r *Registry) Detect(ctx context.Context) []wire.Detected {
	found := r.environment()
	ctx, cancel := context.WithTimeout(ctx, detectLimit)
	defer cancel()
	ports := r.ports()
	servers := make([]*wire.Detected, len(ports))
	var group sync.WaitGroup
	for i, port := range ports {
		group.Go(func() { servers[i] = r.server(ctx, port) })
	}
	group.Wait()
	for _, s := range servers {
		if s != nil {
			found = append(found, *s)
		}
	}
	return found
}

// environment finds keys in the variables that usually hold them.
func (r *Registry) environment() []wire.Detected {
	found := []wire.Detected{}
	for i := range kinds {
		k := &kinds[i]
		for _, name := range k.variables() {
			key := strings.TrimSpace(r.Getenv(name))
			if key == "" {
				continue
			}
			d := wire.Detected{Kind: k.ID, Name: k.Name, BaseURL: k.BaseURL, Source: "environment", EnvVar: name, KeyHint: wire.KeyHint(key)}
			if r.redirected(k, &d) {
				found = append(found, d)
			}
			break
		}
	}
	return found
}

func (k *kind) variables() []string {
	if k.KeyEnv == "" {
		return k.envs
	}
	return append([]string{k.KeyEnv}, k.envs...)
}

// redirected takes over the address that the environment gives for a key: the key belongs there and nowhere else. It
// tells whether that address is usable.
func (r *Registry) redirected(k *kind, d *wire.Detected) bool {
	if k.baseEnv == "" {
		return true
	}
	typed := strings.TrimSpace(r.Getenv(k.baseEnv))
	if typed == "" {
		return true
	}
	base, err := r.Normalize(k.ID, typed)
	if err != nil {
		return false
	}
	if base == k.BaseURL {
		return true
	}
	d.BaseURL = base
	if k.Protocol == protocolResponses { // few servers but OpenAI's own speak it
		d.Kind = compatible
	}
	if u, err := url.Parse(base); err == nil {
		d.Name = u.Host
	}
	return true
}

// EnvironmentKey gives the key in a variable that Detect may name; no other variable can be read through it.
func (r *Registry) EnvironmentKey(variable string) string {
	for i := range kinds {
		if slices.Contains(kinds[i].variables(), variable) {
			return strings.TrimSpace(r.Getenv(variable))
		}
	}
	return ""
}

// ports gives the ports to look at, with the one that Ollama was told to listen on.
func (r *Registry) ports() []int {
	ports := slices.Clone(r.Ports)
	host := r.Getenv("OLLAMA_HOST")
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	if _, p, err := net.SplitHostPort(strings.TrimRight(host, "/")); err == nil {
		if port, err := strconv.Atoi(p); err == nil && port > 0 && port < 1<<16 && !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	return ports
}

// server finds out what answers at a port, nil when it is no model server.
func (r *Registry) server(ctx context.Context, port int) *wire.Detected {
	root := fmt.Sprintf("http://127.0.0.1:%d", port)
	base := root + "/v1"
	chat := kindOf(compatible)
	list, err := r.list(ctx, chat, base, "")
	if err != nil && port == 12434 { // Docker's model runner has its own path
		base = root + "/engines/v1"
		list, err = r.list(ctx, chat, base, "")
	}
	if err != nil {
		return nil // nobody there, or something else
	}
	k := r.identify(ctx, root, list)
	d := &wire.Detected{Kind: k.ID, Name: k.Name, BaseURL: base, Source: "server", Models: []string{}}
	switch k.ID {
	case "ollama":
		d.BaseURL = root
	case compatible:
		d.Name = fmt.Sprintf("Model server at port %d", port)
	}
	for i := range list {
		if id := list[i].id(); id != "" && k.offers(&list[i]) && len(d.Models) < shownModels {
			d.Models = append(d.Models, id)
		}
	}
	return d
}

// identify tells servers apart by what only they answer.
func (r *Registry) identify(ctx context.Context, root string, list []listed) *kind {
	owner := ""
	if len(list) > 0 {
		owner = list[0].OwnedBy
	}
	switch owner {
	case "vllm":
		return kindOf("vllm")
	case "llamacpp":
		return kindOf("llamacpp")
	}
	chat := kindOf(compatible)
	has := func(path, member string) bool {
		var document map[string]json.RawMessage
		return r.get(ctx, chat, root+path, "", &document) == nil && document[member] != nil
	}
	switch {
	case has("/api/tags", "models") && has("/api/version", "version"):
		return kindOf("ollama")
	case has("/api/v0/models", "data"):
		return kindOf("lmstudio")
	case has("/props", "default_generation_settings"):
		return kindOf("llamacpp")
	}
	return chat
}
