// Package foreign reads documents from the servers of strangers, at addresses that strangers choose. A server gets one
// request, and only if it is on the internet: nothing on this machine or in its networks can be reached by it.
package foreign

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Bounds of a fetch.
const (
	maxTime   = 5 * time.Second // for all of it
	maxAnswer = 64 << 10        // bytes of the document
	maxHeader = 16 << 10        // bytes of the answer's header
)

// Errors of a fetch. They say nothing about the networks of this machine.
var (
	errAddress = errors.New("its address is not one of https without userinfo")
	errReach   = errors.New("its host cannot be reached by https at a public address")
	errSlow    = errors.New("it took more than 5 s")
	errType    = errors.New("its type is not application/json")
	errLarge   = errors.New("it is larger than 64 KiB")
	errBroken  = errors.New("the answer broke off")
)

// A Fetcher reads documents. Its methods may be called concurrently.
type Fetcher struct {
	agent  string
	client *http.Client
	may    func(netip.Addr) bool
	within time.Duration
}

// New returns a Fetcher with a User-Agent. It uses no proxy: a proxy would reach addresses that it may not.
func New(agent string) *Fetcher {
	f := &Fetcher{agent: agent, may: Public, within: maxTime}
	dialer := &net.Dialer{Control: f.control}
	f.client = &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return f
}

// control refuses a connection to an address that is not public. It sees the address that is dialled, after the name was
// resolved: so a name cannot lead to one address here, and to another at its next resolution.
func (f *Fetcher) control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") || !f.may(to.Addr()) {
		return errReach
	}
	return nil
}

// Document returns the JSON at an https address: at most 64 KiB within 5 s, from a public address, without following
// redirects. Errors name the reason without the content.
func (f *Fetcher) Document(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, f.within)
	defer cancel()
	text, err := f.get(ctx, address)
	if err != nil && ctx.Err() != nil {
		return nil, errSlow
	}
	return text, err
}

func (f *Fetcher) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || r.URL.Scheme != "https" || r.URL.User != nil {
		return nil, errAddress
	}
	r.Header.Set("User-Agent", f.agent)
	r.Header.Set("Accept", "application/json")
	answer, err := f.client.Do(r)
	if err != nil {
		return nil, reason(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("its server answered %d", answer.StatusCode)
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, errType
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case len(text) > maxAnswer:
		return nil, errLarge
	case err != nil:
		return nil, errBroken
	}
	return text, nil
}

// reason returns the error of a request without the details of its connection.
func reason(err error) error {
	var certificate *tls.CertificateVerificationError
	var of *url.Error
	if errors.As(err, &of) && errors.As(of.Err, &certificate) {
		return errors.New("its server has no valid certificate")
	}
	return errReach
}
