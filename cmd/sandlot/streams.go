package main

import (
	"net/http"
	"time"

	"sandlot/internal/transport/play/front"
)

const (
	// answerWait is the time that a reader of an HTTP/2 stream has in any case, as on a connection of its own.
	answerWait = 20 * time.Second
	// answerPiece is the largest piece that one deadline covers, in bytes.
	answerPiece = 64 << 10
	// mostStreams is the most requests at once on one connection: browsers send as many for a page with many pictures.
	mostStreams = 100
	// streamBuffer is the most bytes of a body that wait to be read, for one request and for all of a connection.
	streamBuffer = 256 << 10
)

// http2 are the limits of a connection that speaks HTTP/2.
var http2 = http.HTTP2Config{
	MaxConcurrentStreams: mostStreams, MaxReceiveBufferPerConnection: streamBuffer, MaxReceiveBufferPerStream: streamBuffer,
}

// A pacedAnswer is an answer on an HTTP/2 stream, whose client may stop taking it while its connection lives. Like a
// connection, the stream ends when the client takes less than front.LeastRate.
type pacedAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
	wait    time.Duration
}

func newPacedAnswer(w http.ResponseWriter) *pacedAnswer {
	return &pacedAnswer{w, http.NewResponseController(w), answerWait}
}

// Unwrap lets http.ResponseController reach the stream.
func (a *pacedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// expect sets the time in which the client must take n bytes.
func (a *pacedAnswer) expect(n int) {
	_ = a.control.SetWriteDeadline(time.Now().Add(a.wait + time.Duration(n)*time.Second/front.LeastRate)) // an ended stream fails by itself
}

// rest lets the stream be without answers for any time.
func (a *pacedAnswer) rest() { _ = a.control.SetWriteDeadline(time.Time{}) }

// Write fails with os.ErrDeadlineExceeded if the client does not take p.
func (a *pacedAnswer) Write(p []byte) (n int, err error) {
	defer a.rest()
	for {
		piece := p[n:min(len(p), n+answerPiece)]
		a.expect(len(piece))
		m, err := a.ResponseWriter.Write(piece)
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError sends the bytes written so far, for http.ResponseController.
func (a *pacedAnswer) FlushError() error {
	a.expect(0)
	defer a.rest()
	return a.control.Flush()
}

// end limits the time for the rest of the answer, which net/http sends when the handler has returned.
func (a *pacedAnswer) end() { a.expect(0) }
