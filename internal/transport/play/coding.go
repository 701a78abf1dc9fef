package play

import (
	"net/http"
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

// codingOf returns the coding of a name, in any case of letters. Unknown names are identity.
func codingOf(name string) coding {
	for c := brotli; c < numCodings; c++ {
		if strings.EqualFold(name, codings[c]) {
			return c
		}
	}
	return identity
}

// accepted reads Accept-Encoding (RFC 9110, section 12.5.3): the codings that a client names, except with the weight 0.
// Other weights do not count: of the accepted codings the service chooses.
func accepted(h http.Header) (all [numCodings]bool) {
	for _, line := range h["Accept-Encoding"] {
		for item := ""; line != ""; {
			item, line, _ = strings.Cut(line, ",")
			name, params, _ := strings.Cut(item, ";")
			refused := strings.TrimRight(strings.TrimSpace(params), ".0") == "q="
			all[codingOf(strings.TrimSpace(name))] = !refused
		}
	}
	return all
}

// form returns the smallest form of the file that the client accepts. One that does not accept the only form gets the
// plain bytes: they may be of use to it, and a refusal is not.
func (f *file) form(h http.Header) *form {
	if len(f.packed) == 0 {
		return &f.plain
	}
	all := accepted(h)
	best := &f.plain
	for i := range f.packed {
		if o := &f.packed[i]; all[o.coding] && (o.size < best.size || f.encoded) {
			best = o
		}
	}
	return best
}
