package check

import (
	"net/url"
	"path"
	"regexp"
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
	if found := aScheme.FindString(to[:min(len(to), 13)]); found != "" {
		scheme, rest = strings.ToLower(found[:len(found)-1]), to[len(found):]
	}
	switch {
	case strings.HasPrefix(rest, "//") && (scheme == "" || scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss"):
		host := rest[2:]
		if n := strings.IndexAny(host, "/?#"); n >= 0 {
			host = host[:n]
		}
		host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
		return target{scheme: scheme, host: host, ok: aHost.MatchString(host)}
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

var (
	aScheme = regexp.MustCompile("^[A-Za-z][A-Za-z0-9+.-]*:")
	// aHost matches a possible name or address of a host, with its port.
	aHost = regexp.MustCompile(`^[a-z0-9._:\[\]-]{1,260}$`)
	// ownMachine matches the visitor's own machine, or one beside it.
	ownMachine = regexp.MustCompile(`^(?:(?:.*\.)?localhost|0\.0\.0\.0|\[::1\]|(?:127|10|192\.168)\.[0-9.]+)(?::[0-9]*)?$`)
)

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
