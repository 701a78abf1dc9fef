package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"sandlot/internal/publish"
)

// recorder remembers the status and counts the bytes of an answer.
type recorder struct {
	http.ResponseWriter
	body    *pacedBody // nil: it came with the header
	started time.Time
	status  int
	bytes   int64
	unsent  error // why the client did not get all of the answer; nil as far as is known
}

// statusClientGone is what nginx and others log for a client that left.
const statusClientGone = 499

// outcome is the status that is logged and counted: that of the answer, unless the
// body of the request or of the answer was cut. Then it is 408 for a client that was
// too slow, 499 for one that left, and 500 where the service broke the answer off.
func (r *recorder) outcome(gone, aborted bool) int {
	cut := r.unsent
	if r.body != nil && r.body.cut != nil {
		cut = r.body.cut
	}
	switch {
	case r.Header().Get("Content-Type") == "text/event-stream":
		return r.status // has no end, and so is never cut
	case errors.Is(cut, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	case cut != nil, aborted && gone:
		return statusClientGone
	case aborted:
		return http.StatusInternalServerError
	}
	return r.status
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// SetReadDeadline leaves the pace of the body to the handler, for
// http.ResponseController.
func (r *recorder) SetReadDeadline(t time.Time) error {
	if r.body == nil {
		return nil // all that the client sends has come
	}
	return r.body.SetReadDeadline(t)
}

// WriteHeader passes the status on.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// WriteReady passes an answer on that is ready-made, if that can be done here.
func (r *recorder) WriteReady(status int, common, own, body []byte) bool {
	w, ok := r.ResponseWriter.(interface {
		WriteReady(status int, common, own, body []byte) bool
	})
	if !ok || !w.WriteReady(status, common, own, body) {
		return false
	}
	r.status, r.bytes = status, int64(len(body))
	if e, ok := r.ResponseWriter.(interface{ Err() error }); ok {
		r.lost(e.Err())
	}
	return true
}

// Write passes bytes on.
func (r *recorder) Write(p []byte) (int, error) {
	r.begin()
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	r.lost(err)
	return n, err
}

// lost notes that the client did not get what was written.
func (r *recorder) lost(err error) {
	if err != nil && r.unsent == nil && !errors.Is(err, http.ErrBodyNotAllowed) && !errors.Is(err, http.ErrContentLength) {
		r.unsent = err
	}
}

// ReadFrom lets a file go from the disk to the connection without a detour.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	r.begin()
	from := &countedReader{src: src}
	n, err := io.Copy(r.ResponseWriter, from)
	r.bytes += n
	if from.err == nil {
		r.lost(err)
	}
	return n, err
}

// countedReader remembers whether reading failed, and not writing.
type countedReader struct {
	src io.Reader
	err error
}

// Read implements io.Reader.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

func (r *recorder) begin() {
	if r.status == 0 {
		r.status = http.StatusOK
	}
}

// finish logs and counts a request, and turns a panic into a 500 of that one
// request.
func (s *site) finish(rec *recorder, r *http.Request, id, area string, read int64, broken any) {
	aborted := broken == http.ErrAbortHandler
	if broken != nil && !aborted {
		s.metrics.panics.Inc()
		s.log.Error("panic", "request_id", id, "panic", fmt.Sprint(broken), "stack", string(debug.Stack()))
		if rec.status == 0 {
			refuse(http.StatusInternalServerError, string(publish.CodeInternal), "A fault of the service. Nothing is known to be wrong with your request.",
				"Send it again; if that does not help, tell the operator the request_id.").ServeHTTP(rec, r)
		}
		aborted = rec.status != http.StatusInternalServerError
	}
	rec.begin()
	took := time.Since(rec.started)
	status := rec.outcome(r.Context().Err() != nil, aborted)
	s.metrics.request(area, r.Method, status, took, read, rec.bytes)
	if s.access.has(status) {
		handlerOf(s.log).request(s.log, &requestLine{
			at: rec.started.Add(took), id: id, area: area, method: r.Method, host: r.Host, path: r.URL.Path,
			status: status, took: took, read: read, answered: rec.bytes, aborted: aborted,
		})
	}
	if aborted {
		panic(http.ErrAbortHandler)
	}
}
