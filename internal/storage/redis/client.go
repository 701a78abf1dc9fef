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
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"sandlot/internal/base/breaker"
)

const (
	// AnswerLimit is how long one call may take, the connection included.
	AnswerLimit = 100 * time.Millisecond
	// idleConns is more than are open at once: a handful of workers call, one after another.
	idleConns = 16
	// idleFor is how long a connection waits for the next call: the server may have ended an older one.
	idleFor = 30 * time.Second
	// namespace is how many bytes of a hash distinguish installations on one server.
	namespace = 8
)

// ErrDown is the error of a call that was not made, because the ones before it failed.
var ErrDown = errors.New("redis did not answer, and is not asked again yet")

// Client is a connection to one server. Its methods may be called concurrently.
type Client struct {
	at      Address
	server  *redis.Pool
	breaker *breaker.Breaker
	secret  []byte
	prefix  string
	log     *slog.Logger
}

// Open returns a Client, and does not connect yet. The secret is the same on all nodes of the installation, and differs
// from every other's.
func Open(at Address, secret []byte, log *slog.Logger) *Client {
	c := &Client{at: at, secret: slices.Clone(secret), log: log}
	c.breaker = breaker.New(c.changed)
	c.prefix = "sandlot:" + base64.RawURLEncoding.EncodeToString(c.Hash("prefix").Sum())[:namespace] + ":"
	c.server = &redis.Pool{
		MaxIdle: idleConns, IdleTimeout: idleFor,
		DialContext: func(ctx context.Context) (redis.Conn, error) {
			conn, err := dial(ctx, at)
			if err != nil {
				return nil, err
			}
			return greet(conn, at)
		},
	}
	return c
}

// greet logs in, and selects the database.
func greet(conn net.Conn, at Address) (redis.Conn, error) {
	c := redis.NewConn(conn, AnswerLimit, AnswerLimit)
	var err error
	switch {
	case at.user != "":
		_, err = c.Do("AUTH", at.user, at.password)
	case at.password != "":
		_, err = c.Do("AUTH", at.password)
	}
	if err == nil && at.database != 0 {
		_, err = c.Do("SELECT", at.database)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the connections. Calls under way fail.
func (c *Client) Close() error { return c.server.Close() }

// Err returns the error that showed that the server does not answer; nil while it does.
func (c *Client) Err() error { return c.breaker.Err() }

// Key returns the name of a key on the server that no other installation uses.
func (c *Client) Key(name string) string { return c.prefix + name }

// A Command is the name of a command and its arguments: texts, bytes and numbers.
type Command []any

// An Answer is the answer to one command.
type Answer struct {
	value any
	err   error
}

// Err returns the error of a refused command.
func (a Answer) Err() error { return a.err }

// Int, Ints, Text and Texts return the answer in that form, or an error. No value is "".
func (a Answer) Int() (int64, error)      { return redis.Int64(a.value, a.err) }
func (a Answer) Ints() ([]int64, error)   { return redis.Int64s(a.value, a.err) }
func (a Answer) Texts() ([]string, error) { return redis.Strings(a.value, a.err) }
func (a Answer) Text() (string, error) {
	text, err := redis.String(a.value, a.err)
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return text, err
}

// Do sends commands together, and waits for their answers for AnswerLimit at most, one for each. Its error says that the
// server did not answer, or refuses to work; then any of the commands may have had its effect.
func (c *Client) Do(ctx context.Context, commands ...Command) (answers []Answer, err error) {
	if !c.breaker.Allow() {
		return nil, ErrDown
	}
	defer func() {
		if ctx.Err() == nil {
			c.breaker.Report(err)
		}
	}()
	limited, cancel := context.WithTimeout(ctx, AnswerLimit)
	defer cancel()
	conn, err := c.server.GetContext(limited)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return call(limited, conn, commands)
}

// call sends commands over a connection, which is of no more use after an error that it has, too.
func call(ctx context.Context, conn redis.Conn, commands []Command) ([]Answer, error) {
	until, _ := ctx.Deadline()
	for _, command := range commands {
		if err := conn.Send(command[0].(string), command[1:]...); err != nil {
			return nil, err
		}
	}
	if err := conn.Flush(); err != nil {
		return nil, err
	}
	answers := make([]Answer, len(commands))
	var refused error
	for i := range answers {
		left := max(time.Until(until), 1) // 0 would be no limit
		value, err := redis.ReceiveWithTimeout(conn, left)
		if conn.Err() != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
		answers[i] = Answer{value, err}
		refused = cmp.Or(refused, failure(err))
	}
	return answers, refused
}

// refusals begin the answers of a server that does not work now, or not for us, to any command.
var refusals = []string{
	"LOADING", "NOAUTH", "WRONGPASS", "NOPERM", "READONLY", "MASTERDOWN", "MISCONF", "OOM", "CLUSTERDOWN", "BUSY", "MOVED",
	"ASK", "TRYAGAIN", "NOREPLICAS",
}

// failure returns the error of a server that does not work; not the error of a refused command.
func failure(err error) error {
	var answer redis.Error
	if errors.As(err, &answer) {
		if word, _, _ := strings.Cut(string(answer), " "); slices.Contains(refusals, word) {
			return err
		}
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

// dial makes a connection that rejects lengths beyond those of any expected answer.
func dial(ctx context.Context, at Address) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerLimit)
	defer cancel()
	dial := (&net.Dialer{}).DialContext
	if at.tls {
		dial = (&tls.Dialer{Config: &tls.Config{ServerName: at.host, MinVersion: tls.VersionTLS12}}).DialContext
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(at.host, at.port))
	if err != nil {
		return nil, err
	}
	return &guarded{Conn: conn}, nil
}

// Ping asks the server once, for AnswerLimit at most.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Do(ctx, Command{"PING"})
	return err
}
