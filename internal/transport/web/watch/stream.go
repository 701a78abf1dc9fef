package watch

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"sandlot"
)

// connection is the part of a client's connection that a Watcher uses.
type connection interface {
	io.ReadWriteCloser
	SetWriteDeadline(t time.Time) error
}

// Stream sends the current counts on an answer whose header is set, and keeps sending changes until one side ends the
// stream. It is for a request that shares its connection with others, as in HTTP/2, and returns when the stream has ended.
func (w *Watcher) Stream(ctx context.Context, id sandlot.ProjectID, to http.ResponseWriter, now Counts) {
	ctx, end := context.WithCancel(ctx)
	s := &answerStream{to: to, control: http.NewResponseController(to), ctx: ctx, end: end}
	defer s.finish()
	w.begin(s, now)
	w.write(greeting(now))
	w.all.join(w, id)
	w.wait()
}

// An answerStream is one answer, as the connection of a Watcher. The answer keeps the pace of its writes itself.
type answerStream struct {
	to      http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context
	end     context.CancelFunc

	mu       sync.Mutex // held while the answer is written
	finished bool
}

// Read waits for the end of the stream.
func (s *answerStream) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, io.EOF
}

// Write sends p at once.
func (s *answerStream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished {
		return 0, net.ErrClosed
	}
	n, err := s.to.Write(p)
	if err == nil {
		err = s.control.Flush()
	}
	return n, err
}

// Close ends the stream.
func (s *answerStream) Close() error {
	s.end()
	return nil
}

// SetWriteDeadline implements connection.
func (s *answerStream) SetWriteDeadline(time.Time) error { return nil }

// finish lets no write reach the answer any more, whose handler is about to return.
func (s *answerStream) finish() {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = true
}
