package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync"
	"time"

	"sandlot"
)

// outcomeTime bounds the query for a step's outcome. A standby takes over within that time, and callers wait no longer.
const outcomeTime = 30 * time.Second

// Each step has a number, which it records in the same transaction: in a row of the table steps that no other step
// writes meanwhile, a slot. The database holds as many rows as steps ever ran at once.

// slots are those of an engine, each for one step at a time.
type slots struct {
	mu     sync.Mutex
	prefix string
	made   int
	free   []*slot
	number int64
}

// A slot is the name of a row of the table steps, and the number of the step that has it.
type slot struct {
	name   string
	number int64
}

func newSlots() *slots { return &slots{prefix: rand.Text()} }

// take returns a slot that no other step has, with a number that no other has.
func (s *slots) take() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	if n := len(s.free); n > 0 {
		one := s.free[n-1]
		s.free = s.free[:n-1]
		one.number = s.number
		return one
	}
	s.made++
	return &slot{name: s.prefix + "-" + strconv.Itoa(s.made), number: s.number}
}

// give takes a slot back. One whose connection broke is not used again: its transaction may hold the row until the
// database notices.
func (s *slots) give(one *slot, broken bool) {
	if broken {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, one)
}

// noteStep records the number of a step. It is its first statement, so that askOutcome waits for a COMMIT under way.
const noteStep = "INSERT INTO steps (slot, step) VALUES ($1, $2) ON CONFLICT (slot) DO UPDATE SET step = excluded.step, at = now()"

// askOutcome waits for the last transaction that wrote the slot, then returns the number that it left there. It is a
// write itself: where commits wait for a standby, its answer comes when the standby has that transaction, too.
const askOutcome = "INSERT INTO steps (slot, step) VALUES ($1, 0) ON CONFLICT (slot) DO UPDATE SET at = now() RETURNING step"

// outcome returns whether a step was committed whose connection broke after COMMIT was sent. The answer is certain,
// also that of a standby that has taken over: it has the row exactly if it has the rest of the step. Without an answer
// in time, the error does not claim that nothing was changed.
func (e *Engine) outcome(s *slot, cause error) (again bool, err error) {
	until := time.Now().Add(e.outcomeTime)
	for n := 1; ; n++ {
		last, err := e.lastStep(s)
		if err == nil && last == s.number {
			return false, nil
		}
		if err == nil {
			return true, sandlot.NoEffect(fmt.Errorf("%w: the connection broke before the commit: %w", sandlot.ErrUnavailable, cause))
		}
		if time.Now().After(until) {
			return false, fmt.Errorf("%w: the connection broke at the commit (%w), and whether it was done could not be found out: %w",
				sandlot.ErrUnavailable, cause, err)
		}
		time.Sleep(pause(n))
	}
}

// lastStep returns the number of the last step that was committed with this slot.
func (e *Engine) lastStep(s *slot) (number int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), e.outcomeTime/4)
	defer cancel()
	c, err := e.acquire(ctx, true)
	if err != nil {
		return 0, err
	}
	defer c.Release()
	err = c.QueryRow(ctx, askOutcome, s.name).Scan(&number)
	return number, err
}
