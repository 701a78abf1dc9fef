// Package redis is the client of a Redis or Valkey server, version 6 or later, through which the nodes of an
// installation exchange facts that each could find out, or do without, by itself.
//
// Nothing is kept there for good, and its answers are not trusted: an answer of another form than requested is ignored,
// and a wrong number can at most cause a wrong count of players, an unnecessary query to the database, or a limit that
// is tighter than it should be. Clients of the service never wait for it: facts are gathered, and sent in the
// background, where each call takes 100 ms at most. While the server does not answer, a [Client] tries it once every
// second or two.
//
// A reader of the server learns neither addresses nor accounts nor players: these are there as hashes under a secret of
// the installation.
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

	"sandlot/internal/base/breaker"
)

const (
	// AnswerLimit is how long one call may take, the connection included.
	AnswerLimit = 100 * time.Millisecond
	// connections is far more than are open at once: a handful of workers call, one after another.
	connections = 64
	// namespace is how many bytes of a hash distinguish installations on one server.
	namespace = 8
)

// ErrDown is the error of a call that was not made, because the ones before it failed.
var ErrDown = errors.New("redis did not answer, and is not asked again yet")

// Client is a connection to one server. Its methods may be called concurrently.
type Client struct {
	server  *goredis.Client
	breaker *breaker.Breaker
	secret  []byte
	prefix  string
	log     *slog.Logger
}

// The module has one log for the whole process, and writes to standard error. Its important messages come as errors,
// too.
var silence = sync.OnceFunc(logging.Disable)

// Open returns a Client, and does not connect yet. The secret is the same on all nodes of the installation, and differs
// from every other's.
func Open(at Address, secret []byte, log *slog.Logger) *Client {
	silence()
	c := &Client{secret: slices.Clone(secret), log: log}
	c.breaker = breaker.New(c.changed)
	c.prefix = "sandlot:" + base64.RawURLEncoding.EncodeToString(c.Hash("prefix").Sum())[:namespace] + ":"
	c.server = goredis.NewClient(&goredis.Options{
		Addr: net.JoinHostPort(at.host, at.port), Username: at.user, Password: at.password, DB: at.database,
		Dialer:      dialer(at),
		Protocol:    2, // without messages that the server sends by itself
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

// Close closes the connections. Calls under way fail.
func (c *Client) Close() error { return c.server.Close() }

// Err returns the error that showed that the server does not answer; nil while it does.
func (c *Client) Err() error { return c.breaker.Err() }

// Key returns the name of a key on the server that no other installation uses.
func (c *Client) Key(name string) string { return c.prefix + name }

// Do sends commands together, and waits for their answers for AnswerLimit at most. Its error says that the server did
// not answer, or refuses to work; then any of the commands may have had its effect. If it is nil, each command has an
// answer or an error of its own.
func (c *Client) Do(ctx context.Context, fill func(goredis.Pipeliner)) (err error) {
	if !c.breaker.Allow() {
		return ErrDown
	}
	defer func() {
		if ctx.Err() == nil {
			c.breaker.Report(err)
		}
	}()
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

// refusals begin the answers of a server that does not work now, or not for us, to any command.
var refusals = []string{
	"LOADING", "NOAUTH", "WRONGPASS", "NOPERM", "READONLY", "MASTERDOWN", "MISCONF", "OOM", "CLUSTERDOWN", "BUSY", "MOVED",
	"ASK", "TRYAGAIN", "NOREPLICAS",
}

// lacks begin the answers of a server that has no database of that number. They come in place of
// each command's answer: the module sends SELECT by itself with a new connection.
var lacks = []string{"ERR DB index", "ERR invalid DB index", "ERR SELECT"}

// failure returns the error of a server that does not work; not the error of a refused command.
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

// changed logs that the server became unreachable, or came back.
func (c *Client) changed(why error) {
	if why == nil {
		c.log.Info("redis answers again")
		return
	}
	c.log.Warn("redis does not answer; nodes count and limit on their own until it does", "error", why)
}

// dialer makes connections that reject lengths beyond those of any expected answer.
func dialer(at Address) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, AnswerLimit)
		defer cancel()
		dial := (&net.Dialer{}).DialContext
		if at.tls {
			dial = (&tls.Dialer{Config: &tls.Config{ServerName: at.host, MinVersion: tls.VersionTLS12}}).DialContext
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &guarded{Conn: conn}, nil
	}
}

// Ping asks the server once, for AnswerLimit at most.
func (c *Client) Ping(ctx context.Context) error {
	return c.Do(ctx, func(p goredis.Pipeliner) { p.Ping(ctx) })
}
