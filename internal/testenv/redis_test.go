package testenv

import (
	"net/url"
	"strconv"
	"sync"
	"testing"

	"sandlot/internal/expect"
)

func TestRedis(t *testing.T) {
	used := Redis(t)
	t.Run("is a database of the test's own", func(t *testing.T) {
		used = Redis(t)
		c := openRedis(t, used)
		mustDo(t, c, "SET", "a", "1")
		expect.Same(t, "keys", mustDo(t, c, "DBSIZE"), []string{"1"})
	})
	t.Run("is emptied at the end of the test", func(t *testing.T) {
		expect.Same(t, "keys", mustDo(t, openRedis(t, used), "DBSIZE"), []string{"0"})
	})
	t.Run("is taken by one test at a time", func(t *testing.T) {
		seen := map[string]bool{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				address := Redis(t)
				mu.Lock()
				defer mu.Unlock()
				seen[address] = true
			})
		}
		wg.Wait()
		expect.Equal(t, "databases", len(seen), 30)
	})
}

// TestADatabaseOfRedisIsTakenFromATestThatWasKilled has a claim lose its connection, as a process that is killed does.
func TestADatabaseOfRedisIsTakenFromATestThatWasKilled(t *testing.T) {
	address := Redis(t) // one that nobody else takes meanwhile
	number := numberOf(t, address)
	server := withPath(t, address, "")
	killed, next := openRedis(t, server), openRedis(t, server)
	mustDo(t, next, "CLIENT", "SETNAME", "next")
	next.name = "next"
	took := func() bool {
		t.Helper()
		taken, err := next.take(number)
		expect.OK(t, err)
		return taken
	}
	expect.Equal(t, "taken from one that lives", took(), false)
	mustDo(t, killed, "CLIENT", "SETNAME", "killed")
	mustDo(t, killed, "SET", claimed(number), "killed")
	expect.Equal(t, "taken from another that lives", took(), false)
	killed.Close()
	Eventually(t, redisWait, "the server sees that the connection is closed", took)
	expect.Same(t, "holder", mustDo(t, next, "GET", claimed(number)), []string{"next"})
}

func numberOf(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	expect.OK(t, err)
	n, err := strconv.Atoi(u.Path[1:])
	expect.OK(t, err)
	return n
}

func openRedis(t *testing.T, address string) *redisConn {
	t.Helper()
	c, err := dialRedis(address)
	expect.OK(t, err)
	t.Cleanup(func() { c.Close() })
	if u, err := url.Parse(address); err == nil && len(u.Path) > 1 {
		mustDo(t, c, "SELECT", u.Path[1:])
	}
	return c
}

func mustDo(t *testing.T, c *redisConn, command ...string) []string {
	t.Helper()
	values, err := c.do(command...)
	expect.OK(t, err, command)
	return values
}
