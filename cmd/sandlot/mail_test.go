package main

import (
	"bytes"
	"io"
	"log"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// mailServer is a real SMTP server that a test can make refuse or stall.
type mailServer struct {
	addr string

	mu     sync.Mutex
	answer func(n int) error // to the n-th message, from 1; nil takes it
	asked  int
	got    []string
	stall  chan bool       // a message waits until it is closed; may be nil
	wires  []*bytes.Buffer // what each client said, for several come at once
	// greet answers MAIL, and admit RCPT; both may be nil.
	greet func() error
	admit func(to string) error
}

// tapped is a listener that keeps what each of its clients says.
type tapped struct {
	net.Listener
	m *mailServer
}

func (l tapped) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	wire := new(bytes.Buffer)
	l.m.wires = append(l.m.wires, wire)
	return tappedConn{conn, l.m, wire}, nil
}

type tappedConn struct {
	net.Conn
	m    *mailServer
	wire *bytes.Buffer
}

func (c tappedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.wire.Write(p[:n])
	return n, err
}

// listen lets the server listen until the test ends.
func (m *mailServer) listen(t *testing.T) {
	t.Helper()
	if m.addr == "" {
		m.addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", m.addr)
	expect.OK(t, err)
	m.addr = l.Addr().String()
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return mailSession{m}, nil }))
	s.Domain, s.ErrorLog = "mx.example", log.New(io.Discard, "", 0)
	done := make(chan error, 1)
	go func() { done <- s.Serve(tapped{l, m}) }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
}

// counts returns the number of messages that were offered, and the messages that were taken.
func (m *mailServer) counts() (asked int, taken []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked, append([]string(nil), m.got...)
}

type mailSession struct{ m *mailServer }

func (mailSession) Reset()        {}
func (mailSession) Logout() error { return nil }
func (s mailSession) Mail(string, *smtp.MailOptions) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.greet == nil {
		return nil
	}
	return s.m.greet()
}

func (s mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.admit == nil {
		return nil
	}
	return s.m.admit(to)
}

func (s mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.m.mu.Lock()
	s.m.asked++
	n, stall := s.m.asked, s.m.stall
	s.m.mu.Unlock()
	if stall != nil {
		<-stall
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.answer != nil {
		if err := s.m.answer(n); err != nil {
			return err
		}
	}
	s.m.got = append(s.m.got, string(text))
	return nil
}

// eventually returns when what it waits for has happened.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	testenv.Eventually(t, 30*time.Second, what, happened)
}

// publishWithMail makes a first publish, which asks for a message, and checks that
// it does not wait for that.
func publishWithMail(t *testing.T, s *testenv.Server) {
	t.Helper()
	begun := time.Now()
	code, answer := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": page(1000), "email": "me@mail.internal"})
	if _, told := answer["verification_sent"].(bool); code != 201 || !told { // which it is depends on whether the server was found yet
		t.Fatalf("%d %v", code, answer)
	}
	if took := time.Since(begun); took > 5*time.Second { // a message may take minutes
		t.Errorf("the publish took %v", took)
	}
}

// comes returns when the server has taken a message. Those that wait are tried at
// once instead of in a minute.
func (m *mailServer) comes(t *testing.T, s *testenv.Server) {
	t.Helper()
	db := otherProcess(t, s)
	eventually(t, "the message came", func() bool {
		// Each time: the failure before may not have been recorded yet.
		if _, err := db.ExecContext(t.Context(), "UPDATE jobs SET due = 0"); err != nil {
			t.Fatal(err)
		}
		_, got := m.counts()
		return len(got) == 1
	})
}

// settled returns when no message waits any more.
func settled(t *testing.T, s *testenv.Server) {
	t.Helper()
	db := otherProcess(t, s)
	eventually(t, "no message waits", func() bool {
		n := -1
		expect.OK(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM jobs").Scan(&n))
		return n == 0
	})
}

// TestFault33Mail: whatever the mail server does, the publish is answered at once, and the message is kept and tried again.
func TestFault33Mail(t *testing.T) {
	t.Parallel()
	t.Run("down: the message survives restarts and leaves when the server is back", func(t *testing.T) {
		t.Parallel()
		m := mailServer{addr: testenv.Port(t)}
		s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr)
		publishWithMail(t, s)
		eventually(t, "a try failed", func() bool { return strings.Contains(s.Logs(), `msg="mail not sent, will retry"`) })
		s.Kill(t)
		s.Restart(t)
		m.listen(t)
		m.comes(t, s)
		settled(t, s)
	})
	t.Run("slow: requests, health and the stop do not wait for it", func(t *testing.T) {
		t.Parallel()
		m := mailServer{stall: make(chan bool)}
		m.listen(t)
		s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr)
		publishWithMail(t, s)
		eventually(t, "the message is on its way", func() bool { n, _ := m.counts(); return n == 1 })
		publishWithMail(t, s)
		if status(t, s, "/readyz") != 200 {
			t.Error("it is not ready")
		}
		begun := time.Now()
		if code := s.Stop(t); code != 0 || time.Since(begun) > 20*time.Second {
			t.Errorf("it stopped with %d after %v", code, time.Since(begun))
		}
		close(m.stall)
	})
	t.Run("greylisting: tried again, and not thought lost", func(t *testing.T) {
		t.Parallel()
		m := mailServer{answer: func(n int) error {
			if n == 1 {
				return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "come back later"}
			}
			return nil
		}}
		m.listen(t)
		s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr)
		publishWithMail(t, s)
		eventually(t, "a try failed", func() bool { return strings.Contains(s.Logs(), `msg="mail not sent, will retry"`) })
		m.comes(t, s)
	})
	t.Run("refused for good: given up after one try", func(t *testing.T) {
		t.Parallel()
		m := mailServer{answer: func(int) error {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
		}}
		m.listen(t)
		s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr)
		publishWithMail(t, s)
		eventually(t, "it is given up", func() bool { return strings.Contains(s.Logs(), `msg="gave up sending mail"`) })
		settled(t, s)
		if n, _ := m.counts(); n != 1 {
			t.Errorf("%d tries", n)
		}
	})
	t.Run("a mailbox gets two messages a day by publishes of one network that name it", func(t *testing.T) {
		t.Parallel()
		var m mailServer
		m.listen(t)
		s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr, "--base-url", "https://play.example", "--content-host", "example.net", "--disk-limit", "100") // a local instance counts none
		for range 6 {
			publishWithMail(t, s)
		}
		settled(t, s)
		if _, got := m.counts(); len(got) != 2 {
			t.Errorf("%d messages", len(got))
		}
	})
}
