package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// ErrStalled means that the other side was waited for as long as the Client's Waits say. It is an ErrNoAnswer, too.
var ErrStalled = errors.New("waited in vain")

// Waits bound how long a Client waits for the other side; what this side takes to read or to write counts for nothing. A transfer is
// what goes there, and what File and Export bring. The zero value bounds nothing.
type Waits struct {
	Stall  time.Duration // for the next bytes of a transfer, and for an answer to begin
	Pace   int64         // bytes a second: what a transfer has on the average, once it has taken Stall
	Work   int64         // bytes that were sent, for each of which many the answer may begin a second later
	Most   time.Duration // for an answer to begin, however much was sent
	Answer time.Duration // for all of an answer that is no transfer, from its beginning
}

// stalled says what was waited for.
type stalled string

func (s stalled) Error() string { return string(s) }

func (s stalled) Is(target error) bool { return target == ErrStalled || target == ErrNoAnswer }

// What a watch can wait for.
const (
	forMore  = "it took no more of what is sent"
	forPace  = "it was slower than any line that is of use"
	forBegin = "no answer began"
	forWhole = "the answer that began was not whole"
	forRest  = "no more of the answer came"
)

// A watch ends one request when it waits too long. The HTTP client reads the body and returns the answer at the same time, so it has a lock.
type watch struct {
	waits    Waits
	cancel   context.CancelCauseFunc
	lock     sync.Mutex
	timer    *time.Timer
	what     string
	long     time.Duration // 0: not of interest
	since    time.Time     // when it began to wait
	waited   time.Duration // in all, for this transfer
	moved    int64         // bytes of this transfer
	answered bool
}

// watched is a request that ends with an error that is ErrStalled when it was waited for too long.
func (w Waits) watched(req *http.Request) (*watch, *http.Request) {
	ctx, cancel := context.WithCancelCause(req.Context())
	v := &watch{waits: w, cancel: cancel}
	v.timer = time.AfterFunc(time.Hour, v.fire)
	v.timer.Stop()
	req = req.WithContext(ctx)
	if req.Body == nil || req.Body == http.NoBody {
		v.wait(forBegin, w.Stall)
		return v, req
	}
	if again := req.GetBody; again != nil {
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return sending{body, v}, err
		}
	}
	req.Body = sending{req.Body, v}
	v.wait(forMore, w.Stall)
	return v, req
}

func (v *watch) fire() {
	v.lock.Lock()
	defer v.lock.Unlock()
	if v.long > 0 {
		v.what += " within " + v.long.String()
	}
	v.cancel(stalled(v.what))
}

// wait begins to wait for something.
func (v *watch) wait(what string, long time.Duration) {
	v.what, v.long, v.since = what, long, time.Now()
	if long > 0 {
		v.timer.Reset(long)
	}
}

// next waits for the next bytes of a transfer, which must not come too slowly either.
func (v *watch) next(what string) {
	v.wait(what, v.waits.Stall)
	if v.waits.Pace == 0 {
		return
	}
	if left := v.waits.Stall + time.Duration(v.moved/v.waits.Pace)*time.Second - v.waited; left < v.waits.Stall {
		v.what, v.long = forPace, 0
		v.timer.Reset(max(left, 0)) // one that has run out fires at once
	}
}

// came notes that bytes have come or gone, and that nothing is waited for.
func (v *watch) came(n int) {
	v.timer.Stop()
	v.waited += time.Since(v.since)
	v.moved += int64(n)
}

// begun notes that an answer has begun, of which all is waited for.
func (v *watch) begun() {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.answered, v.waited, v.moved = true, 0, 0
	v.timer.Stop()
	v.wait(forWhole, v.waits.Answer)
}

// end waits for nothing any more. It returns what ended the request, or err if that was no wait.
func (v *watch) end(ctx context.Context, err error) error {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.timer.Stop()
	v.cancel(nil)
	return why(ctx, err)
}

// why is the wait that ended a request, if one did, instead of what that led to.
func why(ctx context.Context, err error) error {
	var waited stalled
	if err != nil && errors.As(context.Cause(ctx), &waited) {
		return waited
	}
	return err
}

// sending is the body of a request, whose reader sends what it has read.
type sending struct {
	io.ReadCloser
	v *watch
}

func (s sending) Read(p []byte) (int, error) {
	s.v.lock.Lock()
	if !s.v.answered {
		s.v.came(0)
	}
	s.v.lock.Unlock()
	n, err := s.ReadCloser.Read(p)
	s.v.lock.Lock()
	defer s.v.lock.Unlock()
	if s.v.answered {
		return n, err
	}
	s.v.moved += int64(n)
	if err == nil {
		s.v.next(forMore)
		return n, err
	}
	s.v.wait(forBegin, s.v.waits.begin(s.v.moved))
	return n, err
}

// begin is how long an answer may take to begin after so many bytes.
func (w Waits) begin(sent int64) time.Duration {
	if w.Work == 0 {
		return w.Stall
	}
	return min(w.Stall+time.Duration(sent/w.Work)*time.Second, max(w.Most, w.Stall))
}

// answer is the body of an answer.
type answer struct {
	io.ReadCloser
	v        *watch
	ctx      context.Context
	transfer bool
}

// Read waits as long as it may, and then fails with ErrStalled.
func (a *answer) Read(p []byte) (int, error) {
	if a.transfer {
		a.v.lock.Lock()
		a.v.next(forRest)
		a.v.lock.Unlock()
	}
	n, err := a.ReadCloser.Read(p)
	if a.transfer {
		a.v.lock.Lock()
		a.v.came(n)
		a.v.lock.Unlock()
	}
	return n, why(a.ctx, err)
}

func (a *answer) Close() error {
	_ = a.v.end(a.ctx, nil) // only stops it
	return a.ReadCloser.Close()
}

// stream is the answer of which as much may come as there is, as long as something comes.
func (a *answer) stream() {
	a.v.lock.Lock()
	defer a.v.lock.Unlock()
	a.v.came(0)
	a.v.waited, a.transfer = 0, true
}
