package redis

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// ear records the hints that a node receives.
type ear struct {
	*Hints
	mu       sync.Mutex
	projects map[sandlot.ProjectID]int
	accounts map[sandlot.AccountID]int
}

func (e *ear) heard(c sandlot.Changed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range c.Projects {
		e.projects[id]++
	}
	if c.Account != 0 {
		e.accounts[c.Account]++
	}
}

// knows reports whether it heard of a project.
func (e *ear) knows(id sandlot.ProjectID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.projects[id] > 0
}

// ears are nodes with the same secret, each on its own way to the server. They run until the test ends.
func ears(t *testing.T, secret string, urls ...string) []*ear {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var list []*ear
	for _, url := range urls {
		e := &ear{Hints: NewHints(open(t, url, secret)), projects: map[sandlot.ProjectID]int{}, accounts: map[sandlot.AccountID]int{}}
		running.Go(func() { e.Run(ctx, e.heard) })
		list = append(list, e)
	}
	t.Cleanup(func() {
		stop()
		begin := time.Now()
		running.Wait()
		if took := time.Since(begin); took > 4*time.Second {
			t.Errorf("it took %v to end", took)
		}
	})
	return list
}

// reaches sends hints of a new project again and again until the other node receives one: the first may come before it
// listens.
func reaches(t *testing.T, from, to *ear, id sandlot.ProjectID) {
	t.Helper()
	testenv.Eventually(t, patience, "a hint of "+string(id), func() bool {
		from.Tell(sandlot.Changed{Projects: []sandlot.ProjectID{id}})
		return to.knows(id)
	})
}

func TestHints(t *testing.T) {
	t.Parallel()
	t.Run("nodes hear what others change, and not what they change themselves", func(t *testing.T) {
		t.Parallel()
		url := testenv.StartRedis(t).URL()
		e := ears(t, "secret", url, url, url)
		for i, from := range e {
			for j, to := range e {
				if i != j {
					reaches(t, from, to, sandlot.ProjectID(fmt.Sprint("project-", i)))
				}
			}
		}
		testenv.Eventually(t, patience, "a hint of an account", func() bool {
			e[0].Tell(sandlot.Changed{Account: 7})
			e[1].mu.Lock()
			defer e[1].mu.Unlock()
			return e[1].accounts[7] > 0
		})
		for i, own := range e {
			if own.knows(sandlot.ProjectID(fmt.Sprint("project-", i))) {
				t.Errorf("node %d heard of what it changed itself", i)
			}
		}
	})
	t.Run("another installation on the server hears nothing", func(t *testing.T) {
		t.Parallel()
		url := testenv.StartRedis(t).URL()
		ours, others := ears(t, "ours", url, url), ears(t, "theirs", url, url)
		reaches(t, others[0], others[1], "theirs") // they listen
		reaches(t, ours[0], ours[1], "ours")
		reaches(t, others[0], others[1], "later")
		if others[0].knows("ours") || others[1].knows("ours") {
			t.Error("it heard of a project of ours")
		}
	})
	t.Run("thousands at once come in a few messages", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		e := ears(t, "secret", s.URL(), s.URL())
		reaches(t, e[0], e[1], "first")
		var all sandlot.Changed
		for i := range 2 * waitMost {
			all.Projects = append(all.Projects, sandlot.ProjectID(fmt.Sprint(strings.Repeat("x", 30), i)))
		}
		testenv.Eventually(t, patience, "as many as may wait", func() bool {
			e[0].Tell(all) // again, for a message may be lost on a busy machine
			e[1].mu.Lock()
			defer e[1].mu.Unlock()
			return len(e[1].projects) >= waitMost
		})
	})
	t.Run("hints come again after the server was killed", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		e := ears(t, "secret", s.URL(), s.URL())
		reaches(t, e[0], e[1], "before")
		s.Kill(t)
		timelyTell(t, e[0])
		s.Start(t)
		reaches(t, e[0], e[1], "after")
	})
}

// timelyTell sends hints of a great many changes.
func timelyTell(t *testing.T, e *ear) {
	t.Helper()
	begin := time.Now()
	for i := range 10_000 {
		e.Tell(sandlot.Changed{Projects: []sandlot.ProjectID{sandlot.ProjectID(fmt.Sprint(i))}, Account: sandlot.AccountID(i)})
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("to tell took %v", took)
	}
	e.Hints.mu.Lock()
	defer e.Hints.mu.Unlock()
	if len(e.lines) > waitMost {
		t.Errorf("%d changes wait", len(e.lines))
	}
}

func TestMessagesAreNotBelieved(t *testing.T) {
	t.Parallel()
	h := NewHints(open(t, "redis://"+testenv.Port(t), "secret"))
	for says, c := range map[string]struct {
		message            string
		projects, accounts int
	}{
		"nothing": {"", 0, 0}, "a sender alone": {"x", 0, 0}, "its own": {h.self + "\npa", 0, 0},
		"what cannot be an ID": {"x\np\npA\npä\np" + strings.Repeat("a", 41) + "\np../a\np a\npgood\nq\n\n\x00", 1, 0},
		"no account":           {"x\na\na0\na-1\na99999999999999999999\na1x\na5\na0x5", 0, 1},
		"too much":             {"x" + strings.Repeat("\npa", 10*inMessage) + strings.Repeat("\na1", inMessage), inMessage, 0},
		"another form":         {`{"projects":["a"]}`, 0, 0},
	} {
		projects, accounts := 0, 0
		h.hear(c.message, func(c sandlot.Changed) {
			projects += len(c.Projects)
			if c.Account != 0 {
				accounts++
			}
		})
		expect.Equal(t, says+": projects", projects, c.projects)
		expect.Equal(t, says+": accounts", accounts, c.accounts)
	}
}
