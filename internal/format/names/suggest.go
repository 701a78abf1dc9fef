package names

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// suggest returns a filename similar to a refused one.
func suggest(s string) string {
	name := strings.Join(repaired(s), "/")
	if norm.NFC.String(name) != name || refusal(name, name) != "" {
		return "file"
	}
	return name
}

// repaired returns the usable parts of s, each repaired.
func repaired(s string) []string {
	var kept []string
	for _, segment := range strings.Split(path.Clean("/"+relative(s)), "/") {
		if segment = repairedSegment(segment); segment != "" {
			kept = append(kept, segment)
		}
	}
	kept = kept[max(0, len(kept)-maxDepth):]
	for len(strings.Join(kept, "/")) > maxFilename {
		kept = kept[1:]
	}
	if len(kept) > 0 && ownFolder(kept) {
		kept[0] = strings.TrimPrefix(kept[0], ".")
	}
	return kept
}

// relative returns s decoded and with slashes. If s is an address, it returns the last part only.
func relative(s string) string {
	const most = 4096 // bytes; a name is at its end, and a megabyte is no name
	s = s[max(0, len(s)-most):]
	if decoded, err := url.PathUnescape(s); err == nil {
		s = decoded
	}
	s = slashed(strings.ToValidUTF8(s, ""))
	if name, _, ok := strings.Cut(s, "?"); ok && path.Ext(name) != "" { // the query of an address, as in "game.js?v=2"
		s = name
	}
	if _, rest, address := strings.Cut(s, "://"); address {
		return path.Base(rest)
	}
	return s
}

// repairedSegment returns segment without its forbidden characters, or "" if nothing is left.
func repairedSegment(segment string) string {
	var b strings.Builder
	for _, r := range segment {
		switch {
		case invisible(r):
		case unicode.IsControl(r) || strings.ContainsRune(forbidden, r):
			if !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		default:
			b.WriteRune(r)
		}
	}
	segment = norm.NFC.String(b.String())
	segment = strings.ToValidUTF8(segment[:min(len(segment), maxSegment)], "")
	segment = strings.TrimRightFunc(segment, func(r rune) bool { return r == '.' || r == '-' || unicode.IsSpace(r) })
	switch {
	case device(segment):
		return "_" + segment
	case dotGit(segment):
		return strings.ReplaceAll(strings.TrimPrefix(segment, "."), "~", "-")
	}
	return segment
}
