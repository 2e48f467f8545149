package headless

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"

	"mobius/backend/wire"
)

// NewToken makes a token of 256 random bits.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// CheckToken tells whether a token that a person chose can be used: a browser shows it as a subprotocol, which allows
// few characters, and one that is short can be guessed.
func CheckToken(token string) error {
	const least, most = 16, 256
	bad := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.~", c)
	}
	if len(token) < least || len(token) > most || strings.ContainsFunc(token, bad) {
		return wire.Reject(wire.CodeInvalidRequest, "A token has %d to %d letters, digits or any of - _ . ~", least, most)
	}
	return nil
}

// admit checks who is called and from where: a foreign name that resolves to this machine, or a page of another origin,
// gets nothing.
func (s *Server) admit(r *http.Request) error {
	if s.options.Open {
		return nil
	}
	if !s.called(r) {
		return wire.Reject(wire.CodeUnauthorized, "This server is not called %q. Start it with --allow-host to use that name.", short(r.Host))
	}
	// What a browser says of itself covers requests without an Origin. Following a link to the page is all right.
	site := r.Header.Get("Sec-Fetch-Site")
	if (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return wire.Reject(wire.CodeUnauthorized, "Pages of other origins may not call this server.")
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return wire.Reject(wire.CodeUnauthorized, "Pages of other origins may not call this server.")
	}
	return nil
}

// called tells whether the Host of a request is a name of this server: the address that the connection came in on, a name
// of loopback with that port, or a name that was allowed. An address cannot be rebound; a name can, so no other counts.
func (s *Server) called(r *http.Request) bool {
	host, port := splitHost(r.Host)
	for _, allowed := range s.options.Hosts {
		if strings.EqualFold(allowed, r.Host) || strings.EqualFold(allowed, host) {
			return true
		}
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	ownHost, ownPort := splitHost(local.String())
	if port == "" {
		port = "80"
	}
	if port != ownPort {
		return false
	}
	ip, own := net.ParseIP(host), net.ParseIP(ownHost)
	return ip != nil && own != nil && (ip.Equal(own) || ip.IsLoopback() && own.IsLoopback()) ||
		strings.EqualFold(host, "localhost") && own != nil && own.IsLoopback()
}

func splitHost(hostport string) (host, port string) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return strings.Trim(hostport, "[]"), ""
	}
	return host, port
}

func (s *Server) authorized(token string) bool {
	return s.options.Open || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}
