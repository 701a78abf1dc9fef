package check

import (
	"net/url"
	"path"
	"strings"

	"sandlot/internal/format/names"
)

// A target is the meaning of a reference: a host, or a path in the project.
type target struct {
	scheme, host string // host is empty for a path; scheme is then empty, or one that leads nowhere from a page
	path         string // decoded, without query and fragment; otherwise as written, so "/a", "a" or "../a"
	ok           bool   // false if it names neither a file nor a host
}

// read parses a reference.
func read(to string) target {
	scheme, rest := "", to
	if n := strings.IndexByte(to, ':'); n > 0 && n <= 12 && isScheme(to[:n]) {
		scheme, rest = strings.ToLower(to[:n]), to[n+1:]
	}
	switch {
	case strings.HasPrefix(rest, "//") && (scheme == "" || scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss"):
		host := rest[2:]
		if n := strings.IndexAny(host, "/?#"); n >= 0 {
			host = host[:n]
		}
		host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
		return target{scheme: scheme, host: host, ok: validHost(host)}
	case scheme == "file" || len(scheme) == 1:
		return target{scheme: "file", ok: true}
	case scheme != "":
		return target{}
	}
	if n := strings.IndexAny(rest, "?#"); n >= 0 {
		rest = rest[:n]
	}
	plain, err := url.PathUnescape(rest)
	return target{path: plain, ok: err == nil && plain != ""}
}

// isScheme reports whether text is the name of a scheme.
func isScheme(text string) bool {
	for i := range len(text) {
		if c := text[i]; !(c|0x20 >= 'a' && c|0x20 <= 'z') && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return true
}

// validHost reports whether text can be the name or the address of a host, with its port.
func validHost(text string) bool {
	if text == "" || len(text) > 260 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(".-_:[]", c) >= 0) {
			return false
		}
	}
	return true
}

// ownMachine reports whether a host is the visitor's own machine, or one beside it.
func ownMachine(host string) bool {
	name := host
	if n := strings.LastIndexByte(host, ':'); n >= 0 && !strings.HasSuffix(host, "]") {
		name = host[:n]
	}
	switch {
	case name == "localhost", name == "0.0.0.0", name == "[::1]", strings.HasSuffix(name, ".localhost"):
		return true
	case strings.HasPrefix(name, "127."), strings.HasPrefix(name, "192.168."), strings.HasPrefix(name, "10."):
		return strings.Trim(name, "0123456789.") == ""
	}
	return false
}

// within returns the name of the file that a decoded path means, seen from a folder of the project ("" for its root):
// "" is the root itself, and a name with a slash at its end a folder. No path leads out of the root.
func within(folder, to string) string {
	slash := strings.HasSuffix(to, "/") || strings.HasSuffix(to, "/.") || strings.HasSuffix(to, "/..") || to == "." || to == ".."
	if !strings.HasPrefix(to, "/") {
		to = folder + "/" + to
	}
	name := strings.TrimPrefix(path.Clean("/"+names.Requested(to)), "/")
	if slash && name != "" {
		name += "/"
	}
	return name
}

// folderOf returns the folder of a file, "" for the root.
func folderOf(name string) string {
	if n := strings.LastIndexByte(name, '/'); n >= 0 {
		return name[:n]
	}
	return ""
}

// baseOf returns the folder that a page's references are relative to, and the host, if that is another.
func (l *Look) baseOf() (folder, host string) {
	if l.base == "" {
		return folderOf(l.name), ""
	}
	t := read(l.base)
	if !t.ok || t.host != "" || t.scheme != "" {
		return "", t.host + t.scheme
	}
	return folderOf(within(folderOf(l.name), t.path)), ""
}
