// Package redis speaks with a Redis or Valkey server, version 6 or later, through which the nodes of
// an installation tell each other sooner what each could find out, or do without, by itself.
//
// Nothing is kept there for good, and nothing that it says is believed: an answer of another kind
// than was asked for is none, and a wrong number can do no more than a wrong count of players, a
// question to the database too many, or a limit that is tighter than it should be. Clients of the
// service never wait for it: what has to be told is gathered, and told in the background, where each
// call takes 100 ms at most. While the server does not answer, a [Client] asks it once every second
// or two.
//
// Whoever reads the server learns neither addresses nor accounts nor players: these are there as
// hashes under a secret of the installation.
package redis

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// AnswerLimit is how long one call may take, the connection included.
	AnswerLimit = 100 * time.Millisecond
	// connections is far more than are open at once: a handful of workers call, one after another.
	connections = 64
	// namespace is how much of a hash tells installations on one server apart.
	namespace = 8
)

// ErrDown is the error of a call that was not made, because the ones before it failed.
var ErrDown = errors.New("redis did not answer, and is not asked again yet")

// Client is a connection to one server. Its methods may be called concurrently.
type Client struct {
	server  *goredis.Client
	breaker *breaker
	secret  []byte
	prefix  string
	log     *slog.Logger
}

// The module has one log for the whole process, and writes to standard error. What matters of it
// comes as an error, too.
var silence = sync.OnceFunc(logging.Disable)

// Open makes a Client, and asks the server nothing yet. The secret is the same on all nodes of the
// installation, and on no other's.
func Open(at Address, secret []byte, log *slog.Logger) *Client {
	silence()
	c := &Client{secret: slices.Clone(secret), log: log}
	c.breaker = newBreaker(c.changed)
	c.prefix = "sandlot:" + base64.RawURLEncoding.EncodeToString(c.Hash("prefix").Sum())[:namespace] + ":"
	c.server = goredis.NewClient(&goredis.Options{
		Addr: at.host, Username: at.user, Password: at.password, DB: at.database,
		Dialer:      dialer(at),
		Protocol:    2, // without messages that nobody asked for
		MaxRetries:  -1,
		DialTimeout: AnswerLimit, DialerRetries: 1, ReadTimeout: AnswerLimit, WriteTimeout: AnswerLimit, PoolTimeout: AnswerLimit,
		ContextTimeoutEnabled:    true,
		PoolSize:                 connections,
		PipelinePoolSize:         -1,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return c
}

// Close ends the connections. Calls under way fail.
func (c *Client) Close() error { return c.server.Close() }

// State tells whether the server is asked, and if not, by which error it showed that it is down.
func (c *Client) State() (State, error) { return c.breaker.now() }

// Key is the name of something on the server that no other installation uses.
func (c *Client) Key(name string) string { return c.prefix + name }

// Do sends commands together, and waits for their answers for AnswerLimit at most. Its error says
// that the server did not answer, or refuses to work; then any of the commands may have had its
// effect. Where it is nil, each command has an answer or an error of its own.
func (c *Client) Do(ctx context.Context, fill func(goredis.Pipeliner)) (err error) {
	trial, ok := c.breaker.allow()
	if !ok {
		return ErrDown
	}
	err = errors.New("the call did not end")
	defer func() { c.breaker.report(trial, err, ctx.Err() != nil) }()
	limited, cancel := context.WithTimeout(ctx, AnswerLimit)
	defer cancel()
	p := c.server.Pipeline()
	fill(p)
	answers, sent := p.Exec(limited)
	err = failure(sent)
	for _, a := range answers {
		if err == nil {
			err = failure(a.Err())
		}
	}
	return err
}

// refusals begin the answers of a server that does not work now, or not for us, whatever is asked.
var refusals = []string{"LOADING", "NOAUTH", "WRONGPASS", "NOPERM", "READONLY", "MASTERDOWN", "MISCONF", "OOM", "CLUSTERDOWN", "BUSY", "MOVED", "ASK", "TRYAGAIN", "NOREPLICAS"}

// lacks begin the answers of a server that has no database of that number. They come in place of
// each command's answer: the module sends SELECT by itself with a new connection.
var lacks = []string{"ERR DB index", "ERR invalid DB index", "ERR SELECT"}

// failure returns the error of a server that does not work; not that of one that refuses a command.
func failure(err error) error {
	var answer goredis.Error
	if err == nil || !errors.As(err, &answer) {
		return err
	}
	word, _, _ := strings.Cut(answer.Error(), " ")
	if slices.Contains(refusals, word) || slices.ContainsFunc(lacks, func(l string) bool { return strings.HasPrefix(answer.Error(), l) }) {
		return err
	}
	return nil
}

// changed logs that the server went, or came back.
func (c *Client) changed(s State, err error) {
	if s == Up {
		c.log.Info("redis answers again")
		return
	}
	c.log.Warn("redis does not answer; nodes count and limit on their own until it does", "error", err)
}

// dialer makes connections that believe no length beyond what is ever asked for.
func dialer(at Address) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, AnswerLimit)
		defer cancel()
		dial := (&net.Dialer{}).DialContext
		if at.tls {
			dial = (&tls.Dialer{Config: &tls.Config{ServerName: at.name(), MinVersion: tls.VersionTLS12}}).DialContext
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &guarded{Conn: conn}, nil
	}
}
