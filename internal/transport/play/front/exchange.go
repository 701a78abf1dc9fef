package front

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
)

const (
	// headMax bounds a plain request, with its body: browsers send about a kilobyte.
	headMax = 4 << 10
	// linesMax bounds the lines of its header: browsers send about twenty.
	linesMax = 48
)

// An exchange is a request and its answer, with all the memory that they need. It is used
// for one request after another, also of different connections.
type exchange struct {
	in      [headMax]byte
	used    int    // bytes of in that the request took
	label   string // of the project that it is for
	request http.Request
	url     url.URL
	values  [linesMax]string
	lines   int // of values that are used
	body    bytes.Reader
	answer  Answer
	dirty   bool // there is something to clear
}

// newExchange makes an exchange that is cleared.
func newExchange() *exchange {
	x := &exchange{}
	// They grow to what they are used for: to clear a map takes as long as it is large.
	x.request.Header, x.answer.header = http.Header{}, http.Header{}
	return x
}

// begin completes the request that was parsed, and its answer, for the handler.
func (x *exchange) begin(c *conn) {
	r := &x.request
	r.RemoteAddr = c.remote
	r.Body = http.NoBody
	if r.ContentLength > 0 {
		x.body.Reset(x.in[x.used-int(r.ContentLength) : x.used])
		r.Body = io.NopCloser(&x.body)
	}
	x.answer.begin(c.socket, &c.front.dates, r.Method == http.MethodHead, c.front.closing.Load())
}

// clear lets go of what the exchange refers to.
func (x *exchange) clear() {
	if !x.dirty {
		return
	}
	x.dirty = false
	header := x.request.Header
	clear(header)
	clear(x.values[:x.lines])
	x.lines = 0
	x.request = http.Request{Header: header}
	x.label = ""
	x.url = url.URL{}
	x.body.Reset(nil)
	x.answer.clear()
}
