package inbox

import (
	"context"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/emersion/go-smtp"
	"golang.org/x/net/netutil"
)

// Limits of the connections of mail servers on this machine.
const (
	maxConnections = 20
	maxRecipients  = 20
	idle           = 30 * time.Second // between two commands, and for each piece of a message
)

// Serve takes messages that come by SMTP, and by LMTP (RFC 2033) on a Unix socket, until ctx ends. It accepts any
// recipient: nothing but the mail server of this machine reaches it. A message is answered once its reports are
// recorded; while they cannot be, the mail server is asked to come back. No message is being recorded once it returns.
func (b *Inbox) Serve(ctx context.Context, l net.Listener) error {
	taking := make(chan struct{}, maxConnections)
	defer func() {
		for range maxConnections {
			taking <- struct{}{}
		}
	}()
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{inbox: b, ctx: ctx, taking: taking}, nil
	}))
	s.Domain, s.LMTP = b.Places.Base.Hostname(), l.Addr().Network() == "unix"
	s.MaxMessageBytes, s.MaxRecipients, s.ReadTimeout, s.WriteTimeout = MaxMessage, maxRecipients, idle, idle
	s.ErrorLog = slog.NewLogLogger(b.Log.Handler(), slog.LevelDebug)
	ended := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer ended()
	err := s.Serve(netutil.LimitListener(l, maxConnections))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A session is one connection. It takes one message after another.
type session struct {
	inbox  *Inbox
	ctx    context.Context
	taking chan struct{} // has an entry for each message that is being recorded
	path   string
}

// Mail notes the return path of a message.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.path = from
	return nil
}

// Rcpt accepts every recipient.
func (s *session) Rcpt(string, *smtp.RcptOptions) error { return nil }

// Data takes a message.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err // of the size, with its code, or of the connection
	}
	select {
	case s.taking <- struct{}{}:
		defer func() { <-s.taking }()
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	if err := s.inbox.take(s.ctx, raw, s.path == ""); err != nil {
		s.inbox.Log.Warn("report by mail is put off", "error", err)
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "cannot be recorded now, try again later"}
	}
	return nil
}

// Reset forgets the return path.
func (s *session) Reset() { s.path = "" }

// Logout has nothing to end.
func (s *session) Logout() error { return nil }
