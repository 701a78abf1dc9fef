package watch

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

// piped is the answer of a request that shares its connection.
type piped struct{ io.Writer }

func (p piped) Header() http.Header { return http.Header{} }

func (p piped) WriteHeader(int) {}

func (p piped) Flush() {}

// watchShared is watch for a request that shares its connection. end is the client's, and done is closed when the handler
// returns.
func watchShared(t *testing.T, l *Watchers) (s *stream, end context.CancelFunc, done chan struct{}) {
	t.Helper()
	w, denied := l.Reserve(far)
	if denied != nil {
		t.Fatal(denied)
	}
	ctx, end := context.WithCancel(t.Context())
	ours, theirs := net.Pipe()
	done = make(chan struct{})
	go func() {
		w.Stream(ctx, "pong", piped{ours}, Counts{})
		close(done)
	}()
	s = &stream{theirs, bufio.NewReader(theirs)}
	s.players(t, "0")
	return s, end, done
}

func TestStreamsThatShareAConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source, l := newSource()
		s, end, done := watchShared(t, l)
		began := time.Now()
		source.set(3, nil)
		s.players(t, "3") // changes reach them
		if took := time.Since(began); took > tellEvery {
			t.Errorf("after %s", took)
		}
		end() // their client ends them
		<-done
		l.ended(t)
		s, end, done = watchShared(t, l)
		defer end()
		l.Close() // and so does the end of the service, which has them come back soon
		said := ""
		for range 3 { // the line that ends the event before, that of the time, and an empty one
			line, err := s.lines.ReadString('\n')
			expect.OK(t, err)
			said += line
		}
		expect.Contains(t, "the end", said, "retry: ")
		<-done
		l.ended(t)
	})
}
