package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// moderate suspends a project of its own, reinstates it, holds it and releases it, again and again, and looks when each
// node knows.
func (r *run) moderate(ctx context.Context) {
	once := fmt.Sprintf("moderated-%d-%032d", r.seed, r.seed)
	made, err := r.settle("write", func(int) (api.Answer, error) {
		f := api.Fields{Email: "moderated@example.com", IdempotencyKey: once}
		return r.as("").Publish(context.Background(), f, strings.NewReader("<!doctype html><title>moderated</title>"))
	})
	if err != nil {
		r.wrong("moderated project: %w", err)
		return
	}
	acts := []struct {
		args   []string
		status int
	}{
		{[]string{"suspend", made.ProjectID, "--reason", "a report"}, http.StatusUnavailableForLegalReasons},
		{[]string{"reinstate", made.ProjectID}, http.StatusOK},
		{[]string{"decide", "hold", made.ProjectID, "--reason", "deceptive"}, http.StatusUnavailableForLegalReasons},
		{[]string{"release", made.ProjectID, "--reason", "a game"}, http.StatusOK},
	}
	for i := 0; ctx.Err() == nil; i++ {
		for _, n := range r.nodes { // each has it in its cache
			_, _ = n.open(made.URL, "identity")
		}
		act := acts[i%len(acts)]
		if !r.administer(act.args) {
			return
		}
		if err := r.seen(act.args[0], made.URL, act.status); err != nil {
			r.wrong("%w", err)
			return
		}
	}
}

// administer runs the operator's command until it has its effect.
func (r *run) administer(command []string) bool {
	args := slices.Concat([]string{"admin"}, command, r.flags)
	var said []byte
	done := testenv.Poll(patience, func() bool {
		cmd := exec.Command(testenv.Binary(r.t), args...)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SANDLOT_") })
		var err error
		said, err = cmd.CombinedOutput()
		return err == nil || bytes.Contains(said, []byte("nothing was changed")) // the answer to the command before was lost
	})
	if !done {
		r.wrong("sandlot admin %s: %s", command, said)
	}
	return done
}

// seen looks at all nodes until they answer so.
func (r *run) seen(what, url string, status int) error {
	acked := time.Now()
	errs := make([]error, nodeCount)
	var all sync.WaitGroup
	for i := range r.nodes {
		all.Go(func() { errs[i] = r.seenAt(i, what, url, status, acked) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// seenAt looks at a node until it answers so. One that has another answer to a request that began too late is wrong.
func (r *run) seenAt(i int, what, url string, status int, acked time.Time) error {
	old, strict := time.Duration(0), true // for how long it was out of date
	for {
		a, answered := r.nodes[i].open(url, "identity")
		late := a.begun.Sub(acked)
		switch {
		case answered && a.status == status:
			r.moderated(old, strict)
			return nil
		case answered:
			most, held := r.allowed(r.nodes[i], a, late)
			if late > most {
				return fmt.Errorf("node %d answers %d, %v after %s was acknowledged, which may be %v", i+1, a.status, late, what, most)
			}
			old, strict = late, strict && held
		case late > patience:
			return fmt.Errorf("node %d answers %d, %v after %s was acknowledged", i+1, a.status, late, what)
		}
		testenv.Wait(r.t, 10*time.Millisecond, "a moderator looks again")
	}
}

func (r *run) moderated(stale time.Duration, strict bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if strict {
		r.suspended++
		r.stalestSuspended = max(r.stalestSuspended, stale)
	}
}
