package hook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// SignatureHeader has t=UNIX,v1=HEX: the time of a call, and the HMAC-SHA256 under the secret of that time in decimal, a
// dot, and the body.
const SignatureHeader = "Sandlot-Signature"

// A Service sends each call to a URL. It may be used concurrently.
type Service struct {
	url    string
	secret []byte
	now    func() time.Time
	client *http.Client
}

// newService returns a Service. It uses no proxy and follows no redirect: the evidence goes to the named host alone. Plain
// HTTP goes to loopback addresses alone, whatever the name of the host resolves to.
func newService(u *url.URL, secret string) *Service {
	dialer := &net.Dialer{}
	if u.Scheme == "http" {
		dialer.Control = onlyLoopback
	}
	return &Service{u.String(), []byte(secret), time.Now, &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, MaxResponseHeaderBytes: 16 << 10, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func onlyLoopback(_, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().Unmap().IsLoopback() {
		return errors.New("plain HTTP is for this machine alone")
	}
	return nil
}

// Call posts input with its signature, and returns the body of the answer 200: at most 64 KiB, or it is an error. It ends
// with ctx.
func (s *Service) Call(ctx context.Context, input []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(input))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Sandlot")
	r.Header.Set(SignatureHeader, s.sign(input))
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the service answered %d", answer.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxAnswer:
		return nil, errLarge
	}
	return body, nil
}

// sign returns the signature of a body now.
func (s *Service) sign(body []byte) string {
	at := s.now().Unix()
	mac := hmac.New(sha256.New, s.secret)
	fmt.Fprintf(mac, "%d.", at)
	mac.Write(body)
	return fmt.Sprintf("t=%d,v1=%x", at, mac.Sum(nil))
}

// withoutURL returns the error of a request without its URL, which may have a secret.
func withoutURL(err error) error {
	if of := new(url.Error); errors.As(err, &of) {
		return of.Err
	}
	return err
}
