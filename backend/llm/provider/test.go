package provider

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
	"mobius/backend/wire"
)

const testLimit = 20 * time.Second

// Test tries the connection with the key, which costs no tokens, and says plainly how it went.
func (r *Registry) Test(ctx context.Context, p wire.ProviderInstance, key string) wire.ProviderTest {
	ctx, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	k := kindOf(p.Kind)
	if k == nil {
		return wire.ProviderTest{Code: wire.CodeInvalidProvider, Message: "This version of Mobius does not know the kind of provider \"" + p.Kind + "\"."}
	}
	if k.NeedsKey && key == "" {
		return wire.ProviderTest{Code: wire.CodeModelKeyInvalid, Message: k.Name + " needs a key. Paste one and test again."}
	}
	began := r.clock.Now()
	result, err := r.test(ctx, k, p, key)
	if err != nil {
		explained := Explain(err)
		result = wire.ProviderTest{Code: explained.Code, Message: explained.Message}
	}
	result.LatencyMS = r.clock.Now().Sub(began).Milliseconds()
	return result
}

func (r *Registry) test(ctx context.Context, k *kind, p wire.ProviderInstance, key string) (wire.ProviderTest, error) {
	if k.testPath != "" {
		var document any
		if err := r.get(ctx, k, p.BaseURL+k.testPath, key, &document); err != nil {
			return wire.ProviderTest{}, err
		}
	}
	list, err := r.Models(ctx, p, key)
	var e *llm.Error
	switch {
	case err == nil && len(list) == 0:
		return wire.ProviderTest{OK: true, Message: "The server answers, but it offers no model yet. Load one there, then refresh."}, nil
	case err == nil:
		return wire.ProviderTest{OK: true, Models: len(list), Message: "The connection works."}, nil
	case k.Protocol == protocolChat && errors.As(err, &e) && e.Kind == llm.ErrNotFound && r.converses(ctx, k, p, key):
		return wire.ProviderTest{OK: true, Message: "The connection works. The server does not list its models: type the name of the one to use."}, nil
	}
	return wire.ProviderTest{}, err
}

// converses tells whether a server without a list of models takes requests: one without content is refused as such.
func (r *Registry) converses(ctx context.Context, k *kind, p wire.ProviderInstance, key string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.BaseURL+"/chat/completions", bytes.NewReader([]byte("{}")))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	k.authorize(req, key)
	var document any
	var e *llm.Error
	err = transport.Get(req, r.client, key, &document)
	return errors.As(err, &e) && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) && e.Kind == llm.ErrRefused
}
