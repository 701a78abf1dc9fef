package cluster

import (
	"errors"
	"io"
	"maps"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"sandlot/internal/testkit/testenv"
)

var errLost = errors.New("the answer is lost")

// A mailServer takes every message and remembers when.
type mailServer struct {
	addr string

	mu  sync.Mutex
	got map[string][]time.Time // by address
}

func listenMail(t *testing.T) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailServer{addr: l.Addr().String(), got: map[string][]time.Time{}}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{m: m}, nil }))
	s.Domain, s.ErrorLog = "mx.example", quiet()
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return m
}

// all are the messages that came, by their addresses.
func (m *mailServer) all() map[string][]time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.got)
}

type mailSession struct {
	m         *mailServer
	addressee string
}

func (s *mailSession) Reset()                                    { s.addressee = "" }
func (*mailSession) Logout() error                               { return nil }
func (*mailSession) Mail(string, *smtp.MailOptions) error        { return nil }
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error { s.addressee = to; return nil }

func (s *mailSession) Data(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.got[s.addressee] = append(s.m.got[s.addressee], time.Now())
	return nil
}

const (
	// mailSoon is how long a message may take that no fault has held up.
	mailSoon = 2 * time.Second
	// mailWait is how long one may take that is due again.
	mailWait = time.Minute
	// mailLease is when a message is tried again that a node had when it was killed: it may have been sent.
	mailLease = 5 * time.Minute
)

// compareMails looks for the message to each account that has given an address: one.
func (r *run) compareMails() {
	if !testenv.Poll(mailSoon, func() bool { return len(r.unsent()) == 0 }) {
		r.t.Logf("faults have held up messages to %v; they are made due after %v", r.unsent(), r.since())
		r.endLeases()
		testenv.Poll(mailWait, func() bool { return len(r.unsent()) == 0 })
	}
	for _, address := range r.unsent() {
		r.t.Errorf("no message came to %s", address)
	}
	for address, times := range r.mails.all() {
		for i := range times[1:] {
			if apart := times[i+1].Sub(times[i]); apart < mailLease {
				r.t.Errorf("two messages came to %s within %v", address, apart)
			}
		}
	}
}

// unsent are the addresses to which no message came.
func (r *run) unsent() (list []string) {
	came := r.mails.all()
	for _, a := range r.accounts {
		if a.email != "" && len(came[a.email]) == 0 {
			list = append(list, a.email)
		}
	}
	return list
}

// endLeases has the messages that a killed node had, or that could not be sent, be due now instead of in some minutes. The nodes are
// stopped for that, or one of them might be sending one just now.
func (r *run) endLeases() {
	for _, n := range r.nodes {
		n.stop(r.t)
	}
	for _, address := range r.unsent() {
		r.query("UPDATE jobs SET leased_until = 0, due = 0 WHERE address = $1", address)
	}
	for _, n := range r.nodes {
		n.again(r.t)
	}
}
