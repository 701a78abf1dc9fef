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

// Waits limit how long a Client waits for the other side; time that this side takes to read or write does not count. A
// transfer is the body of a request, or the answer of File or Export. The zero value sets no limits.
type Waits struct {
	Stall  time.Duration // for the next bytes of a transfer, and for the beginning of an answer
	Pace   int64         // average bytes a second that a transfer needs once it has taken Stall
	Work   int64         // bytes sent for which the answer may begin one second later
	Most   time.Duration // for the beginning of an answer, however much was sent
	Answer time.Duration // for the whole of an answer that is no transfer, from its beginning
}

// stalled describes the wait that timed out.
type stalled string

func (s stalled) Error() string { return string(s) }

func (s stalled) Is(target error) bool { return target == ErrStalled || target == ErrNoAnswer }

// The events that a watch can wait for.
const (
	forMore  = "it took no more of what is sent"
	forPace  = "it was slower than any line that is of use"
	forBegin = "no answer began"
	forWhole = "the answer that began was not whole"
	forRest  = "no more of the answer came"
)

// A watch cancels one request when it waits too long. The HTTP client reads the body and returns the answer at the same
// time, so a watch has a lock.
type watch struct {
	waits    Waits
	cancel   context.CancelCauseFunc
	lock     sync.Mutex
	timer    *time.Timer
	what     string
	long     time.Duration // 0: left out of the error
	since    time.Time     // when the wait began
	waited   time.Duration // in total, for this transfer
	moved    int64         // bytes of this transfer
	answered bool
}

// watched returns a copy of a request that ends with ErrStalled if a wait takes too long.
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

// wait starts the wait for an event.
func (v *watch) wait(what string, long time.Duration) {
	v.what, v.long, v.since = what, long, time.Now()
	if long > 0 {
		v.timer.Reset(long)
	}
}

// next waits for the next bytes of a transfer, within its pace.
func (v *watch) next(what string) {
	v.wait(what, v.waits.Stall)
	if v.waits.Pace == 0 {
		return
	}
	if left := v.waits.Stall + time.Duration(v.moved/v.waits.Pace)*time.Second - v.waited; left < v.waits.Stall {
		v.what, v.long = forPace, 0
		v.timer.Reset(max(left, 0)) // a pace already missed fires at once
	}
}

// came records that bytes were transferred, and ends the wait.
func (v *watch) came(n int) {
	v.timer.Stop()
	v.waited += time.Since(v.since)
	v.moved += int64(n)
}

// begun records that an answer has begun, and waits for the rest.
func (v *watch) begun() {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.answered, v.waited, v.moved = true, 0, 0
	v.timer.Stop()
	v.wait(forWhole, v.waits.Answer)
}

// end ends the watch. It returns the wait that ended the request, or err if none did.
func (v *watch) end(ctx context.Context, err error) error {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.timer.Stop()
	v.cancel(nil)
	return why(ctx, err)
}

// why returns the wait that ended a request, if one did, instead of the error that it led to.
func why(ctx context.Context, err error) error {
	var waited stalled
	if err != nil && errors.As(context.Cause(ctx), &waited) {
		return waited
	}
	return err
}

// sending is the body of a request, whose reader sends the bytes that it has read.
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

// begin returns how long an answer may take to begin after a number of sent bytes.
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

// Read waits within the limits, and then fails with ErrStalled.
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

// stream turns the answer into a transfer, which has no limit in total while bytes keep coming.
func (a *answer) stream() {
	a.v.lock.Lock()
	defer a.v.lock.Unlock()
	a.v.came(0)
	a.v.waited, a.transfer = 0, true
}
