package provider

import (
	"context"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/anthropic"
	"mobius/backend/llm/transport"
	"mobius/backend/wire"
)

const (
	testLimit   = 20 * time.Second
	detectLimit = 800 * time.Millisecond
	shownModels = 20
)

// Models asks the instance's server for its models and adds what the catalogue knows of each.
func (r *Registry) Models(ctx context.Context, p wire.ProviderInstance, key string) ([]wire.Model, error) {
	k := kindOf(p.Kind)
	if k == nil {
		return nil, wire.Reject(wire.CodeInvalidProvider, "The kind of provider %q does not exist.", p.Kind)
	}
	if k.Protocol == protocolDemo {
		return []wire.Model{demoModel(Demo), demoModel(Demo + "-fast")}, nil
	}
	ids, err := r.list(ctx, k.Protocol, p.BaseURL, key)
	if err != nil {
		return nil, err
	}
	list := make([]wire.Model, 0, len(ids))
	for _, id := range ids {
		m := r.catalogue.Lookup(p.Kind, id)
		list = append(list, m)
	}
	// What the catalogue knows comes first: it is what can be used for conversations, among all that a server offers.
	sort.SliceStable(list, func(i, j int) bool {
		if known := list[i].Source == "catalogue"; known != (list[j].Source == "catalogue") {
			return known
		}
		return list[i].ID < list[j].ID
	})
	return list, nil
}

// list gives the ids of the models that a server offers.
func (r *Registry) list(ctx context.Context, protocol, base, key string) ([]string, error) {
	path := "/models"
	switch protocol {
	case protocolAnthropic:
		path = "/v1/models?limit=1000"
	case protocolGemini:
		path = "/models?pageSize=1000"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return nil, &llm.Error{Kind: llm.ErrUnreachable, Message: "the address is not valid", Err: err}
	}
	authorize(req, protocol, key)
	var out struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
		Models []struct {
			Name    string   `json:"name"`
			Methods []string `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	if err := transport.Get(req, r.client, key, &out); err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range out.Data {
		ids = append(ids, m.ID)
	}
	for _, m := range out.Models {
		if protocol == protocolGemini && !contains(m.Methods, "generateContent") {
			continue
		}
		ids = append(ids, strings.TrimPrefix(m.Name, "models/"))
	}
	return ids, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func authorize(req *http.Request, protocol, key string) {
	if protocol == protocolAnthropic {
		req.Header.Set("Anthropic-Version", anthropic.Version)
	}
	if key == "" {
		return
	}
	switch protocol {
	case protocolAnthropic:
		req.Header.Set("X-Api-Key", key)
	case protocolGemini:
		req.Header.Set("X-Goog-Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// Test tries the connection with the key, which costs no tokens, and says plainly how it went.
func (r *Registry) Test(ctx context.Context, p wire.ProviderInstance, key string) wire.ProviderTest {
	ctx, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	if k := kindOf(p.Kind); k != nil && k.NeedsKey && key == "" {
		return wire.ProviderTest{Code: wire.CodeModelKeyInvalid, Message: k.Name + " needs a key. Paste one and test again."}
	}
	began := r.clock.Now()
	list, err := r.Models(ctx, p, key)
	if err != nil {
		explained := Explain(err)
		return wire.ProviderTest{Code: explained.Code, Message: explained.Message, LatencyMS: r.clock.Now().Sub(began).Milliseconds()}
	}
	result := wire.ProviderTest{OK: true, Models: len(list), LatencyMS: r.clock.Now().Sub(began).Milliseconds(), Message: "The connection works."}
	if len(list) == 0 {
		result.Message = "The server answers, but it offers no model yet. Load one there, then refresh."
	}
	return result
}

// Detect finds keys in the environment and model servers on this machine. It never gives a key, only a hint.
func (r *Registry) Detect(ctx context.Context) []wire.Detected {
	found := []wire.Detected{}
	for _, k := range kinds {
		if k.KeyEnv == "" {
			continue
		}
		if key := strings.TrimSpace(r.getenv(k.KeyEnv)); key != "" {
			d := wire.Detected{Kind: k.ID, Name: k.Name, BaseURL: k.BaseURL, Source: "environment", EnvVar: k.KeyEnv}
			if len(key) >= 12 {
				d.KeyHint = "…" + key[len(key)-4:]
			}
			found = append(found, d)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, detectLimit)
	defer cancel()
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, k := range kinds {
		if !k.Local || k.Protocol == protocolDemo {
			continue
		}
		group.Go(func() {
			ids, err := r.list(ctx, k.Protocol, k.BaseURL, "")
			if err != nil {
				return // nobody there, or something else
			}
			mu.Lock()
			defer mu.Unlock()
			found = append(found, wire.Detected{Kind: k.ID, Name: k.Name, BaseURL: k.BaseURL, Source: "server", Models: ids[:min(len(ids), shownModels)]})
		})
	}
	group.Wait()
	sort.SliceStable(found, func(i, j int) bool { return found[i].Source < found[j].Source })
	return found
}

// EnvironmentKey gives the key in a variable that Detect may name; no other variable can be read through it.
func (r *Registry) EnvironmentKey(variable string) string {
	for _, k := range kinds {
		if k.KeyEnv != "" && k.KeyEnv == variable {
			return strings.TrimSpace(r.getenv(variable))
		}
	}
	return ""
}
