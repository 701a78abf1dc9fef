package inspect

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// BlockedSample is how many bytes of a file are checked for blocked content: the check takes a few milliseconds at
// most, and libraries stand at the beginning.
const BlockedSample = 512 << 10

// MayLoad reports whether a file of that name can load others.
func MayLoad(filename string) bool {
	return IsHTML(filename) || slices.Contains(codeKinds, strings.ToLower(path.Ext(filename)))
}

// blocked holds the content of a document that quarantine blocks, in the order of its kinds.
type blocked struct {
	hosts                                        [kinds][]string
	forms, windows, download, workers, ownFrames bool
}

// The kinds of content that a document loads from other hosts.
const (
	scripts = iota
	styles
	pictures
	frames
	requests
	links
	kinds
)

// mostHosts is how many hosts of a kind are listed.
const mostHosts = 10

func (b *blocked) list() (out []string) {
	for kind, name := range [kinds]string{
		"scripts from ", "styles and fonts from ", "pictures, sounds and videos from ", "frames from ", "requests to ",
		"in Chromium also links to ",
	} {
		if hosts := b.hosts[kind]; len(hosts) > 0 {
			out = append(out, name+strings.Join(hosts, ", "))
		}
	}
	if b.forms {
		out = append(out, "forms that send (their submit events fire)")
	}
	if b.windows {
		out = append(out, "new windows and tabs")
	}
	if b.download {
		out = append(out, "downloads")
	}
	if b.workers {
		out = append(out, "service workers")
	}
	if b.ownFrames {
		out = append(out, "frames of the project's own pages (srcdoc, data: and blob: work)")
	}
	return out
}

func (b *blocked) add(kind int, host string) {
	if len(b.hosts[kind]) < mostHosts && !slices.Contains(b.hosts[kind], host) {
		b.hosts[kind] = append(b.hosts[kind], host)
	}
}

// Blocked lists in words the content of a document that quarantine blocks: the content that it loads, with the other
// hosts, and the features that its sandbox lacks. Its cost is bounded, whatever the text is made of.
func Blocked(text []byte) []string {
	b := findBlocked(text)
	return b.list()
}

// findBlocked finds addresses of other hosts and determines the purpose of each from the text before it. It parses no
// language: it omits an address whose purpose is unclear, and may mistake a comment for code. It omits addresses that
// exceed the budget.
func findBlocked(text []byte) blocked {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(text, []byte(word)) })
	}
	b := blocked{
		forms:     has("<form", "<FORM"),
		windows:   has("window.open(", "_blank"),
		download:  has(".download", " download=", " download>"),
		workers:   has("serviceWorker.register("),
		ownFrames: has("<iframe"),
	}
	asks := has("fetch(", "XMLHttpRequest", ".open(", "WebSocket(", "EventSource(", "sendBeacon(", "axios")
	for at, budget := 0, lookBudget; budget > 0; budget-- {
		next := bytes.Index(text[at:], []byte("//"))
		if next < 0 {
			break
		}
		at += next
		if external(text[:at]) {
			budget -= lookCost
			b.look(text, at, asks)
		}
		at += 2
	}
	return b
}

const (
	// lookBudget bounds the cost of text made to be expensive, which can be sent as a kilobyte of gzip: some 2,000
	// addresses are checked. Pages have hundreds.
	lookBudget = 40_000
	// lookCost is the cost of checking an address, relative to finding two slashes.
	lookCost = 20
)

// look adds the address whose slashes stand at an offset.
func (b *blocked) look(text []byte, at int, asks bool) {
	if host := hostAt(text[at+2:]); host != "" {
		if kind, ok := purpose(text[max(0, at-contextSize):at], asks); ok {
			b.add(kind, host)
		}
	}
}

// contextSize is how far before an address its purpose is searched, in bytes.
const contextSize = 200

// hostAt returns the host that text begins with, if it is a public name.
func hostAt(text []byte) string {
	n := 0
	for n < len(text) && n < 253 && (wordByte(text[n]) && text[n] != '_' || text[n] == '.') {
		n++
	}
	host := strings.ToLower(string(text[:n]))
	name, top := host, ""
	if dot := strings.LastIndexByte(host, '.'); dot > 0 {
		name, top = host[:dot], host[dot+1:]
	}
	if len(top) < 2 || name == "" || strings.HasSuffix(name, ".") || host == "www.w3.org" {
		return ""
	}
	return host
}

// external reports whether the text before two slashes makes them an address.
func external(before []byte) bool {
	for _, scheme := range []string{"http:", "https:", "ws:", "wss:", "HTTP:", "HTTPS:"} {
		if bytes.HasSuffix(before, []byte(scheme)) {
			return true
		}
	}
	return len(before) > 0 && strings.IndexByte("\"'`(=", before[len(before)-1]) >= 0
}

// purpose returns the kind of content at an address, by the text before it. asks reports whether the document sends
// requests to other hosts at all: then an address outside a tag may be for that.
func purpose(before []byte, asks bool) (kind int, ok bool) {
	low := strings.ToLower(string(before))
	if open := strings.LastIndexByte(low, '<'); open >= 0 && strings.IndexByte(low[open:], '>') < 0 {
		return purposeOfTag(low[open+1:])
	}
	line := low[strings.LastIndexByte(low, '\n')+1:]
	for i := range line {
		if strings.HasPrefix(line[i:], "//") && (i == 0 || strings.IndexByte(":\"'`", line[i-1]) < 0) {
			return 0, false // a comment
		}
	}
	near := low[max(0, len(low)-60):]
	last := func(words ...string) bool {
		for _, w := range words {
			if i := strings.LastIndex(near, w); i >= 0 && strings.IndexByte(near[i:], ';') < 0 && strings.IndexByte(near[i:], '\n') < 0 {
				return true
			}
		}
		return false
	}
	switch {
	case last("import ", "import(", "importscripts(", "from \"", "from '", "worker(", "\": \"", "imports"):
		return scripts, true
	case last("@import", "@font-face", "src:"):
		return styles, true
	case last("url(", ".src", "new audio(", ".load("):
		return pictures, true
	case asks && last("fetch(", "open(", "websocket(", "eventsource(", "sendbeacon(", "axios", "=", "(", ":"):
		return requests, true
	}
	return 0, false
}

// loads matches the rel of a link that loads its target.
var loads = regexp.MustCompile("stylesheet|preload|icon")

// purposeOfTag returns the kind of content for the tag of an address.
func purposeOfTag(tag string) (kind int, ok bool) {
	name, _, _ := strings.Cut(tag, " ")
	switch strings.TrimSpace(name) {
	case "script":
		return scripts, true
	case "link":
		return styles, loads.MatchString(tag) || !strings.Contains(tag, "rel=")
	case "img", "audio", "video", "source", "image", "track", "picture", "input":
		return pictures, true
	case "a", "area":
		return links, true
	case "iframe", "embed", "object", "frame":
		return frames, true
	}
	return 0, false
}
