// Package redistest gives tests a database of a Redis server, commands to it, and connections that are slow or lie. Only
// tests import it.
package redistest

import (
	"fmt"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"sandlot/internal/testkit/testenv"
)

// databases is the number of databases of the server that scripts/servers starts. So many tests begin before a database
// is given again.
const databases = 1024

// Database returns the URL of an empty database of the test's own, "redis://HOST:PORT/NUMBER", which is emptied at the
// end of the test. It ends the test as testenv.Skip does where there is no server.
//
// Two things are the whole server's: channels of PUBLISH have no database, so their names must be the test's own; and
// a test that empties or stops the server takes one from testenv.StartRedis.
func Database(tb testing.TB) (url string) {
	tb.Helper()
	server := testenv.ServerURL(tb, "SANDLOT_TEST_REDIS", "Redis")
	turn := Do(tb, server, "INCR", "sandlot-test:turn").(int64)
	url = fmt.Sprint(server, "/", 1+turn%(databases-1))
	Do(tb, url, "FLUSHDB")
	tb.Cleanup(func() { Do(tb, url, "FLUSHDB") })
	return url
}

// doWait is for a machine that is busy with other things.
const doWait = 30 * time.Second

// Do sends the server at a URL a command, and returns its answer; nil for nil.
func Do(tb testing.TB, url string, command ...any) any {
	tb.Helper()
	c, err := redis.DialURL(url, redis.DialConnectTimeout(doWait), redis.DialReadTimeout(doWait), redis.DialWriteTimeout(doWait))
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	answer, err := c.Do(command[0].(string), command[1:]...)
	if err != nil {
		tb.Fatalf("%q: %v", command, err)
	}
	return texts(answer)
}

// texts returns an answer with texts for bytes.
func texts(answer any) any {
	switch a := answer.(type) {
	case []byte:
		return string(a)
	case []any:
		for i := range a {
			a[i] = texts(a[i])
		}
	}
	return answer
}
