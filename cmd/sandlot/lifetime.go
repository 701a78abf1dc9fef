package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"time"
)

// requestLife is the longest duration of a request with a body, from its header to its last step: a quarter of the time
// for which the collector keeps bytes that no record names, so that no file of a slow form is ever old enough to be
// taken for garbage. 100 MB need some 6 KB/s for it.
const requestLife = 6 * time.Hour

// limitLife ends a request with a body after requestLife: its body fails then like a stalled one, and its context ends.
// The returned function releases the timer.
func limitLife(r *http.Request, body io.ReadCloser) (*http.Request, context.CancelFunc) {
	if r.Body == http.NoBody {
		r.Body = body
		return r, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), requestLife)
	r = r.WithContext(ctx)
	r.Body = mortalBody{body, ctx}
	return r, cancel
}

// A mortalBody is a body that cannot be read for longer than its request may live.
type mortalBody struct {
	io.ReadCloser
	life context.Context
}

// Read implements io.Reader.
func (b mortalBody) Read(p []byte) (int, error) {
	if b.life.Err() == context.DeadlineExceeded {
		if paced, ok := b.ReadCloser.(*pacedBody); ok {
			paced.fail(os.ErrDeadlineExceeded)
		}
		return 0, os.ErrDeadlineExceeded
	}
	return b.ReadCloser.Read(p)
}
