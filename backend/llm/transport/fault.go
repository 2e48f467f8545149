package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"runtime"
	"strings"
	"syscall"

	"mobius/backend/llm"
	"mobius/backend/llm/sse"
)

// fault gives an error of the connection its kind and says in plain words what happened. begun tells whether the answer
// had begun.
func fault(ctx, inner context.Context, err error, begun bool) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(inner), errSilent):
		return &llm.Error{Kind: llm.ErrSilent, Message: "the provider sent no data for a while", Err: errSilent}
	case errors.Is(err, sse.ErrTooLarge):
		return &llm.Error{Kind: llm.ErrTooLarge, Message: fmt.Sprintf("the answer is over %d MiB", maxAnswer>>20), Err: err}
	case begun:
		return &llm.Error{Kind: llm.ErrDropped, Message: "the connection ended in the middle of the answer", Err: err}
	}
	// A *url.Error repeats the address, which may hold what a person pasted into it; its cause says enough.
	host := ""
	var u *url.Error
	if errors.As(err, &u) {
		if parsed, e := url.Parse(u.URL); e == nil {
			host = parsed.Host
		}
		err = u.Err
	}
	kind, message := connection(err, host)
	return &llm.Error{Kind: kind, Message: message, Err: err}
}

// connection explains why there is no answer.
func connection(err error, host string) (llm.ErrorKind, string) {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return llm.ErrUnreachable, fmt.Sprintf("the host name %q cannot be found", dns.Name)
	case refused(err):
		return llm.ErrUnreachable, "nothing answers at " + host
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return llm.ErrUnreachable, "the server speaks http, not https; change the base URL"
	case errors.As(err, &authority), errors.As(err, &name), errors.As(err, &invalid):
		return llm.ErrUnreachable, "the server's certificate is not trusted: " + err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), reset(err):
		return llm.ErrDropped, "the connection ended before an answer came"
	case strings.Contains(err.Error(), "malformed HTTP"):
		return llm.ErrMalformed, "what answers at " + host + " does not speak HTTP"
	case errors.As(err, &timeout) && timeout.Timeout():
		return llm.ErrUnreachable, "no connection to " + host + " within the time limit"
	}
	return llm.ErrUnreachable, err.Error()
}

// The numbers of these errors on Windows, which package syscall does not name.
const (
	wsaConnReset   = syscall.Errno(10054)
	wsaConnRefused = syscall.Errno(10061)
)

func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || runtime.GOOS == "windows" && errors.Is(err, wsaConnRefused)
}

func reset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || runtime.GOOS == "windows" && errors.Is(err, wsaConnReset)
}

// badAddress is the error for a URL that cannot be used. Its cause repeats the URL, so it is left out.
func badAddress(error) error {
	return &llm.Error{Kind: llm.ErrUnreachable, Message: "the base URL is not a valid address"}
}

const shortestKey = 6 // bytes; what is shorter is no key that would be worth hiding

// checkKey refuses keys that cannot be in a header, such as one that was pasted with a line break in it.
func checkKey(key string) error {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] >= 0x7f {
			return &llm.Error{Kind: llm.ErrKeyInvalid, Message: "the key holds a space or another character that no key has"}
		}
	}
	return nil
}

// redact takes the key out of what a provider said: some repeat it.
func redact(err error, key string) error {
	var e *llm.Error
	if len(key) >= shortestKey && errors.As(err, &e) && strings.Contains(e.Message, key) {
		e.Message = strings.ReplaceAll(e.Message, key, "…")
	}
	return err
}
