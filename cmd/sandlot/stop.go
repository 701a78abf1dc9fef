package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/transport/play/front"
)

const (
	// stopRetry is the time after which a client sends a body again that the stop has cut: a process starts faster.
	stopRetry = 2 * time.Second
	// stopAnswers is the time for the answers to bodies that were cut, and for the rest of these that clients still
	// send.
	stopAnswers = 2500 * time.Millisecond
	// lateBody is the time for a body that begins when others have been cut.
	lateBody = 250 * time.Millisecond
	// stopWrites is the time for steps of the stores whose clients were cut: a statement ends sooner.
	stopWrites = 20 * time.Second
)

// errStopping is the refusal of a body that the stop has cut.
func errStopping() error {
	return sandlot.Refuse(sandlot.CodeUnavailable, "The service is being restarted, and the body had not come whole. Nothing of it was kept.").
		After(stopRetry).With(sandlot.OpWait).Note("Send the same request again in %d s.", int(stopRetry/time.Second))
}

// longestStop returns the time within which a server with these settings has stopped.
func (s settings) longestStop() time.Duration {
	return s.DrainDelay + s.StopGrace + stopAnswers + stopWrites
}

// A server answers clients through net/http and the front.
type server struct {
	http   *http.Server
	direct *front.Listener
	router *router
}

// stop goes on answering, with each answer the last of its connection, for the delay, and then until nothing is under
// way, for the grace at most. Bodies that are not whole by then are refused. When it returns no request is in a handler,
// as far as the store allows, and connections to a passed socket wait for the next process.
func (s server) stop(delay, grace time.Duration) error {
	s.router.draining.Store(true)
	s.direct.Drain()
	s.router.pages.Close()
	time.Sleep(delay)
	err := s.quiet(grace)
	if err != nil {
		s.router.underWay.refuse(errStopping())
		err = s.quiet(stopAnswers)
	}
	return errors.Join(s.close(err == nil), s.router.underWay.wait(stopWrites))
}

func (s server) quiet(within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return front.Quiet(ctx, s.direct)
}

// close closes the connections. Those of clients that read slowly are cut, unless nothing was under way.
func (s server) close(quiet bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if !quiet {
		cancel()
	}
	// First the front: it may hand over a request that has just come.
	cut := errors.Join(s.direct.Shutdown(ctx), s.http.Shutdown(ctx))
	if cut == nil {
		return nil
	}
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

// underWay holds requests. Its methods may be called concurrently. The zero value is empty.
type underWay struct {
	mu      sync.Mutex
	bodies  map[*pacedBody]context.Context // of the requests
	refusal error                          // of bodies that are not whole; nil: they may take their time
}

// add adds a request, by its body and its context, until the returned function is called.
func (u *underWay) add(ctx context.Context, b *pacedBody) (done func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bodies == nil {
		u.bodies = map[*pacedBody]context.Context{}
	}
	u.bodies[b] = ctx
	end := func() bool { return true }
	if refusal := u.refusal; refusal != nil {
		end = time.AfterFunc(lateBody, func() { cut(ctx, b, refusal) }).Stop
	}
	return func() {
		end()
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.bodies, b)
	}
}

// refuse ends the bodies that have not come whole, and from now on those that do not come whole at once. Their connections
// linger.
func (u *underWay) refuse(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.refusal = err
	for b, ctx := range u.bodies {
		cut(ctx, b, err)
	}
}

func cut(ctx context.Context, b *pacedBody, err error) {
	if b.refuse(err) {
		front.Linger(ctx)
	}
}

// wait returns nil when there are no requests.
func (u *underWay) wait(most time.Duration) error {
	for end := time.Now().Add(most); ; time.Sleep(5 * time.Millisecond) {
		u.mu.Lock()
		n := len(u.bodies)
		u.mu.Unlock()
		if n == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d requests did not end", n)
		}
	}
}
