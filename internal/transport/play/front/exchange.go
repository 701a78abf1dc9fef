package front

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
)

const (
	// headMax is the largest plain request, its body included, in bytes: browsers send about a kilobyte.
	headMax = 4 << 10
	// linesMax is the most lines in its header: browsers send about twenty.
	linesMax = 48
)

// An exchange is a request and its answer, with all the memory that they need. It is reused for one request after
// another, of any connection.
type exchange struct {
	in      [headMax]byte
	used    int    // bytes of in that the request took
	label   string // label of the request's project
	request http.Request
	url     url.URL
	values  [linesMax]string
	lines   int // number of values in use
	body    bytes.Reader
	answer  Answer
	dirty   bool // there is something to clear
}

// newExchange returns a cleared exchange.
func newExchange() *exchange {
	x := &exchange{}
	// They grow to the size that they need: clearing a map takes time in proportion to its size.
	x.request.Header, x.answer.header = http.Header{}, http.Header{}
	return x
}

// begin completes the parsed request, and its answer, for the handler.
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

// clear drops the references of the exchange.
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
