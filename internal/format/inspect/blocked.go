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

// mostHosts is how many hosts are listed.
const mostHosts = 20

// Blocked lists in words the content of a document that quarantine blocks: the other hosts that it probably loads from,
// sends to or links to, and the features that its sandbox lacks. It parses no language: an address counts if it stands
// in a tag that loads, or in quotes. Its cost is bounded for any text; addresses that exceed the budget do not count.
func Blocked(text []byte) (out []string) {
	var hosts []string
	for at, budget := 0, lookBudget; budget > 0 && len(hosts) < mostHosts; budget-- {
		next := bytes.Index(text[at:], []byte("//"))
		if next < 0 {
			break
		}
		at += next
		if external(text[:at]) {
			budget -= lookCost
			host := hostAt(text[at+2:])
			if host != "" && used(text[max(0, at-contextSize):at]) && !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
		at += 2
	}
	if len(hosts) > 0 {
		out = append(out, "what it loads from, sends to or, in Chromium, links to "+strings.Join(hosts, ", "))
	}
	for _, feature := range features {
		if slices.ContainsFunc(feature.marks, func(mark string) bool { return bytes.Contains(text, []byte(mark)) }) {
			out = append(out, feature.what)
		}
	}
	return out
}

// features are those that the sandbox lacks, with texts of documents that use them. They never change.
var features = []struct {
	what  string
	marks []string
}{
	{"forms that send (their submit events fire)", []string{"<form", "<FORM"}},
	{"new windows and tabs", []string{"window.open(", "_blank"}},
	{"downloads", []string{".download", " download=", " download>"}},
	{"service workers", []string{"serviceWorker.register("}},
	{"frames of the project's own pages (srcdoc, data: and blob: work)", []string{"<iframe"}},
}

const (
	// lookBudget bounds the cost of text made to be expensive, which can be sent as a kilobyte of gzip: some 2,000
	// addresses are checked. Pages have hundreds.
	lookBudget = 40_000
	// lookCost is the cost of checking an address, relative to finding two slashes.
	lookCost = 20
	// contextSize is how far before an address its purpose is searched, in bytes.
	contextSize = 200
)

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

// used reports whether the text before an address shows that the document probably uses it.
func used(before []byte) bool {
	low := strings.ToLower(string(before))
	if open := strings.LastIndexByte(low, '<'); open >= 0 && strings.IndexByte(low[open:], '>') < 0 {
		tag := low[open+1:]
		name, _, _ := strings.Cut(tag, " ")
		if name = strings.TrimSpace(name); name == "link" {
			return loads.MatchString(tag) || !strings.Contains(tag, "rel=")
		}
		return slices.Contains(loading, name)
	}
	line := low[strings.LastIndexByte(low, '\n')+1:]
	for i := range line {
		if strings.HasPrefix(line[i:], "//") && (i == 0 || strings.IndexByte(":\"'`", line[i-1]) < 0) {
			return false // a comment
		}
	}
	plain := strings.TrimRight(low, "htpsw:") // without the scheme
	return plain != "" && strings.IndexByte("\"'`(", plain[len(plain)-1]) >= 0
}

var (
	// loads matches the rel of a link that loads its target.
	loads = regexp.MustCompile("stylesheet|preload|icon")
	// loading are the other tags whose address is loaded or followed. It never changes.
	loading = strings.Fields("script img audio video source image track picture input a area iframe embed object frame")
)
