package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"time"

	gomail "github.com/wneessen/go-mail"

	"sandlot/internal/domain/account"
)

// sendTimeout is the limit for delivering one message: a minute, many times the need of a working server even when it
// greylists or scans.
const sendTimeout = time.Minute

// Config is the address of a mail server.
type Config struct {
	// URL is smtp://HOST or smtps://HOST, optionally with USER:PASSWORD@ before the host (special characters
	// percent-encoded), a port after it (otherwise 587, for smtps 465), and for smtp one of
	//
	//	?tls=mandatory      STARTTLS, or the message is not sent
	//	?tls=opportunistic  STARTTLS if the server offers it
	//	?tls=none           no encryption
	//
	// The default is mandatory with a password, otherwise opportunistic, and none for a host that is this machine. A
	// password goes unencrypted to this machine only. Certificates are always checked against the host.
	URL string
	// From is the sender: an address, or a name with an address in angle brackets.
	From string
	// Roots are the authorities that may sign the certificate of the server; nil means those
	// of the system.
	Roots *x509.CertPool
	Site  string // the name of the instance; empty: Sandlot
}

// SMTP is an account.Mailer that delivers messages to a mail server, each over a connection of its own. Send may be
// called concurrently.
type SMTP struct {
	server server
	roots  *x509.CertPool
	writer *writer
}

var _ account.Mailer = (*SMTP)(nil)

// NewSMTP checks the configuration; it does not connect. Its errors do not
// repeat the URL, which holds a password.
func NewSMTP(c Config) (*SMTP, error) {
	s, err := parseURL(c.URL)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(c.From, c.Site)
	if err != nil {
		return nil, err
	}
	return &SMTP{server: s, roots: c.Roots, writer: w}, nil
}

// Send delivers the message, within a minute and until ctx ends. When it returns nil the server has taken
// responsibility for it. An error wraps account.ErrRefused if the server refused the sender, the recipient or the
// message with a permanent code, or if the Mail is invalid; any other may pass, also that of a wrong password, which
// the operator can correct. It wraps account.ErrUnreachable if it is about the server and not the message. Should the
// connection break after the message and before the answer, a later attempt delivers it twice. No error contains the
// address, the link, or the server's text beside its codes, for servers repeat addresses.
func (s *SMTP) Send(ctx context.Context, m account.Mail) error {
	msg, err := s.writer.write(m)
	if err != nil {
		return err
	}
	return s.deliver(ctx, msg)
}

// deliver delivers a message as it is.
func (s *SMTP) deliver(ctx context.Context, msg *gomail.Msg) error {
	return s.with(ctx, func(ctx context.Context, client *gomail.Client) error {
		err := client.DialAndSendWithContext(ctx, msg)
		if msg.IsDelivered() {
			return nil // a failed goodbye must not send it again
		}
		return err
	})
}

// with gives do a client, within a minute.
func (s *SMTP) with(ctx context.Context, do func(context.Context, *gomail.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	line := &line{ctx: ctx, address: s.server.address()}
	defer line.hangUp()
	client, err := gomail.NewClient(s.server.host, s.options(line)...)
	if err == nil {
		err = do(ctx, client)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("mail server: %w: %w", account.ErrUnreachable, ctx.Err())
	}
	return fmt.Errorf("mail server: %w", explain(err))
}

var _ account.Reacher = (*SMTP)(nil)

// Reach implements account.Reacher: it connects, logs in, and disconnects.
func (s *SMTP) Reach(ctx context.Context) error {
	return s.with(ctx, func(ctx context.Context, client *gomail.Client) error {
		err := client.DialWithContext(ctx)
		if err == nil {
			_ = client.Close() // the answer to a goodbye changes nothing
		}
		return err
	})
}

// options returns the settings of a client, whose state is for one message.
func (s *SMTP) options(l *line) []gomail.Option {
	config := &tls.Config{ServerName: s.server.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	l.tls = config
	if s.server.policy != implicitTLS {
		l.tls = nil
	}
	opts := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithTimeout(sendTimeout),
		gomail.WithTLSConfig(config), gomail.WithTLSPolicy(starttls[s.server.policy]),
		gomail.WithDialContextFunc(l.dial), gomail.WithoutNoop(), gomail.WithoutRset(),
	}
	if s.server.policy == implicitTLS {
		opts = append(opts, gomail.WithSSL())
	}
	if s.server.user != "" {
		opts = append(opts, gomail.WithUsername(s.server.user), gomail.WithPassword(s.server.password),
			gomail.WithOpportunisticSMTPAuth(s.server.mechanisms()...))
	}
	return opts
}

// line is the one connection of a Send. The client obeys ctx only while it dials, and forgets a connection on which the
// greeting failed: so ctx cuts the line, and Send hangs up in any case.
type line struct {
	ctx     context.Context
	address string
	tls     *tls.Config // nil for a plain connection
	conn    net.Conn
	stop    func() bool
}

// dial does not use the given address, in which IPv6 has no brackets.
func (l *line) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, l.address)
	if err != nil {
		return nil, err
	}
	l.conn = conn
	l.stop = context.AfterFunc(l.ctx, func() { conn.Close() })
	if l.tls == nil {
		return conn, nil
	}
	encrypted := tls.Client(conn, l.tls)
	return encrypted, encrypted.HandshakeContext(ctx)
}

func (l *line) hangUp() {
	if l.conn != nil {
		l.stop()
		l.conn.Close()
	}
}

// explain names the failed step, without any text of the server.
func explain(err error) error {
	if failed, ok := errors.AsType[*gomail.SendError](err); ok {
		code := failed.ErrorCode()
		err := fmt.Errorf("%s: code %d %s", failed.Reason, code, failed.EnhancedStatusCode())
		switch {
		case code == 0:
			return fmt.Errorf("%w: %s: the connection failed", account.ErrUnreachable, failed.Reason)
		case aboutSetup(code):
			return fmt.Errorf("%w: %w", account.ErrUnreachable, err)
		case code >= 500:
			return fmt.Errorf("%w: %w", account.ErrRefused, err)
		}
		return err
	}
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		// Greeting, STARTTLS or AUTH: nothing about this message.
		return fmt.Errorf("%w: the server refuses the connection with code %d", account.ErrUnreachable, reply.Code)
	}
	return fmt.Errorf("%w: %w", account.ErrUnreachable, err) // of the network, TLS or the choice of a mechanism
}

// aboutSetup reports whether a permanent code is about the set-up, mostly about logging in (RFC 4954; some answer 502
// or 503 to that): the message will pass once the operator has corrected it.
func aboutSetup(code int) bool {
	return slices.Contains([]int{502, 503, 530, 534, 535, 538}, code)
}
