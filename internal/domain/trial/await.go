package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// WaitMax is the longest wait of Await: less than the time after which most clients and proxies give up.
const WaitMax = 25 * time.Second

const (
	lookEvery   = time.Second
	lookTime    = 10 * time.Second
	mostWaiting = 200 // calls of Await at once; each holds a connection
	eachWaiting = 20  // of them about projects of one account
)

// Await returns c, the Checks of a project, anew as soon as the trial of its current version is over, and after wait or
// WaitMax at the latest. It reads no list of files. It does not wait while nothing can be opened, as in a process that
// stops, nor while 200 other calls wait, or 20 about projects of the same account.
func (s *Service) Await(ctx context.Context, by sandlot.Caller, c Checks, wait time.Duration) (Checks, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, &c.Project); err != nil {
		return Checks{}, err
	}
	if wait <= 0 || !c.State.pending() {
		return c, nil
	}
	leave, ok := s.waits.enter(c.Project.Account)
	if !ok {
		return c, nil
	}
	defer leave()
	until, cancel := context.WithTimeout(ctx, min(wait, WaitMax))
	defer cancel()
	for c.State.pending() && s.status.able() {
		r, err := s.waits.next(until, c.Project.ID)
		if errors.Is(err, errWaited) {
			break
		}
		if err != nil {
			return Checks{}, fmt.Errorf("wait for a trial: %w", err)
		}
		if c, err = s.anew(ctx, by, c.Project.ID, r); err != nil {
			return Checks{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Checks{}, err
	}
	return s.queued(ctx, c)
}

// anew returns the Checks of a project with a record that was just read.
func (s *Service) anew(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, r Record) (Checks, error) {
	p, err := s.projects.Current(ctx, by, id)
	if err == nil {
		err = sandlot.Authorize(by, sandlot.ActReadFiles, &p)
	}
	if err != nil {
		return Checks{}, err
	}
	return s.checks(p, r)
}

// waits are the calls of Await. They share one look at the store: once a second, for what other nodes record, and at
// once when the Runner of this process has ended a trial.
type waits struct {
	store  Store
	status *Status

	mu   sync.Mutex
	all  int                       // calls that wait
	each map[sandlot.AccountID]int // of them, about projects of an account
	look *look                     // the next one, for calls to join; nil: none waits
}

// A look reads the records of the projects of all calls that wait for it.
type look struct {
	ids   []sandlot.ProjectID
	done  chan struct{} // closed when the rest is set
	found map[sandlot.ProjectID]Record
	err   error
}

func newWaits(store Store, status *Status) *waits {
	return &waits{store: store, status: status, each: map[sandlot.AccountID]int{}}
}

// enter takes a slot for a call, if there is one, until leave is called.
func (w *waits) enter(account sandlot.AccountID) (leave func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == mostWaiting || w.each[account] == eachWaiting {
		return nil, false
	}
	w.all++
	w.each[account]++
	return func() { w.leave(account) }, true
}

func (w *waits) leave(account sandlot.AccountID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.each[account]--; w.each[account] == 0 {
		delete(w.each, account)
	}
}

// errWaited means that the wait is over, without news.
var errWaited = errors.New("no news")

// next returns the record of a project as the next look finds it. It is errWaited once ctx has ended.
func (w *waits) next(ctx context.Context, id sandlot.ProjectID) (Record, error) {
	k := w.join(id)
	select {
	case <-k.done:
		return k.found[id], k.err
	case <-ctx.Done():
		return Record{}, errWaited
	}
}

func (w *waits) join(id sandlot.ProjectID) *look {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.look == nil {
		w.look = &look{done: make(chan struct{})}
		go w.take(w.look)
	}
	w.look.ids = append(w.look.ids, id)
	return w.look
}

// take makes a look when it is due.
func (w *waits) take(k *look) {
	defer close(k.done)
	select {
	case <-time.After(lookEvery):
	case <-w.status.news():
	}
	w.mu.Lock()
	w.look = nil
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	k.err = worker.Guarded(func() (err error) {
		k.found, err = w.store.Trials(ctx, k.ids...)
		return err
	})
}

// Status holds the reason why the Runner of this process can open nothing, and announces its trials. The zero value
// has no reason. It may be used concurrently.
type Status struct {
	Off bool // whether this process has no Runner; set before use

	mu   sync.Mutex
	why  string
	next chan struct{} // closed at the next change; nil: nobody waits for one
}

// Set sets the reason why nothing can be opened; empty: it can. Calls that wait for a trial are answered then.
func (s *Status) Set(why string) {
	s.mu.Lock()
	s.why = why
	s.mu.Unlock()
	s.announce()
}

// reason returns the reason why nothing can be opened.
func (s *Status) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// able reports whether there is no such reason.
func (s *Status) able() bool { return s.reason() == "" }

// announce ends the wait for news.
func (s *Status) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// news returns a channel that is closed when the Runner has ended a trial or its reason has changed.
func (s *Status) news() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}
