package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// ErrStalled means that the other side exceeded the Client's Waits. It is an ErrNoAnswer, too.
var ErrStalled = errors.New("waited in vain")

// Waits limit how long a Client waits for the other side; time that this side takes to read or write does not count.
// The zero value sets no limits.
type Waits struct {
	Stall time.Duration // for the next bytes of a body, and for the beginning of an answer
	Work  int64         // bytes sent for which the answer may begin one second later; 0: none do
	Most  time.Duration // for the beginning of an answer, however much was sent
}

// stalled describes the wait that timed out.
type stalled string

func (s stalled) Error() string { return string(s) }

func (s stalled) Is(target error) bool { return target == ErrStalled || target == ErrNoAnswer }

// The events that a watch can wait for.
const (
	nothing  = ""
	forMore  = "it took no more of what is sent"
	forBegin = "no answer began"
	forRest  = "no more of the answer came"
)

// A watch cancels one request when it waits too long. The HTTP client reads the body and returns the answer at the same
// time, so a watch has a lock.
type watch struct {
	waits    Waits
	cancel   context.CancelCauseFunc
	lock     sync.Mutex
	timer    *time.Timer // nil: it waits for nothing
	answered bool
}

// watched returns a copy of a request that ends with ErrStalled if a wait takes too long.
func (w Waits) watched(req *http.Request) (*watch, *http.Request) {
	ctx, cancel := context.WithCancelCause(req.Context())
	v := &watch{waits: w, cancel: cancel}
	req = req.WithContext(ctx)
	if req.Body == nil || req.Body == http.NoBody {
		v.wait(forBegin, w.Stall)
		return v, req
	}
	if again := req.GetBody; again != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return &sending{ReadCloser: body, v: v}, err
		}
	}
	req.Body = &sending{ReadCloser: req.Body, v: v}
	v.wait(forMore, w.Stall)
	return v, req
}

// wait replaces the present wait, unless the answer has begun: then its reader waits alone.
func (v *watch) wait(what string, long time.Duration) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if !v.answered {
		v.set(what, long)
	}
}

// answer replaces the present wait by one for the answer.
func (v *watch) answer(what string) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.answered = true
	v.set(what, v.waits.Stall)
}

func (v *watch) set(what string, long time.Duration) {
	if v.timer != nil {
		v.timer.Stop()
	}
	if v.timer = nil; what != nothing && long > 0 {
		v.timer = time.AfterFunc(long, func() { v.cancel(stalled(what + " within " + long.String())) })
	}
}

// end ends the watch.
func (v *watch) end() {
	v.answer(nothing)
	v.cancel(nil)
}

// why returns the wait that ended a request, if one did, instead of the error that it led to, as an ErrNoAnswer.
func why(ctx context.Context, err error) error {
	var waited stalled
	if errors.As(context.Cause(ctx), &waited) {
		return waited
	}
	return unanswered(err)
}

// sending is the body of a request, whose reader sends the bytes that it has read.
type sending struct {
	io.ReadCloser
	v    *watch
	sent int64
}

func (s *sending) Read(p []byte) (int, error) {
	s.v.wait(nothing, 0)
	n, err := s.ReadCloser.Read(p)
	s.sent += int64(n)
	if err == nil {
		s.v.wait(forMore, s.v.waits.Stall)
	} else {
		s.v.wait(forBegin, s.v.waits.begin(s.sent))
	}
	return n, err
}

// begin returns how long an answer may take to begin after a number of sent bytes.
func (w Waits) begin(sent int64) time.Duration {
	if w.Work == 0 {
		return w.Stall
	}
	return min(w.Stall+time.Duration(sent/w.Work)*time.Second, max(w.Most, w.Stall))
}

// received is the body of an answer. It fails with ErrNoAnswer where it breaks off.
type received struct {
	io.ReadCloser
	v   *watch
	ctx context.Context
}

func (a *received) Read(p []byte) (int, error) {
	a.v.answer(forRest)
	n, err := a.ReadCloser.Read(p)
	a.v.answer(nothing)
	if err != nil && err != io.EOF {
		err = why(a.ctx, err)
	}
	return n, err
}

func (a *received) Close() error {
	a.v.end()
	return a.ReadCloser.Close()
}
