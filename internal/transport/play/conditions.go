package play

import (
	"net/http"
	"strings"
)

// conditions evaluates If-Match and If-None-Match (RFC 9110, section 13.2.2). If they decide the
// answer, it sends 412 or 304 and returns that status. Otherwise it returns 0. Nothing here has a
// Last-Modified, so conditions on times do not apply.
func (x *exchange) conditions(f *file, o *form) int {
	if want := x.r.Header["If-Match"]; len(want) > 0 && !star(want) && !nameTag(want, o.etag[0], false) {
		x.refuse(http.StatusPreconditionFailed, "The file is not what this request expects.")
		return http.StatusPreconditionFailed
	}
	have := x.r.Header["If-None-Match"]
	x.named = len(have) > 0 && nameTag(have, o.etag[0], true)
	if x.named || star(have) {
		if !x.sendPrepared(f, o, http.StatusNotModified, nil) {
			x.describe(f, o, http.StatusNotModified)
			x.w.WriteHeader(http.StatusNotModified)
		}
		return http.StatusNotModified
	}
	return 0
}

// star reports whether a condition is "*", which matches any file.
func star(lines []string) bool { return len(lines) == 1 && strings.TrimSpace(lines[0]) == "*" }

// nameTag reports whether a list of entity tags has etag, which is a strong one. A weak comparison
// ignores the W/ of a tag; a strong one does not match such a tag. A malformed list matches nothing
// from the malformed tag on.
func nameTag(lines []string, etag string, weak bool) bool {
	for _, line := range lines {
		for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " \t,") {
			tag, isWeak := strings.CutPrefix(line, "W/")
			if len(tag) < 2 || tag[0] != '"' {
				break
			}
			end := strings.IndexByte(tag[1:], '"')
			if end < 0 {
				break
			}
			if tag[:end+2] == etag && (weak || !isWeak) {
				return true
			}
			line = tag[end+2:]
		}
	}
	return false
}
