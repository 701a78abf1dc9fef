package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestSMTPDelivers(t *testing.T) {
	t.Parallel()
	t.Run("in every language, whole", func(t *testing.T) {
		f := &fakeServer{}
		f.start(t, nil, nil)
		s := sender(t, "smtp://"+f.address, nil)
		for i, lang := range s.writer.book.Langs {
			m := verify(lang)
			m.Handle = "mañana-ゲーム"
			expect.OK(t, s.Send(t.Context(), m))
			got := f.deliveries()[i]
			if got.from != "sandlot@sandlot.example" || got.to != "ann@example.com" {
				t.Errorf("from %s to %s", got.from, got.to)
			}
			p := parse(t, got.raw)
			if !strings.Contains(p.text, "\n"+link+"\n") || !strings.Contains(p.text, "mañana-ゲーム") {
				t.Errorf("got\n%s", p.text)
			}
			if p.subject(t) != strings.ReplaceAll(s.writer.book.ByLang[lang]["verify"].Subject, "{site}", "Sandlot") {
				t.Errorf("subject %s", p.subject(t))
			}
		}
	})
	t.Run("to an address in UTF-8", func(t *testing.T) {
		f := &fakeServer{}
		f.start(t, nil, nil)
		m := verify("en")
		m.To = "jürgen@bücher.example"
		expect.OK(t, sender(t, "smtp://"+f.address, nil).Send(t.Context(), m))
		if got := f.deliveries(); len(got) != 1 || got[0].to != m.To {
			t.Errorf("got %v", got)
		}
	})
	t.Run("an answer of yes counts, even if the goodbye fails", func(t *testing.T) {
		f := &fakeServer{}
		f.start(t, nil, func(l net.Listener) net.Listener { return rudeListener{l} })
		if err := sender(t, "smtp://"+f.address, nil).Send(t.Context(), verify("en")); err != nil {
			t.Errorf("got %v", err)
		}
		expect.Equal(t, "messages", len(f.deliveries()), 1)
	})
}

// rudeListener gives connections that break when the client says QUIT.
type rudeListener struct{ net.Listener }

func (l rudeListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return rudeConn{conn}, err
}

type rudeConn struct{ net.Conn }

func (c rudeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if strings.HasPrefix(string(p[:n]), "QUIT") {
		c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

func TestSMTPEncryption(t *testing.T) {
	t.Parallel()
	config, roots := authority(t)
	offering := func(s *smtp.Server) { s.TLSConfig = config }
	for _, c := range []struct {
		name, scheme, query string
		server              func(*smtp.Server)
		trust, want, tls    bool
	}{
		{"mandatory, offered", "smtp", "?tls=mandatory", offering, true, true, true},
		{"mandatory, not offered", "smtp", "?tls=mandatory", nil, true, false, false},
		{"mandatory, by an authority that is not trusted", "smtp", "?tls=mandatory", offering, false, false, false},
		{"opportunistic, offered", "smtp", "?tls=opportunistic", offering, true, true, true},
		{"opportunistic, not offered", "smtp", "?tls=opportunistic", nil, true, true, false},
		{"opportunistic, by an authority that is not trusted", "smtp", "?tls=opportunistic", offering, false, false, false},
		{"none, offered", "smtp", "?tls=none", offering, false, true, false},
		{"to this machine none is the default", "smtp", "", offering, false, true, false},
	} {
		t.Run("STARTTLS "+c.name, func(t *testing.T) {
			f := &fakeServer{}
			f.start(t, c.server, nil)
			s := sender(t, c.scheme+"://"+f.address+c.query, nil)
			if c.trust {
				s.roots = roots
			}
			checkEncrypted(t, s, f, c.want, c.tls)
		})
	}
	for _, trust := range []bool{true, false} {
		t.Run(fmt.Sprintf("smtps, trusted %v", trust), func(t *testing.T) {
			f := &fakeServer{}
			f.start(t, nil, func(l net.Listener) net.Listener { return tls.NewListener(l, config) })
			s := sender(t, "smtps://"+f.address, nil)
			if trust {
				s.roots = roots
			}
			checkEncrypted(t, s, f, trust, true)
		})
	}
}

func checkEncrypted(t *testing.T, s *SMTP, f *fakeServer, want, encrypted bool) {
	t.Helper()
	err := s.Send(t.Context(), verify("en"))
	got := f.deliveries()
	if !want {
		passing(t, err)
		if len(got) > 0 || strings.Contains(f.transcript(), "ann@example.com") {
			t.Errorf("the server learned of the message:\n%s", f.transcript())
		}
		return
	}
	if err != nil || len(got) != 1 || got[0].tls != encrypted {
		t.Errorf("delivered %d, %v; want one, encrypted %v", len(got), err, encrypted)
	}
}

func TestSMTPLogsIn(t *testing.T) {
	t.Parallel()
	config, roots := authority(t)
	for _, c := range []struct {
		name, url string
		want      bool
	}{
		{"unencrypted to this machine", "smtp://ann:p%40ss%2Fword@", true},
		{"under STARTTLS", "smtp://ann:p%40ss%2Fword@", true},
		{"in smtps", "smtps://ann:p%40ss%2Fword@", true},
		{"with a wrong password", "smtp://ann:secret-wrong@", false},
		{"without a password where one is needed", "smtp://", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeServer{user: "ann", password: "p@ss/word"}
			var wrap func(net.Listener) net.Listener
			if strings.HasPrefix(c.url, "smtps") {
				wrap = func(l net.Listener) net.Listener { return tls.NewListener(l, config) }
			}
			f.start(t, func(s *smtp.Server) { s.TLSConfig = config }, wrap)
			url := c.url + f.address
			if strings.Contains(c.name, "STARTTLS") {
				url += "?tls=mandatory"
			}
			err := sender(t, url, roots).Send(t.Context(), verify("en"))
			if c.want {
				if got := f.deliveries(); err != nil || len(got) != 1 || got[0].auth != "PLAIN" {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			// The operator mends it, and the message waits.
			passing(t, err)
			if strings.Contains(err.Error(), "secret") || len(f.deliveries()) > 0 {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("never unencrypted to another machine", func(t *testing.T) {
		f := &fakeServer{user: "ann", password: "secret"}
		f.start(t, nil, nil)
		here, err := parseURL("smtp://" + f.address)
		expect.OK(t, err)
		s := sender(t, "smtp://ann:secret@mail.example.com?tls=opportunistic", nil)
		s.server.host, s.server.port = here.host, here.port // where the far name leads
		passing(t, s.Send(t.Context(), verify("en")))
		if len(f.deliveries()) > 0 || strings.Contains(f.transcript(), "AUTH PLAIN AG") {
			t.Errorf("the password was sent:\n%s", f.transcript())
		}
	})
}

func TestSMTPRefusals(t *testing.T) {
	t.Parallel()
	reply := func(code int) func() error {
		return func() error {
			return &smtp.SMTPError{
				Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1},
				Message: "no <ann@example.com> " + link,
			}
		}
	}
	for _, stage := range []string{"MAIL", "RCPT", "DATA"} {
		for code, final := range map[int]bool{421: false, 450: false, 451: false, 452: false, 550: true, 552: true, 553: true, 554: true, 503: false, 530: false, 535: false} {
			t.Run(fmt.Sprintf("%d to %s", code, stage), func(t *testing.T) {
				f := &fakeServer{}
				switch stage {
				case "MAIL":
					f.onMail = reply(code)
				case "RCPT":
					f.onRcpt = reply(code)
				case "DATA":
					f.onData = reply(code)
				}
				f.start(t, nil, nil)
				err := sender(t, "smtp://"+f.address, nil).Send(t.Context(), verify("en"))
				if err == nil || errors.Is(err, account.ErrRefused) != final {
					t.Errorf("got %v, want final %v", err, final)
				}
				if err != nil && (!strings.Contains(err.Error(), fmt.Sprint(code)) || !strings.Contains(err.Error(), stage)) {
					t.Errorf("%v does not say what happened", err)
				}
				if err != nil && (strings.Contains(err.Error(), "ann@") || strings.Contains(err.Error(), "token")) {
					t.Errorf("the error tells too much: %v", err)
				}
				if len(f.deliveries()) > 0 {
					t.Error("delivered")
				}
			})
		}
	}
}

func TestSMTPConnection(t *testing.T) {
	t.Parallel()
	t.Run("refused may pass", func(t *testing.T) {
		passing(t, sender(t, "smtp://"+testenv.Port(t), nil).Send(t.Context(), verify("en")))
	})
	t.Run("refused by a greeting may pass", func(t *testing.T) {
		address := silent(t, "554 go away ann@example.com\r\n")
		err := sender(t, "smtp://"+address, nil).Send(t.Context(), verify("en"))
		passing(t, err)
		if !strings.Contains(err.Error(), "554") || strings.Contains(err.Error(), "ann@") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("broken in the middle may pass", func(t *testing.T) {
		for _, stage := range []string{"MAIL", "RCPT", "DATA"} {
			f := &fakeServer{}
			f.start(t, nil, func(l net.Listener) net.Listener { return cuttingListener{l, stage} })
			err := sender(t, "smtp://"+f.address, nil).Send(t.Context(), verify("en"))
			passing(t, err)
			if err != nil && strings.Contains(err.Error(), "ann@") {
				t.Errorf("%s: the error tells too much: %v", stage, err)
			}
		}
	})
	t.Run("a server that says nothing is left when the deadline comes", func(t *testing.T) {
		for _, first := range []string{"", "220 mx.example\r\n", "220-mx"} {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			err := sender(t, "smtp://"+silent(t, first), nil).Send(ctx, verify("en"))
			cancel()
			passing(t, err)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after %q: got %v", first, err)
			}
		}
	})
	t.Run("smtps with a server that says nothing is left when the deadline comes", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := sender(t, "smtps://"+silent(t, ""), nil).Send(ctx, verify("en"))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a server that stalls in the middle is left when the context ends", func(t *testing.T) {
		for _, stage := range []string{"MAIL", "RCPT", "DATA"} {
			ctx, cancel := context.WithCancel(t.Context())
			release := make(chan bool)
			stall := func() error { cancel(); <-release; return nil }
			f := &fakeServer{}
			switch stage {
			case "MAIL":
				f.onMail = stall
			case "RCPT":
				f.onRcpt = stall
			case "DATA":
				f.onData = stall
			}
			f.start(t, nil, nil)
			err := sender(t, "smtp://"+f.address, nil).Send(ctx, verify("en"))
			close(release)
			passing(t, err)
			expect.Is(t, stage, err, context.Canceled)
		}
	})
}

// cuttingListener gives connections that break when the client says a word.
type cuttingListener struct {
	net.Listener
	word string
}

func (l cuttingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return cuttingConn{conn, l.word}, err
}

type cuttingConn struct {
	net.Conn
	word string
}

func (c cuttingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if strings.HasPrefix(string(p[:n]), c.word) {
		c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

func TestSMTPInjection(t *testing.T) {
	t.Parallel()
	f := &fakeServer{}
	f.start(t, nil, nil)
	s := sender(t, "smtp://"+f.address, nil)
	for _, to := range badAddresses {
		m := verify("en")
		m.To = to
		expect.Is(t, to, s.Send(t.Context(), m), account.ErrRefused)
	}
	if wire := f.transcript(); wire != "" {
		t.Errorf("the server heard\n%s", wire)
	}
	t.Run("one message is one transaction, whatever the handle", func(t *testing.T) {
		m := verify("en")
		m.Handle = "x\r\n.\r\nMAIL FROM:<evil@example.com>\r\nRCPT TO:<victim@example.com>"
		expect.OK(t, s.Send(t.Context(), m))
		got := f.deliveries()
		if len(got) != 1 || got[0].to != "ann@example.com" {
			t.Errorf("got %v", got)
		}
		wire := f.transcript()
		for command, want := range map[string]int{"\r\nMAIL FROM:": 1, "\r\nRCPT TO:": 1, "\r\nDATA\r\n": 1, "\r\nBcc": 0} {
			if n := strings.Count(wire, command); n != want {
				t.Errorf("%q %d times in\n%s", command, n, wire)
			}
		}
	})
}

func TestServerURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]server{
		"smtp://mail.example.com":                              {"mail.example.com", 587, "", "", opportunistic},
		"smtp://mail.example.com:25?tls=none":                  {"mail.example.com", 25, "", "", noTLS},
		"smtp://mail.example.com/?tls=mandatory":               {"mail.example.com", 587, "", "", mandatory},
		"smtp://ann:secret@mail.example.com":                   {"mail.example.com", 587, "ann", "secret", mandatory},
		"smtp://ann:secret@mail.example.com?tls=opportunistic": {"mail.example.com", 587, "ann", "secret", mandatory},
		"smtp://ann%40example.com:a%2Fb%3Ac@mail.example.com":  {"mail.example.com", 587, "ann@example.com", "a/b:c", mandatory},
		"smtps://mail.example.com":                             {"mail.example.com", 465, "", "", implicitTLS},
		"smtps://ann:secret@mail.example.com:4465":             {"mail.example.com", 4465, "ann", "secret", implicitTLS},
		"smtps://mail.example.com?tls=mandatory":               {"mail.example.com", 465, "", "", implicitTLS},
		"smtp://127.0.0.1:1025":                                {"127.0.0.1", 1025, "", "", noTLS},
		"smtp://[::1]:1025":                                    {"::1", 1025, "", "", noTLS},
		"smtp://ann:secret@localhost":                          {"localhost", 587, "ann", "secret", noTLS},
		"smtp://localhost?tls=opportunistic":                   {"localhost", 587, "", "", opportunistic},
	} {
		if got, err := parseURL(raw); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", raw, got, err, want)
		}
	}
	for _, raw := range []string{
		"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://:25", "smtp://mail.example.com:0", "smtp://mail.example.com:99999",
		"smtp://mail.example.com:x", "smtp://mail.example.com/inbox", "smtp://mail.example.com#x", "smtp://ann@mail.example.com",
		"smtp://ann:secret/word@mail.example.com", "smtp://ann:secret%zz@mail.example.com", "smtp://ann:secret#1@mail.example.com",
		"smtp://mail.example.com?tls=maybe", "smtp://mail.example.com?tls=", "smtp://mail.example.com?ssl=1", "smtp://mail.example.com?tls=none&tls=none",
		"smtps://mail.example.com?tls=none", "smtps://mail.example.com?tls=opportunistic", "smtp://ann:secret@mail.example.com?tls=none",
	} {
		_, err := NewSMTP(Config{URL: raw, From: "sandlot@example.com"})
		if err == nil {
			t.Errorf("%s: no error", raw)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the password: %v", raw, err)
		}
	}
	if _, err := NewSMTP(Config{URL: "smtp://127.0.0.1", From: "nobody"}); err == nil {
		t.Error("a sender that is not an address: no error")
	}
}
