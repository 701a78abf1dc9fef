package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/format/content"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/play/front"
)

// A recorder records the status and counts the bytes of an answer.
type recorder struct {
	http.ResponseWriter
	body   *pacedBody // nil: it came with the header
	began  time.Time
	status int
	bytes  int64
	unsent error       // the reason why the client did not get the whole answer; nil if unknown
	ending func() bool // whether each answer is the last of its connection; nil: no
}

// statusClientGone is the status that nginx and others log for a client that left.
const statusClientGone = 499

// outcome returns the status for the log and the metrics: that of the answer, unless the body of the request or of the
// answer was cut. Then it is 408 for a client that was too slow, 499 for one that left, and 500 if the service broke
// the answer off.
func (r *recorder) outcome(gone, aborted bool) int {
	cut := r.unsent
	if r.body != nil && r.body.cut != nil {
		cut = r.body.cut
	}
	if r.Header().Get("Content-Type") == "text/event-stream" {
		return r.status // it has no end, and so is never cut
	}
	return loggedStatus(r.status, cut, gone, aborted)
}

// loggedStatus returns the same for an answer with that status, cut by an error if that is not nil.
func loggedStatus(status int, cut error, gone, aborted bool) int {
	switch {
	case cut == nil && !aborted:
		return status
	case errors.Is(cut, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	case cut != nil, aborted && gone:
		return statusClientGone
	}
	return http.StatusInternalServerError
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// SetReadDeadline leaves the pace of the body to the handler, for http.ResponseController.
func (r *recorder) SetReadDeadline(t time.Time) error {
	if r.body == nil {
		return nil // the client has sent everything
	}
	return r.body.SetReadDeadline(t)
}

// WriteHeader passes the status on.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		status = r.first(status)
	}
	r.ResponseWriter.WriteHeader(status)
}

// first sets the status, and the fields of an answer of a service that stops. It returns the status to send: 503 if the
// stop has cut the body, even if the handler answers half a body otherwise.
func (r *recorder) first(status int) int {
	if r.ending != nil && r.ending() {
		r.Header().Set("Connection", "close")
	}
	if r.body != nil && r.body.cutShort.Load() {
		r.Header().Set("Retry-After", strconv.Itoa(int(stopRetry.Seconds())))
		status = http.StatusServiceUnavailable
	}
	r.status = status
	return status
}

// Write passes bytes on.
func (r *recorder) Write(p []byte) (int, error) {
	r.begin()
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	r.lost(err)
	return n, err
}

// lost records that the client did not get the written bytes.
func (r *recorder) lost(err error) {
	if err != nil && r.unsent == nil && !errors.Is(err, http.ErrBodyNotAllowed) && !errors.Is(err, http.ErrContentLength) {
		r.unsent = err
	}
}

// ReadFrom lets a file go from the disk to the connection without a detour.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	r.begin()
	from := content.Source{Reader: src}
	n, err := io.Copy(r.ResponseWriter, &from)
	r.bytes += n
	if from.Err == nil {
		r.lost(err)
	}
	return n, err
}

func (r *recorder) begin() {
	if r.status == 0 && r.first(http.StatusOK) != http.StatusOK {
		r.ResponseWriter.WriteHeader(r.status)
	}
}

// finish logs and counts a request, and turns a panic into a 500 of that one request.
func (s *router) finish(rec *recorder, r *http.Request, id, area string, read int64, broken any) {
	aborted := broken == http.ErrAbortHandler
	if broken != nil && !aborted {
		s.metrics.panics.Inc()
		s.log.Error("panic", "request_id", id, "panic", fmt.Sprint(broken), "stack", string(debug.Stack()))
		if rec.status == 0 {
			refuse(http.StatusInternalServerError, string(sandlot.CodeInternal),
				"A fault of the service. Nothing is known to be wrong with your request.",
				"Send it again; if that does not help, tell the operator the request_id.").ServeHTTP(rec, r)
		}
		aborted = rec.status != http.StatusInternalServerError
	}
	rec.begin()
	s.writes.count(area, r, rec.outcome(r.Context().Err() != nil, aborted), rec.Header().Get("Location"))
	s.count(r, id, area, rec.began, rec.outcome(r.Context().Err() != nil, aborted), read, rec.bytes, aborted)
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

// finishProject is finish for a request that the front answered.
func (s *router) finishProject(a *front.Answer, r *http.Request) {
	broken := recover()
	s.metrics.inFlight.Add(-1)
	if broken != nil {
		id := api.NewRequestID()
		r = r.WithContext(api.WithRequestID(r.Context(), id))
		rec := &recorder{ResponseWriter: a, began: a.Began(), status: a.Status(), bytes: a.Bytes(), unsent: a.Err()}
		s.finish(rec, r, id, "play", r.ContentLength, broken)
		return
	}
	status := loggedStatus(cmp.Or(a.Status(), http.StatusOK), a.Err(), false, false)
	s.count(r, "", "play", a.Began(), status, r.ContentLength, a.Bytes(), false)
}

// count counts an answered request, and logs it if the access log has a line for it.
func (s *router) count(r *http.Request, id, area string, began time.Time, status int, in, out int64, aborted bool) {
	took := time.Since(began)
	s.metrics.request(area, r.Method, status, took, in, out)
	if !s.access.has(status) {
		return
	}
	if id == "" {
		id = api.NewRequestID()
	}
	handlerOf(s.log).request(s.log, &requestLine{
		at: began.Add(took), id: id, area: area, method: r.Method, host: r.Host, path: r.URL.Path,
		status: status, took: took, read: in, answered: out, aborted: aborted,
	})
}
