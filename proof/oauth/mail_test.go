package oauth

import (
	"io"
	"log"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A mailbox is a mail server that keeps every message.
type mailbox struct {
	addr string

	mu  sync.Mutex
	got map[string][]string // by address
}

func listen(t *testing.T) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	m := &mailbox{addr: l.Addr().String(), got: map[string][]string{}}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &delivery{m: m}, nil }))
	s.Domain, s.ErrorLog = "mx.example", log.New(io.Discard, "", 0)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return m
}

type delivery struct {
	m  *mailbox
	to string
}

func (d *delivery) Reset()                                    { d.to = "" }
func (*delivery) Logout() error                               { return nil }
func (*delivery) Mail(string, *smtp.MailOptions) error        { return nil }
func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error { d.to = to; return nil }

func (d *delivery) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	plain := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text))
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	d.m.got[d.to] = append(d.m.got[d.to], plain)
	return nil
}

// token waits for a message to an address with that link, and returns the token of the last one.
func (m *mailbox) token(t *testing.T, to, link string) (token string) {
	t.Helper()
	testenv.Eventually(t, limit, "a message to "+to+" with "+link, func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, text := range m.got[to] {
			if _, rest, ok := strings.Cut(text, link); ok {
				token, _, _ = strings.Cut(strings.Fields(rest)[0], `"`)
			}
		}
		return token != ""
	})
	return token
}

// count returns the number of messages to an address.
func (m *mailbox) count(to string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.got[to])
}

// await waits until as many messages have come to an address.
func (m *mailbox) await(t *testing.T, to string, n int) {
	t.Helper()
	testenv.Eventually(t, limit, "a message to "+to, func() bool { return m.count(to) >= n })
}
