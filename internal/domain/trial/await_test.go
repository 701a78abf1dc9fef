package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A counted store has the records of trials, and counts how often it is asked for them.
type counted struct {
	Store
	mu      sync.Mutex
	records map[sandlot.ProjectID]Record
	looks   int
	asked   map[sandlot.ProjectID]int // by the last look
}

func (c *counted) Trials(_ context.Context, ids ...sandlot.ProjectID) (map[sandlot.ProjectID]Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	c.asked = map[sandlot.ProjectID]int{}
	found := map[sandlot.ProjectID]Record{}
	for _, id := range ids {
		c.asked[id]++
		if r, ok := c.records[id]; ok {
			found[id] = r
		}
	}
	return found, nil
}

func (c *counted) TrialsAhead(context.Context, sandlot.ProjectID) (int, error) { return 7, nil }

// end records that version 1 of a project was opened.
func (c *counted) end(id sandlot.ProjectID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records[id] = Record{Version: 1, Outcome: Done}
}

// currents are projects at version 1; the first letter of an id stands for its account.
type currents struct{ Projects }

func (currents) Current(_ context.Context, _ sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	return sandlot.Project{ID: id, Account: sandlot.AccountID(id[0]), Version: 1}, nil
}

// A hall has calls of Await.
type hall struct {
	*Service
	t     *testing.T
	store *counted
	wg    sync.WaitGroup
}

func newHall(t *testing.T) *hall {
	store := &counted{records: map[sandlot.ProjectID]Record{}}
	return &hall{Service: New(store, currents{}, &Status{}), t: t, store: store}
}

// await calls Await, and returns its result and how long it took.
func (h *hall) await(ctx context.Context, id sandlot.ProjectID, wait time.Duration) (Checks, time.Duration, error) {
	began := time.Now()
	p, _ := currents{}.Current(ctx, sandlot.Caller{}, id)
	owner := sandlot.Identified(sandlot.Sender{}, sandlot.Credential{Key: &sandlot.Key{Account: p.Account, Kind: sandlot.AccountKey}})
	c, err := h.Await(ctx, owner, Checks{Project: p, State: Waiting}, wait)
	return c, time.Since(began), err
}

// waits has a call wait in the background, until it is answered with state within as long.
func (h *hall) waits(id sandlot.ProjectID, state State, least, most time.Duration) {
	h.wg.Go(func() {
		c, took, err := h.await(h.t.Context(), id, time.Hour)
		if err != nil || c.State != state || took < least || took > most {
			h.t.Errorf("the call about %s ends with %s after %v: %v", id, c.State, took, err)
		}
	})
}

// TestCallsThatWaitShareOneLookASecond: however many wait, the store is asked once a second, for all of them.
func TestCallsThatWaitShareOneLookASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t)
		for i := range 100 {
			id := sandlot.ProjectID(fmt.Sprintf("%c-%d", 'a'+i%10, i/20))
			h.waits(id, Ended, 10*time.Second, 11*time.Second)
		}
		testenv.Pass(10 * time.Second)
		synctest.Wait()
		h.store.mu.Lock()
		expect.Equal(t, "looks in ten seconds", h.store.looks, 10)
		expect.Equal(t, "projects of one look", len(h.store.asked), 50)
		h.store.mu.Unlock()
		for i := range 100 {
			h.store.end(sandlot.ProjectID(fmt.Sprintf("%c-%d", 'a'+i%10, i/20)))
		}
		h.wg.Wait()
		testenv.Pass(time.Hour)
		expect.Equal(t, "looks once nobody waits", h.store.looks, 11)
	})
}

// TestATrialOfThisProcessAnswersAtOnce, without the second for trials of other nodes.
func TestATrialOfThisProcessAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t)
		h.waits("a-1", Ended, 500*time.Millisecond, 500*time.Millisecond)
		testenv.Pass(500 * time.Millisecond)
		h.store.end("a-1")
		h.status.announce()
		h.wg.Wait()
	})
}

// TestAWaitEnds at 25 seconds, with the client, with a process that stops, and where nothing can be opened.
func TestAWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t)
		c, took, err := h.await(t.Context(), "a-1", time.Hour)
		expect.OK(t, err)
		expect.Equal(t, "the longest wait", took, 25*time.Second)
		expect.Equal(t, "the state then", c.State, Waiting)
		expect.Equal(t, "the place in the queue", c.Ahead, 7)

		ctx, gone := context.WithCancel(t.Context())
		h.wg.Go(func() {
			_, took, err := h.await(ctx, "a-1", time.Hour)
			expect.Equal(t, "the error for a client that is gone", errors.Is(err, context.Canceled), true)
			expect.Equal(t, "when the client was gone", took, 100*time.Millisecond)
		})
		h.waits("a-2", Unavailable, 200*time.Millisecond, 200*time.Millisecond)
		testenv.Pass(100 * time.Millisecond)
		gone()
		testenv.Pass(100 * time.Millisecond)
		h.status.Set("This service is stopping.")
		h.wg.Wait()
		_, took, _ = h.await(t.Context(), "a-3", time.Hour)
		expect.Equal(t, "a wait after that", took, 0)
		expect.Equal(t, "calls that are left", h.Service.waits.all+len(h.Service.waits.each), 0)
	})
}

// TestSoManyCallsWait, of one account and in all; one more is answered at once with what is known.
func TestSoManyCallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t)
		for i := range 10 {
			for range eachWaiting {
				h.waits(sandlot.ProjectID(fmt.Sprintf("%c-1", 'a'+i)), Ended, time.Second, time.Second)
			}
			synctest.Wait()
			_, took, err := h.await(t.Context(), sandlot.ProjectID(fmt.Sprintf("%c-2", 'a'+i)), time.Hour)
			expect.OK(t, err)
			expect.Equal(t, "the wait of one more of the account", took, 0)
		}
		_, took, _ := h.await(t.Context(), "z-1", time.Hour)
		expect.Equal(t, "the wait of one more in all", took, 0)
		for i := range 10 {
			h.store.end(sandlot.ProjectID(fmt.Sprintf("%c-1", 'a'+i)))
		}
		h.wg.Wait()
	})
}
