package testenv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// redisEnv names the Redis server that scripts/test has started.
const redisEnv = "SANDLOT_TEST_REDIS"

// redisWait ends a call to Redis that hangs.
const redisWait = time.Minute

// Redis returns the URL of an empty database of the test's own, "redis://HOST:PORT/NUMBER", which is emptied at the end of the test. No
// other test has that number meanwhile, in no process. It ends the test as Skip does where there is no server.
//
// Two things are the whole server's: channels of PUBLISH have no database, so their names must be the test's own; and what empties or
// stops all of it is for a server from StartRedis.
func Redis(tb testing.TB) string {
	tb.Helper()
	server := serverURL(tb, redisEnv, "Redis")
	c, err := dialRedis(server)
	if err != nil {
		tb.Fatalf("connect to Redis: %v", err)
	}
	number, err := c.claim()
	if err == nil {
		err = c.empty(number)
	}
	if err != nil {
		c.Close()
		tb.Fatalf("take a database of Redis: %v", err)
	}
	tb.Cleanup(func() {
		err := c.empty(number)
		if err == nil {
			err = c.release(number)
		}
		if err := errors.Join(err, c.Close()); err != nil {
			tb.Errorf("give a database of Redis back: %v", err)
		}
	})
	return withPath(tb, server, strconv.Itoa(number))
}

// claimed returns the key in database 0 that says that a test has the database of that number.
func claimed(number int) string { return "sandlot-test:" + strconv.Itoa(number) }

// claimLife ends the claim of a test that was killed; no test runs for so long.
const claimLife = 2 * time.Hour

// claim finds a database that nobody has. It is the caller's until it is released.
func (c *redisConn) claim() (number int, err error) {
	configured, err := c.do("CONFIG", "GET", "databases")
	if err != nil || len(configured) != 2 {
		return 0, fmt.Errorf("the number of databases is %q: %w", configured, err)
	}
	databases, err := strconv.Atoi(configured[1])
	if err != nil {
		return 0, err
	}
	// The turn makes most find a free one at once.
	turn, err := c.do("INCR", "sandlot-test:turn")
	if err != nil {
		return 0, err
	}
	begin, err := strconv.Atoi(turn[0])
	for i := range databases - 1 {
		if err != nil {
			return 0, err
		}
		number = 1 + (begin+i)%(databases-1)
		var taken bool
		if taken, err = c.take(number); taken && err == nil {
			return number, nil
		}
	}
	return 0, errors.Join(err, fmt.Errorf("all %d databases are in use", databases-1))
}

// take reports whether the database is now the caller's.
func (c *redisConn) take(number int) (bool, error) {
	got, err := c.do("SET", claimed(number), "1", "NX", "EX", strconv.Itoa(int(claimLife.Seconds())))
	return len(got) == 1, err
}

func (c *redisConn) release(number int) error {
	_, err := c.do("DEL", claimed(number))
	return err
}

// empty removes all keys of that database, and leaves the connection in database 0.
func (c *redisConn) empty(number int) error {
	for _, command := range [][]string{{"SELECT", strconv.Itoa(number)}, {"FLUSHDB"}, {"SELECT", "0"}} {
		if _, err := c.do(command...); err != nil {
			return err
		}
	}
	return nil
}

// A redisConn speaks as much of Redis's protocol as is needed here.
type redisConn struct {
	net.Conn
	in *bufio.Reader
}

func dialRedis(server string) (*redisConn, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("tcp", u.Host, redisWait)
	if err != nil {
		return nil, err
	}
	c := &redisConn{Conn: conn, in: bufio.NewReader(conn)}
	if password, ok := u.User.Password(); ok {
		if _, err := c.do("AUTH", password); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return c, nil
}

// do sends a command and returns its answer: one value, those of a flat list, or none for nil.
func (c *redisConn) do(command ...string) ([]string, error) {
	if err := c.SetDeadline(time.Now().Add(redisWait)); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(c, b.String()); err != nil {
		return nil, err
	}
	values, err := c.read()
	if err != nil {
		err = fmt.Errorf("%s: %w", command[0], err)
	}
	return values, err
}

func (c *redisConn) read() ([]string, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	kind, rest := line[0], strings.TrimSuffix(line[1:], "\r\n")
	if kind == '+' || kind == ':' {
		return []string{rest}, nil
	}
	n, err := strconv.Atoi(rest)
	switch {
	case err != nil || kind != '$' && kind != '*':
		return nil, errors.New(rest)
	case n < 0:
		return nil, nil
	case kind == '$':
		value := make([]byte, n+len("\r\n"))
		_, err := io.ReadFull(c.in, value)
		return []string{string(value[:n])}, err
	}
	var values []string
	for range n {
		value, err := c.read()
		if err != nil {
			return nil, err
		}
		values = append(values, value...)
	}
	return values, nil
}
