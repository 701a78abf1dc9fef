//go:build failpoints

package failpoint

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	killVariable = "SANDLOT_TEST_FAILPOINT"
	hitsVariable = "SANDLOT_TEST_HITS"
)

// Hit records that p is reached: the first time it appends p to the list, and it kills the process if this is the
// configured time. It may be called from many goroutines at once. It panics if a variable names no point or the list
// cannot be written: a test of nothing must not pass.
func Hit(p Point) { loaded().hit(p) }

// loaded is state of the process, like the environment that it is read from.
var loaded = sync.OnceValue(func() *plan {
	pl, err := newPlan(os.Getenv(killVariable), os.Getenv(hitsVariable))
	if err != nil {
		panic(err)
	}
	return pl
})

// A plan holds the settings of the variables.
type plan struct {
	at   Point  // none if empty
	list string // none if empty
	kill func()

	mu   sync.Mutex
	left int // hits of at until the kill
	seen map[Point]bool
}

func newPlan(at, list string) (*plan, error) {
	pl := &plan{list: list, kill: killSelf, seen: map[Point]bool{}}
	if at == "" {
		return pl, nil
	}
	name, count, _ := strings.Cut(at, ":")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || !slices.Contains(All(), Point(name)) {
		return nil, fmt.Errorf("%s=%q is not the name of a point, a colon and a count from 1", killVariable, at)
	}
	pl.at, pl.left = Point(name), n
	return pl, nil
}

func (pl *plan) hit(p Point) {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	if !pl.seen[p] {
		pl.seen[p] = true
		if err := pl.note(p); err != nil {
			panic(err)
		}
	}
	if p != pl.at {
		return
	}
	if pl.left--; pl.left == 0 {
		pl.kill()
	}
}

// note appends to the list. Written entries survive a kill of the process.
func (pl *plan) note(p Point) error {
	if pl.list == "" {
		return nil
	}
	f, err := os.OpenFile(pl.list, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(string(p) + "\n")
	return errors.Join(err, f.Close())
}

// killSelf does not return: nothing after the point may happen.
func killSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}
