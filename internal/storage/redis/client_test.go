package redis

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sandlot/internal/base/breaker"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// patience is for a machine that is busy with other things.
const patience = 30 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open makes a client for a test.
func open(t *testing.T, url, secret string) *Client {
	t.Helper()
	at, err := ParseURL(url)
	expect.OK(t, err)
	c := Open(at, []byte(secret), slog.New(slog.DiscardHandler))
	t.Cleanup(func() { expect.OK(t, c.Close(), "Close") })
	return c
}

func ping(ctx context.Context, c *Client) error {
	_, err := c.Do(ctx, Command{"PING"})
	return err
}

// timely makes a call and fails the test if it takes longer than a call may. What is added is for
// a machine that is busy with other things.
func timely(t *testing.T, c *Client) error {
	t.Helper()
	begin := time.Now()
	err := ping(t.Context(), c)
	if took := time.Since(begin); took > AnswerLimit+2*time.Second {
		t.Errorf("a call took %v", took)
	}
	return err
}

// comesBack waits until the server is asked again.
func comesBack(t *testing.T, c *Client) {
	t.Helper()
	testenv.Eventually(t, patience, "calls that are answered again", func() bool { return ping(t.Context(), c) == nil })
	expect.OK(t, c.Err())
}

// goesDown waits until the server is not asked any more, and returns why.
func goesDown(t *testing.T, c *Client) (why error) {
	t.Helper()
	for range breaker.OpensAfter {
		if err := timely(t, c); err == nil {
			t.Fatal("a call was answered")
		}
	}
	if why = c.Err(); why == nil || !errors.Is(ping(t.Context(), c), ErrDown) {
		t.Errorf("after %d failures: %v", breaker.OpensAfter, why)
	}
	return why
}

func TestAClientComesBackByItself(t *testing.T) {
	t.Parallel()
	t.Run("when the server was not there at the start", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		s.Kill(t)
		c := open(t, s.URL(), "secret")
		goesDown(t, c)
		s.Start(t)
		comesBack(t, c)
	})
	t.Run("when the server was killed", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		c := open(t, s.URL(), "secret")
		expect.OK(t, ping(t.Context(), c))
		s.Kill(t)
		goesDown(t, c)
		s.Start(t)
		comesBack(t, c)
	})
	t.Run("when the server had stopped", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		c := open(t, s.URL(), "secret")
		expect.OK(t, ping(t.Context(), c))
		s.Pause(t)
		goesDown(t, c)
		s.Resume(t)
		comesBack(t, c)
	})
}

func TestAWrongPasswordIsNotInTheError(t *testing.T) {
	t.Parallel()
	s := testenv.StartRedis(t)
	redistest.Do(t, s.URL(), "CONFIG", "SET", "requirepass", "right")
	c := open(t, strings.Replace(s.URL(), "//", "//:hunter2@", 1), "secret")
	why := goesDown(t, c)
	expect.Contains(t, "error", why.Error(), "WRONGPASS")
	if strings.Contains(why.Error(), "hunter2") {
		t.Errorf("the password is in %q", why)
	}
}

// TestADatabaseThatTheServerDoesNotHaveIsTold: a cluster has but one, and others 16.
func TestADatabaseThatTheServerDoesNotHaveIsTold(t *testing.T) {
	t.Parallel()
	c := open(t, testenv.StartRedis(t).URL()+"/99999", "secret")
	expect.Contains(t, "error", goesDown(t, c).Error(), "DB index is out of range")
}

func TestAnAnswerThatRefusesOneCommandIsAnAnswer(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	c := open(t, url, "secret")
	redistest.Do(t, url, "SET", "a", "text")
	for range 2 * breaker.OpensAfter {
		answers, err := c.Do(t.Context(), Command{"ZCARD", "a"}, Command{"PING"})
		expect.OK(t, err)
		wrong, right := answers[0], answers[1]
		if wrong.Err() == nil || right.Err() != nil {
			t.Errorf("%v, %v", wrong.Err(), right.Err())
		}
	}
	expect.OK(t, c.Err())
}

// TestAServerThatLiesIsDown: and neither memory nor goroutines grow to the announced lengths.
func TestAServerThatLiesIsDown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"a value beyond an int":          "$99999999999999999999\r\n",
		"a value that no memory holds":   "$9223372036854775800\r\n",
		"a value of half a gigabyte":     "$536870912\r\n",
		"a length below what is nothing": "$-2\r\n",
		"a length that is no number":     "$a\r\n",
		"a list without an end":          "*1000000000\r\n",
		"lists within lists":             strings.Repeat("*1\r\n", 10_000),
		"another protocol":               "HTTP/1.1 400 Bad Request\r\n\r\n",
		"the protocol's third version":   "%1\r\n+a\r\n:1\r\n",
		"a line without an end":          "+" + strings.Repeat("a", 10<<10),
		"nothing":                        "",
		"empty lines":                    "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) { goesDown(t, open(t, redistest.Liar(t, answer), "secret")) })
	}
}

func TestLongAnswersThatWereAskedForCome(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	c := open(t, url, "secret")
	long := strings.Repeat("\r\n$9999999999\r\n", longestValue/15)
	for range 20 {
		answers, err := c.Do(t.Context(), Command{"SET", "a", long}, Command{"GET", "a"}, Command{"GET", "none"})
		expect.OK(t, err)
		got, err := answers[1].Text()
		expect.OK(t, err)
		none, err := answers[2].Text()
		expect.OK(t, err)
		if got != long || none != "" {
			t.Fatal("another value came back")
		}
	}
}

func TestHashes(t *testing.T) {
	t.Parallel()
	url := "redis://" + testenv.Port(t)
	one, same, other := open(t, url, "one"), open(t, url, "one"), open(t, url, "other")
	sum := func(c *Client, purpose string, parts ...string) string { return string(c.Hash(purpose).Sum(parts...)) }
	if sum(one, "p", "a", "b") != sum(same, "p", "a", "b") || one.Key("x") != same.Key("x") {
		t.Error("nodes with the same secret do not have the same names")
	}
	want := sum(one, "p", "a", "b")
	for says, got := range map[string]string{
		"another secret": sum(other, "p", "a", "b"), "another purpose": sum(one, "q", "a", "b"),
		"parts that are split elsewhere": sum(one, "p", "ab", ""), "parts as one": sum(one, "p", "ab"),
	} {
		if got == want {
			t.Errorf("%s gives the same hash", says)
		}
	}
	if one.Key("x") == other.Key("x") {
		t.Error("two installations have a key together")
	}
}
