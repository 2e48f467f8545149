package provider

import (
	"net"
	"net/url"
	"strings"

	"mobius/backend/wire"
)

const maxAddress = 2048 // bytes

// endpoints are what may stand behind a base URL that was copied from somewhere.
var endpoints = [...]string{"/chat/completions", "/completions", "/responses", "/v1/messages", "/messages", "/models", "/api/chat", "/api/tags", "/api/generate", "/api"}

// Normalize gives the base URL as it is used from what a person typed: the scheme may be missing, a slash, the version
// or the whole address of an endpoint may follow.
func (r *Registry) Normalize(kind, typed string) (string, error) {
	k := kindOf(kind)
	if k == nil {
		return "", wire.Reject(wire.CodeInvalidProvider, "The kind of provider %q does not exist.", kind)
	}
	if k.Protocol == protocolDemo {
		return "", nil
	}
	typed = strings.Trim(strings.TrimSpace(typed), "\"'`<>")
	if typed = strings.TrimSpace(typed); typed == "" {
		typed = k.BaseURL
	}
	if typed == "" {
		return "", wire.Reject(wire.CodeInvalidProvider, "%s needs a base URL. %s", k.Name, k.Description)
	}
	if !strings.Contains(typed, "://") {
		scheme := "https://"
		if private(typed) {
			scheme = "http://"
		}
		typed = scheme + typed
	}
	u, err := url.Parse(typed)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || len(typed) > maxAddress || strings.ContainsAny(u.Host, " \t") {
		return "", wire.Reject(wire.CodeInvalidProvider, "This is not an address like https://host/v1. A key belongs in its own field.")
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() { // an address to listen on, not to call
		u.Host = net.JoinHostPort("127.0.0.1", portOf(u))
	}
	if own, err := url.Parse(k.BaseURL); err == nil && u.Hostname() == own.Hostname() && own.Scheme == "https" {
		u.Scheme = "https" // the key must not go over the wire in clear
	}
	u.Host = strings.ToLower(u.Host)
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	u.Path = k.path(u)
	return u.String(), nil
}

// path gives the path of a base URL as the kind's protocol wants it.
func (k *kind) path(u *url.URL) string {
	path := strings.TrimRight(u.Path, "/")
	for _, e := range endpoints {
		if cut, ok := strings.CutSuffix(path, e); ok {
			path = cut
			break
		}
	}
	path = strings.TrimRight(path, "/")
	switch {
	case k.Protocol == protocolAnthropic, k.Protocol == protocolOllama:
		return strings.TrimSuffix(path, "/v1")
	case k.Protocol == protocolGemini:
		if before, _, ok := strings.Cut(path, "/models/"); ok {
			path = before
		}
		if path == "" {
			return "/v1beta"
		}
	case k.ID == "azure":
		if path == "" || path == "/openai" {
			return "/openai/v1"
		}
	case path == "":
		if own, err := url.Parse(k.BaseURL); err == nil && own.Hostname() == u.Hostname() {
			return own.Path
		}
		return "/v1"
	}
	return path
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// private tells whether an address without a scheme names a machine on one's own network, where nobody has a certificate.
func private(typed string) bool {
	host, _, _ := strings.Cut(typed, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".lan") || strings.HasSuffix(host, ".internal")
}
