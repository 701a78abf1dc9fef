package play

import (
	"net/http"
	"strconv"
	"strings"
)

// A coding is a Content-Encoding that a form can have.
type coding int

const (
	identity coding = iota
	brotli
	zstd
	gzip
	numCodings
)

// codings are the names of the codings, and marks the suffixes that they add to a file's ETag.
var (
	codings = [numCodings]string{"identity", "br", "zstd", "gzip"}
	marks   = [numCodings]string{"", "-br", "-zst", "-gz"}
)

// codingOf returns the coding of a name, whatever its case. Unknown names are identity.
func codingOf(name string) coding {
	for c := brotli; c < numCodings; c++ {
		if strings.EqualFold(name, codings[c]) {
			return c
		}
	}
	if strings.EqualFold(name, "x-gzip") { // RFC 9110, section 8.4.1.3
		return gzip
	}
	return identity
}

// wishes holds the qualities that a client gives to the codings, in thousandths; 0: it does not accept the coding.
type wishes [numCodings]int

// wished reads Accept-Encoding (RFC 9110, section 12.5.3). Plain bytes are accepted unless the client refuses them. If
// it does not mention them, they come last.
func wished(h http.Header) wishes {
	var w wishes
	var named [numCodings]bool
	rest := -1 // the quality of "*", if there is one
	for _, line := range h["Accept-Encoding"] {
		for item := ""; line != ""; {
			item, line, _ = strings.Cut(line, ",")
			name, params, _ := strings.Cut(item, ";")
			name, q := strings.TrimSpace(name), quality(params)
			if name == "*" {
				rest = q
			} else if c := codingOf(name); c != identity || strings.EqualFold(name, "identity") {
				w[c], named[c] = q, true
			}
		}
	}
	for c := range w {
		switch {
		case named[c]:
		case rest >= 0:
			w[c] = rest
		case coding(c) == identity:
			w[c] = 1
		}
	}
	return w
}

// quality reads the parameters of a coding, such as "q=0.5", in thousandths: 1000 if there is none, 0 if it is malformed.
func quality(params string) int {
	if params == "" {
		return 1000
	}
	name, value, _ := strings.Cut(params, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1000
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return int(q * 1000)
}

// form returns the form of the file that a request's Accept-Encoding prefers, and among equals the smallest. A client
// that accepts none gets the plain bytes: they may be of use to it, and a refusal is not.
func (f *file) form(h http.Header) *form {
	if len(f.packed) == 0 {
		return &f.plain
	}
	w := wished(h)
	best := &f.plain
	for i := range f.packed {
		o := &f.packed[i]
		if q := w[o.coding]; q > 0 && (q > w[best.coding] || q == w[best.coding] && (o.size < best.size || f.encoded)) {
			best = o
		}
	}
	return best
}
