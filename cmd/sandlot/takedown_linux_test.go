package main

import (
	"context"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// unconfirmed matches the count of queries for change numbers that failed, if there is one.
var unconfirmed = regexp.MustCompile(`sandlot_worker_failures_total\{worker="heads"\} ([1-9][0-9]*)`)

// unasked has every read of the database by the server fail until the function that it returns is called.
func unasked(t *testing.T, s *testenv.Server) (asked func()) {
	t.Helper()
	database := filepath.Join(s.Data(), "sandlot.db")
	return attach(t, s, "-P", database, "-P", database+"-wal", "-e", "trace=pread64", "-e", "inject=pread64:error=ESTALE").detach
}

// failures is how many queries for change numbers failed.
func failures(t *testing.T, s *testenv.Server) int {
	t.Helper()
	_, text := open(t, s, s.URL()+"/metrics")
	m := unconfirmed.FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	expect.OK(t, err)
	return n
}

// uses are what a project's address answered, asked again and again.
type uses struct {
	mu   sync.Mutex
	seen map[int]bool // the statuses; 0 is no answer
}

// use asks for a project until the end of the test, so that it is in use.
func use(t *testing.T, s *testenv.Server, url string) *uses {
	v := &uses{seen: map[int]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		testenv.Poll(time.Hour, func() bool {
			status := 0
			if resp, err := s.Client().Get(url); err == nil {
				resp.Body.Close()
				status = resp.StatusCode
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			v.seen[status] = true
			return ctx.Err() != nil
		})
	}()
	t.Cleanup(func() { stop(); <-done })
	return v
}

// take is what was answered since it was called last.
func (v *uses) take() []int {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := slices.Collect(maps.Keys(v.seen))
	clear(v.seen)
	return seen
}

// TestSoakAnOperatorsActIsSeenWithinASecondOfADatabaseThatAnswersAgain: while it does not, a project in use is served as it was
// confirmed last, and no longer than that.
func TestSoakAnOperatorsActIsSeenWithinASecondOfADatabaseThatAnswersAgain(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	_, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>hi")})
	url, id := project["url"].(string), project["project_id"].(string)
	v := use(t, s, url)
	for _, act := range []struct {
		args          []string
		before, after int
	}{
		{[]string{"suspend", id, "--reason", "a report"}, http.StatusOK, http.StatusUnavailableForLegalReasons},
		{[]string{"reinstate", id}, http.StatusUnavailableForLegalReasons, http.StatusOK},
	} {
		awaitStatus(t, s, url, act.before)
		asked, failed := unasked(t, s), failures(t, s)
		admin(t, s, act.args...)
		v.take()
		testenv.Eventually(t, 20*time.Second, "the database cannot be asked for change numbers", func() bool { return failures(t, s) > failed+2 })
		if seen := v.take(); !slices.Equal(seen, []int{act.before}) {
			t.Errorf("without a database it answered %v, not %d alone", seen, act.before)
		}
		asked()
		if took := awaitStatus(t, s, url, act.after); took > fivefold*time.Second {
			t.Errorf("after %s it was seen in %v", act.args[0], took)
		}
	}
}
