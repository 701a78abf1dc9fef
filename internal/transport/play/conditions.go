package play

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// unchanged reports whether the client has the form to send, by If-None-Match, and answers 304 if so. It is the only
// condition of a whole file: nothing here has a Last-Modified, and nobody writes to these addresses.
func (x *exchange) unchanged(f *file, o *form) bool {
	have := x.r.Header["If-None-Match"]
	x.named = hasTag(have, o.etag[0])
	if star := len(have) == 1 && strings.TrimSpace(have[0]) == "*"; !x.named && !star {
		return false
	}
	if !x.sendPrepared(f, o, http.StatusNotModified, nil) {
		x.describe(f, o, http.StatusNotModified)
		x.w.WriteHeader(http.StatusNotModified)
	}
	return true
}

// hasTag reports whether a list of entity tags, weak or strong, has etag. A malformed list matches nothing from the
// malformed tag on.
func hasTag(lines []string, etag string) bool {
	for _, line := range lines {
		for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " \t,") {
			tag := strings.TrimPrefix(line, "W/")
			if len(tag) < 2 || tag[0] != '"' {
				break
			}
			end := strings.IndexByte(tag[1:], '"')
			if end < 0 {
				break
			}
			if tag[:end+2] == etag {
				return true
			}
			line = tag[end+2:]
		}
	}
	return false
}

type span struct{ off, n int64 }

// header returns the Content-Range of the span in a file of size bytes.
func (s span) header(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.off, s.off+s.n-1, size)
}

// ranges returns the range of a GET. It refers to the plain bytes only: a client that requests a part gets it
// uncompressed. It returns false for the whole file: if there is no Range, more than one or a malformed one, if If-Range
// does not match, and if the chosen form cannot be cut, since it has the script after it or the client has to unpack
// it. A span without bytes means that the range lies outside the file: the answer is 416.
func (x *exchange) ranges(f *file, chosen *form) (span, bool) {
	header := first(x.r.Header["Range"])
	if header == "" || x.r.Method != http.MethodGet || len(chosen.after) > 0 || f.encoded && chosen != &f.plain {
		return span{}, false
	}
	if want := first(x.r.Header["If-Range"]); want != "" && want != f.plain.etag[0] {
		return span{}, false
	}
	unit, text, ok := strings.Cut(header, "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || f.plain.size == 0 {
		return span{}, false
	}
	return parseSpan(text, f.plain.size)
}

// parseSpan returns a range of a file of size bytes, without bytes if it begins after its end. It returns false if it is
// malformed, or if there are several.
func parseSpan(text string, size int64) (span, bool) {
	first, last, ok := strings.Cut(strings.TrimSpace(text), "-")
	from, err1 := position(first)
	to, err2 := position(last)
	switch {
	case !ok || err1 != nil || err2 != nil || from < 0 && to < 0 || from >= 0 && to >= 0 && to < from:
		return span{}, false
	case from < 0:
		n := min(to, size)
		return span{size - n, n}, true
	case from >= size:
		return span{}, true
	case to < 0 || to >= size:
		return span{from, size - from}, true
	}
	return span{from, to - from + 1}, true
}

// position returns a number of a range, -1 if there is none.
func position(s string) (int64, error) {
	if s == "" {
		return -1, nil
	}
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err
}

// sendSpan answers with a part of a file's plain bytes, and returns the status.
func (x *exchange) sendSpan(f *file, s span) int {
	if s.n == 0 {
		x.w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(f.plain.size, 10))
		x.refuse(http.StatusRequestedRangeNotSatisfiable, "The range lies outside of the file.")
		return http.StatusRequestedRangeNotSatisfiable
	}
	p, err := x.open(x.r.Context(), &f.plain, s.off, s.n)
	if err != nil {
		x.fail(err)
		return http.StatusInternalServerError
	}
	defer p.Close()
	h := x.describe(f, &f.plain, http.StatusPartialContent)
	h.Set("Content-Range", s.header(f.plain.size))
	h.Set("Content-Length", strconv.FormatInt(s.n, 10))
	x.w.WriteHeader(http.StatusPartialContent)
	x.copy(p)
	return http.StatusPartialContent
}
