package front

import (
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
)

const (
	// headMax is the largest plain request, its body included, in bytes: browsers send about a kilobyte.
	headMax = 4 << 10
	// linesMax is the most lines in its header: browsers send about twenty.
	linesMax = 48
)

// An exchange is a request and its answer, with all the memory that they need. It is reused, for any connection.
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
	x.answer.begin(c.sink, &c.front.dates, r.Method == http.MethodHead, c.front.draining.Load())
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

// bodyMax is the largest body of a plain request, in bytes: a heartbeat has under a hundred.
const bodyMax = 512

// parse reports whether in begins with a plain request, and if so sets the exchange's request to it.
//
// Plain is the form of RFC 9112 without any of its allowances: GET, HEAD or POST of a path, HTTP/1.1, CRLF, one Host, a
// connection that goes on, and either no body or a short one that has come with it. Everything else is left to
// net/http: two parsers of different leniency in one program allow request smuggling.
func (x *exchange) parse(in []byte) bool {
	end := bytes.Index(in, []byte("\r\n\r\n"))
	if end < 0 {
		return false
	}
	head := string(in[:end+2]) // the one copy; all that follows are parts of it
	line, rest, _ := strings.Cut(head, "\r\n")
	x.clear()
	x.dirty = true
	x.request.URL, x.request.Proto, x.request.ProtoMajor, x.request.ProtoMinor = &x.url, "HTTP/1.1", 1, 1
	if !x.parseLine(line) || !x.parseFields(rest) || x.request.Host == "" {
		return false
	}
	x.used = end + 4 + int(x.request.ContentLength)
	return x.used <= len(in)
}

// parseLine parses the request line, and reports whether it is plain.
func (x *exchange) parseLine(line string) bool {
	method, rest, _ := strings.Cut(line, " ")
	target, proto, _ := strings.Cut(rest, " ")
	if proto != "HTTP/1.1" || !x.parseTarget(target) {
		return false
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		x.request.Method = method
		return true
	}
	return false
}

// parseTarget parses a path, which may have a query, and reports whether it is plain. net/url decodes one.
func (x *exchange) parseTarget(target string) bool {
	if target == "" || target[0] != '/' || strings.HasPrefix(target, "//") {
		return false
	}
	x.request.RequestURI = target
	if only(target, pathChars) {
		x.url.Path = target
		return true
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return false
	}
	x.url = *u
	return true
}

// parseFields parses the lines of the header, each with its line break, and reports whether they are plain.
func (x *exchange) parseFields(lines string) bool {
	h, n := x.request.Header, 0
	for ; lines != ""; n++ {
		var line string
		line, lines, _ = strings.Cut(lines, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		if !ok || n == linesMax || name == "" || !only(name, tokenChars) || !printable(value) {
			return false
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		if !x.special(name, value) {
			return false
		}
		if name == "Host" {
			continue // net/http keeps it apart, too
		}
		x.values[n], x.lines = value, n+1
		if before, again := h[name]; again {
			h[name] = append(before, value)
		} else {
			h[name] = x.values[n : n+1 : n+1]
		}
	}
	return true
}

// special reads the fields that decide how the request is read, and reports whether it is still plain.
func (x *exchange) special(name, value string) bool {
	switch name {
	case "Host":
		first := x.request.Host == ""
		x.request.Host = value
		return first && value != "" && only(value, hostChars)
	case "Connection":
		return strings.EqualFold(value, "keep-alive")
	case "Content-Length":
		return x.length(value)
	case "Transfer-Encoding", "Trailer", "Te", "Upgrade", "Expect", "Pragma": // net/http makes a Cache-Control of a Pragma
		return false
	}
	return true
}

// length parses a Content-Length, and reports whether it is plain: the only one, in digits, of at most bodyMax.
func (x *exchange) length(value string) bool {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || !only(value, digits) || n > bodyMax || x.request.Header["Content-Length"] != nil {
		return false
	}
	x.request.ContentLength = int64(n)
	return n == 0 || x.request.Method == http.MethodPost
}

// charSet is a set of bytes.
type charSet [256]bool

const (
	alphanumeric = digits09 + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits09     = "0123456789"
)

var (
	digits     = setOf(digits09)
	pathChars  = setOf(alphanumeric + "-._~$&+,;=:@/")   // RFC 3986, 3.3, without escapes, which have a RawPath
	tokenChars = setOf(alphanumeric + "!#$%&'*+-.^_`|~") // RFC 9110, 5.6.2
	hostChars  = setOf(alphanumeric + "-._:")
)

// setOf returns the set of the bytes in chars.
func setOf(chars string) *charSet {
	var s charSet
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

// only reports whether all bytes of s are in the set.
func only(s string, set *charSet) bool {
	for i := range len(s) {
		if !set[s[i]] {
			return false
		}
	}
	return true
}

// printable reports whether a value has no control characters but tabs.
func printable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
