package front

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// answerBuffer is the room for a header and small pieces behind it, in bytes.
	answerBuffer = 16 << 10
	// copyMax is the largest body that is copied behind its header, in bytes: beyond it, giving the system both is
	// cheaper.
	copyMax = 2 << 10
)

// An Answer is the http.ResponseWriter for a request that the front answers, with the outcome of the answer. It belongs
// to one request, until the handler returns, and to one goroutine. Unlike net/http's, it guesses no Content-Type, and
// sends no chunks: if the length of a body is not known when 16 KiB of it are written, the connection ends with the
// body. Header fields must be set before WriteHeader.
type Answer struct {
	conn     sink
	dates    *dates
	now      time.Time // when the answer began
	header   http.Header
	status   int   // 0 until WriteHeader
	length   int64 // of the header; -1 if unknown
	written  int64 // by the handler, of the body
	headOnly bool  // the answer to a HEAD
	begun    bool  // the header is in out, or gone
	last     bool  // the connection ends with this answer
	err      error // of the connection
	out      []byte
}

// A sink takes the bytes of an answer: a socket, or TLS over a socket.
type sink interface {
	io.Writer
	// writeBoth writes head and then body. It may use the rest of head's capacity.
	writeBoth(head, body []byte) (int, error)
	SetWriteDeadline(t time.Time) error
}

// begin prepares an answer for a request on c. With last the connection ends after it.
func (a *Answer) begin(c sink, d *dates, headOnly, last bool) {
	if a.out == nil {
		a.out = make([]byte, 0, answerBuffer)
	}
	clear(a.header)
	*a = Answer{conn: c, dates: d, now: time.Now(), header: a.header, length: -1, headOnly: headOnly, last: last, out: a.out[:0]}
}

// clear drops the references of the answer, and keeps its buffer.
func (a *Answer) clear() {
	clear(a.header)
	*a = Answer{header: a.header, out: a.out[:0]}
}

// Err returns the error of the connection after which nothing more was sent, nil if there was none.
func (a *Answer) Err() error { return a.err }

// Began returns the time at which the whole request had arrived.
func (a *Answer) Began() time.Time { return a.now }

// Status returns the answer's status, 0 before one is set.
func (a *Answer) Status() int { return a.status }

// Bytes returns the number of bytes of the body that the handler has written.
func (a *Answer) Bytes() int64 { return a.written }

func (a *Answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter. Informational answers (1xx) are not sent.
func (a *Answer) WriteHeader(status int) {
	if a.status != 0 || status < 200 {
		return
	}
	a.status = status
	a.last = a.last || strings.EqualFold(a.header.Get("Connection"), "close")
	if !a.bodyAllowed() { // a proxy might wait for a body that these announce
		delete(a.header, "Content-Length")
		delete(a.header, "Transfer-Encoding")
	}
	if a.status == http.StatusNotModified {
		delete(a.header, "Content-Type")
	}
	if told := a.header["Content-Length"]; len(told) > 0 {
		n, err := strconv.ParseInt(told[0], 10, 64)
		if err != nil || n < 0 {
			delete(a.header, "Content-Length")
			return
		}
		a.length = n
	}
}

// WritePrepared sends a whole answer, in place of Header, WriteHeader and Write. shared and own are the fields of its
// header, except for the date, as lines that end with CRLF. They must include the length of the body; body is that
// body, or empty for a 304. It returns false, and has done nothing, if Header has a field, if the answer has begun, or
// if the connection ends after it, which prepared lines do not announce.
func (a *Answer) WritePrepared(status int, shared, own, body []byte) bool {
	if a.status != 0 || len(a.header) > 0 || a.last {
		return false
	}
	a.status, a.begun = status, true
	a.length, a.written = int64(len(body)), int64(len(body))
	a.out = append(append(appendStatus(a.out, status), shared...), own...)
	a.out = append(a.out, a.dates.line(a.now)...)
	a.out = append(a.out, "\r\n"...)
	if !a.headOnly {
		a.put(body)
	}
	return true
}

// bodyAllowed reports whether an answer with its status has a body (RFC 9110, 6.4.1).
func (a *Answer) bodyAllowed() bool {
	return a.status != http.StatusNoContent && a.status != http.StatusNotModified
}

// Write implements http.ResponseWriter. It fails when the client falls below LeastRate.
func (a *Answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	switch {
	case !a.bodyAllowed():
		return 0, http.ErrBodyNotAllowed
	case a.length >= 0 && a.written+int64(len(p)) > a.length:
		return 0, http.ErrContentLength
	}
	a.written += int64(len(p))
	if !a.begun && a.length < 0 && len(a.out)+len(p) <= cap(a.out) {
		a.out = append(a.out, p...) // its length may still become known
		return len(p), nil
	}
	return a.send(p)
}

// send sends p after the header.
func (a *Answer) send(p []byte) (int, error) {
	if !a.begun {
		body := a.out
		if len(body) > 0 {
			body = append([]byte(nil), body...) // the header goes before it
		}
		// With neither a length nor chunks, the body ends with the connection.
		a.last = a.last || a.length < 0 && a.bodyAllowed() && !a.headOnly
		a.out = a.appendHead(a.out[:0])
		a.begun = true
		if !a.headOnly {
			a.put(body)
		}
	}
	if !a.headOnly {
		a.put(p)
	}
	return len(p), a.err
}

// put gathers small pieces, and sends larger ones together with those gathered before.
func (a *Answer) put(p []byte) {
	if len(p) <= copyMax && len(p) <= cap(a.out)-len(a.out) {
		a.out = append(a.out, p...)
		return
	}
	if a.err == nil {
		_, a.err = a.conn.writeBoth(a.out, p)
	}
	a.out = a.out[:0]
}

// flush sends the gathered pieces.
func (a *Answer) flush() {
	if len(a.out) > 0 && a.err == nil {
		_, a.err = a.conn.Write(a.out)
	}
	a.out = a.out[:0]
}

// finish sends the rest of the answer, and reports whether the connection can go on.
func (a *Answer) finish() bool {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if !a.begun && a.length < 0 && a.bodyAllowed() && (!a.headOnly || a.written > 0) {
		a.length = a.written
		a.header["Content-Length"] = []string{strconv.FormatInt(a.written, 10)}
	}
	if !a.begun {
		_, _ = a.send(nil) // the error is kept
	}
	a.flush()
	short := !a.headOnly && a.length >= 0 && a.written < a.length
	return a.err == nil && !a.last && !short
}

// appendHead writes the status line and the header.
func (a *Answer) appendHead(b []byte) []byte {
	b = appendStatus(b, a.status)
	for name, values := range a.header {
		for _, v := range values {
			b = append(b, name...)
			b = append(b, ": "...)
			b = append(b, lineBreaks.Replace(v)...)
			b = append(b, "\r\n"...)
		}
	}
	if _, ok := a.header["Date"]; !ok {
		b = append(b, a.dates.line(a.now)...)
	}
	if a.last && a.header["Connection"] == nil {
		b = append(b, "Connection: close\r\n"...)
	}
	return append(b, "\r\n"...)
}

// appendStatus appends the status line.
func appendStatus(b []byte, status int) []byte {
	switch status {
	case http.StatusOK:
		return append(b, "HTTP/1.1 200 OK\r\n"...)
	case http.StatusNotModified:
		return append(b, "HTTP/1.1 304 Not Modified\r\n"...)
	}
	return fmt.Appendf(b, "HTTP/1.1 %03d %s\r\n", status, http.StatusText(status))
}

// lineBreaks replaces those in the value of a field, where they would begin another, by blanks, as net/http does.
var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ")

// SetReadDeadline is for http.ResponseController. The body of a plain request has arrived with it.
func (a *Answer) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is for http.ResponseController. A later write may replace the deadline by its own.
func (a *Answer) SetWriteDeadline(t time.Time) error { return a.conn.SetWriteDeadline(t) }

// FlushError is for http.ResponseController. It sends the header and all bytes written so far, and returns Err.
func (a *Answer) FlushError() error {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if !a.begun {
		_, _ = a.send(nil) // the error is kept
	}
	a.flush()
	return a.err
}

// dates makes the Date field, which is the same for all answers of a second. It may be used concurrently.
type dates struct{ last atomic.Pointer[dated] }

type dated struct {
	second int64
	line   string
}

// line returns the field of an answer that began at now, with its line break.
func (d *dates) line(now time.Time) string {
	if last := d.last.Load(); last != nil && last.second == now.Unix() {
		return last.line
	}
	next := &dated{now.Unix(), "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"}
	d.last.Store(next)
	return next.line
}
