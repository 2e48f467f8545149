package transport

import (
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialLimit = 15 * time.Second
	// pingAfter and pingLimit find dead HTTP/2 connections long before TCP does.
	pingAfter = 20 * time.Second
	pingLimit = 15 * time.Second
)

// NewClient makes the HTTP client for all providers of a process. Proxies come from the environment; loopback never
// goes through one.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: dialLimit, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: proxy, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialLimit,
			HTTP2:        &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingLimit},
			MaxIdleConns: 512, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second, ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
		},
		// A redirect would carry the request, and with it the conversation, to an address that nobody chose.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func proxy(r *http.Request) (*url.URL, error) {
	if host := r.URL.Hostname(); host == "localhost" || net.ParseIP(host).IsLoopback() {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}
