package doctor

import (
	"bufio"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"time"
)

// An answer holds the results of one request to the instance.
type answer struct {
	seen   Seen
	local  string        // the doctor's own end of the connection
	spread time.Duration // between the first event and the last; 0: not waited for
	certs  []*x509.Certificate
	status int
	server string // the header Server of an answer that is not the instance's
}

// errElsewhere reports an answer without the installation's proof.
var errElsewhere = errors.New("the answer is not from this installation")

// forged is the address that a request claims to come from, of a network for documents (RFC 5737).
const forged = "192.0.2.1"

// A request asks the instance once.
type request struct {
	host   string     // HOST[:PORT] of the URL
	at     netip.Addr // of the server
	length int64      // the declared length of a body; one KiB of it is sent. 0: no body
	wait   bool       // until the last event
}

// askLimit is the longest time until the first event.
const askLimit = 8 * time.Second

// ask sends a request, and returns its answer.
func (s Site) ask(ctx context.Context, q request) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { a.local = c.Conn.LocalAddr().String() }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, s.Base.Scheme+"://"+q.host+Path, nil)
	if err != nil {
		return a, err
	}
	if q.length > 0 {
		r.Body, r.ContentLength = io.NopCloser(&stuck{ctx: ctx, left: 1 << 10}), q.length
	}
	header, nonce := question(s.Secret, s.Now())
	r.Header.Set("Authorization", header)
	r.Header.Set("X-Forwarded-For", forged)
	transport := s.transport(q.at)
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return a, err
	}
	defer func() {
		cancel() // before Close, which would wait for the body
		resp.Body.Close()
	}()
	if resp.TLS != nil {
		a.certs = resp.TLS.PeerCertificates
	}
	a.status, a.server = resp.StatusCode, resp.Header.Get("Server")
	return a, s.read(resp.Body, nonce, q.wait, &a)
}

// read reads the events of an answer.
func (s Site) read(body io.Reader, nonce string, wait bool, a *answer) error {
	lines := bufio.NewReader(io.LimitReader(body, 16<<10))
	line, err := lines.ReadString('\n')
	began := time.Now()
	proof, text, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "data: ")), " ")
	if a.status != http.StatusOK || !hmac.Equal([]byte(proof), []byte(mac(s.Secret, "answer", nonce, text))) {
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			return err
		}
		return errElsewhere
	}
	if err := json.Unmarshal([]byte(text), &a.seen); err != nil {
		return err
	}
	if wait {
		_, err = io.Copy(io.Discard, lines)
		a.spread = time.Since(began)
	} else {
		err = nil
	}
	return err
}

// transport returns a transport whose connections go to one address. It takes any certificate, since the answer itself
// has a proof, and the certificate gets a finding of its own.
func (s Site) transport(at netip.Addr) *http.Transport {
	dialer := &net.Dialer{Timeout: askLimit}
	return &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, network, hostport string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(hostport)
			if err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, network, net.JoinHostPort(at.String(), port))
		},
	}
}

// stuck is a body that gives some bytes, and then none until ctx ends.
type stuck struct {
	ctx  context.Context
	left int
}

func (s *stuck) Read(p []byte) (int, error) {
	if s.left == 0 {
		<-s.ctx.Done()
		return 0, s.ctx.Err()
	}
	n := min(len(p), s.left)
	clear(p[:n])
	s.left -= n
	return n, nil
}

// elsewhere describes an answer that is not the instance's, or none.
func (a answer) elsewhere(err error) string {
	var late net.Error
	switch {
	case errors.Is(err, errElsewhere):
		return fmt.Sprintf("another server answers there, or another installation (status %d, Server: %s)", a.status, cmp.Or(a.server, "none"))
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return "nothing answers there within " + askLimit.String()
	}
	return "nothing answers there: " + plainly(err)
}

// plainly returns the innermost error of the network, without the addresses, which the sentence has.
func plainly(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}
