package watch

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// source returns the numbers that a test sets, and counts its calls.
type source struct {
	mu    sync.Mutex
	stats sandlot.Stats
	err   error
	asked int
}

func (s *source) ask(context.Context, sandlot.Caller, sandlot.ProjectID) (sandlot.Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.stats, s.err
}

func (s *source) set(players int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Players, s.err = players, err
}

var far = netip.MustParseAddr("203.0.113.7")

// stream is the browser's side of a watcher.
type stream struct {
	net.Conn
	lines *bufio.Reader
}

// watch begins a stream, and reads up to its first event.
func watch(t *testing.T, l *Watchers, id sandlot.ProjectID) *stream {
	t.Helper()
	w, denied := l.Reserve(far)
	if denied != nil {
		t.Fatal(denied)
	}
	ours, theirs := net.Pipe()
	go w.Begin(id, ours, http.Header{"Content-Type": {"text/event-stream"}}, Counts{})
	s := &stream{theirs, bufio.NewReader(theirs)}
	if got := s.next(t); got != `data: {"player_count":0,"plays":0,"likes":0}` {
		t.Fatalf("it begins with %q", got)
	}
	return s
}

// next reads up to the next event or comment.
func (s *stream) next(t *testing.T) string {
	t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "data:") || line == ":" {
			return line
		}
	}
}

// players waits for an event, and fails unless it has so many players.
func (s *stream) players(t *testing.T, want string) {
	t.Helper()
	if got := s.next(t); !strings.HasPrefix(got, `data: {"player_count":`+want+`,`) {
		t.Fatalf("got %q, wanted %s players", got, want)
	}
}

func newSource() (*source, *Watchers) {
	s := &source{}
	return s, New(s.ask, Most, admission.Local, time.Now)
}

// ended fails the test unless nothing is left of the streams.
func (l *Watchers) ended(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.slots.Held(); n != 0 || len(l.rooms) != 0 {
		t.Errorf("left are %d streams, %v", n, l.rooms)
	}
}

func TestWatchersHearOfChangesOnceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, l := newSource()
		a, b := watch(t, l, "pong"), watch(t, l, "pong")
		began := time.Now()
		for n := range 5 {
			s.set(n, nil)
			testenv.Pass(100 * time.Millisecond)
		}
		a.players(t, "4")
		b.players(t, "4")
		if took := time.Since(began); took > tellEvery {
			t.Errorf("it took %s", took)
		}
		s.set(9, nil)
		a.players(t, "9")
		b.players(t, "9")
		if took := time.Since(began); took < tellEvery || s.asked > 2 {
			t.Errorf("two messages in %s, and asked %d times", took, s.asked)
		}
		a.Close()
		b.Close()
		synctest.Wait()
		l.ended(t)
		l.Close()
	})
}

func TestASilentStreamGivesASignOfLife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, l := newSource()
		a := watch(t, l, "pong")
		s.set(0, errors.New("the store is away"))
		began := time.Now()
		if got := a.next(t); got != ":" || time.Since(began) > stillHere+tellEvery {
			t.Errorf("got %q after %s", got, time.Since(began))
		}
		s.set(1, nil)
		a.players(t, "1")
		l.Close()
	})
}

func TestAStreamThatIsNotReadIsCutAndDelaysNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, l := newSource()
		watch(t, l, "pong") // and reads nothing more: a pipe holds nothing
		b := watch(t, l, "pong")
		for _, n := range []string{"1", "2", "3"} {
			s.set(int(n[0]-'0'), nil)
			began := time.Now()
			if b.players(t, n); time.Since(began) > tellEvery {
				t.Errorf("it took %s", time.Since(began))
			}
		}
		go b.next(t)
		testenv.Pass(tellWait)
		l.mu.Lock()
		n := l.slots.Held()
		l.mu.Unlock()
		expect.Equal(t, "streams are open", n, 1)
		l.Close()
	})
}

func TestAStreamEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*source, *Watchers, *stream){
		"when the browser leaves":            func(_ *source, _ *Watchers, a *stream) { a.Close() },
		"when the browser says anything":     func(_ *source, _ *Watchers, a *stream) { _, _ = a.Write([]byte("x")) },
		"when the service stops":             func(_ *source, l *Watchers, _ *stream) { l.Close() },
		"when the project is taken down":     func(s *source, _ *Watchers, _ *stream) { s.set(0, sandlot.Refuse(sandlot.CodeTakenDown, "")) },
		"when the project is deleted":        func(s *source, _ *Watchers, _ *stream) { s.set(0, sandlot.Refuse(sandlot.CodeProjectNotFound, "")) },
		"after an hour, for another to come": func(*source, *Watchers, *stream) { testenv.Pass(watchLife) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, l := newSource()
				a := watch(t, l, "pong")
				read := make(chan struct{})
				go func() {
					defer close(read)
					for strings.HasPrefix(a.next(t), ":") {
					}
				}()
				end(s, l, a)
				<-read
				synctest.Wait()
				l.ended(t)
				l.Close()
			})
		})
	}
}

func TestStreamsHaveALimit(t *testing.T) {
	t.Parallel()
	_, l := newSource()
	take := func(addr netip.Addr) bool {
		_, denied := l.Reserve(addr)
		return denied == nil
	}
	for i := range maxWatchersOf {
		if !take(far) {
			t.Fatalf("the %dth of an address is refused", i+1)
		}
	}
	if _, denied := l.Reserve(far); denied == nil || denied.All || denied.After <= 0 {
		t.Errorf("one too many: %+v", denied)
	}
	local := netip.MustParseAddr("127.0.0.1")
	for l.slots.Held() < Most {
		if !take(local) {
			t.Fatalf("a local one is refused at %d", l.slots.Held())
		}
	}
	if _, denied := l.Reserve(local); denied == nil || !denied.All {
		t.Errorf("one too many in all: %+v", denied)
	}
}
