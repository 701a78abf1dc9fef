package check

import (
	"bytes"
	"path"
	"strings"
)

// sdkPath is the path of the script that stores data of players, at every project's own address.
const sdkPath = "/.sandlot/sdk.js"

// sdkLine returns the element that loads the script in a page of that name. Its address is relative, and so right at every
// address of the project, also below a path of the website.
func sdkLine(page string) string {
	return `<script src="` + strings.Repeat("../", strings.Count(page, "/")) + sdkPath[1:] + `"></script>`
}

// An sdk holds the facts of a page about that script.
type sdk struct {
	at   place // its element
	late bool  // whether other scripts run before it
	far  bool  // whether it comes from a named host
}

// loadsSDK records the element that loads the script.
func (p *pager) loadsSDK(t *tag, src string) {
	address, _, _ := strings.Cut(strings.TrimSpace(src), "?")
	if p.sdk.at.line > 0 || address != sdkPath[1:] && !strings.HasSuffix(address, sdkPath) {
		return
	}
	_, async := t.find("async")
	_, defers := t.find("defer")
	p.sdk = sdk{p.spot(t.at), p.scripted || async || defers || strings.EqualFold(t.attr("type"), "module"), read(address).host != ""}
}

// storesAway records the first use of window.storage in a file. No browser has such an object.
func (s *scanner) storesAway(at int) {
	after := bytes.TrimPrefix(s.text[at+len(".storage"):min(len(s.text), at+40)], []byte("?"))
	for _, call := range []string{".get(", ".set(", ".list(", ".delete("} {
		if s.lost.line == 0 && bytes.HasPrefix(after, []byte(call)) && !comment(s.text[:at]) {
			s.lost = s.anywhere(at)
		}
	}
}

// ranksBest records the first assignment to a best score in a file.
func (s *scanner) ranksBest(at int) {
	after := s.text[at:min(len(s.text), at+40)]
	after = bytes.TrimLeft(after[bytes.Index(bytes.ToLower(after), []byte("score"))+len("score"):], " ")
	sets := bytes.HasPrefix(after, []byte("=")) && !bytes.HasPrefix(after, []byte("==")) && !bytes.HasPrefix(after, []byte("=>"))
	if sets && s.best.line == 0 && s.kind != style && !ofLibrary(s.name) && !comment(s.text[:at]) && !inTag(s.text[:at]) {
		s.best = s.anywhere(at)
	}
}

// inTag reports whether the text ends within a tag, where attributes are.
func inTag(before []byte) bool {
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	open := bytes.LastIndexByte(line, '<')
	return open >= 0 && open+1 < len(line) && line[open+1]|0x20 >= 'a' && line[open+1]|0x20 <= 'z' && !bytes.Contains(line[open:], []byte(">"))
}

// runtime reports faults in the way a project stores data of players. It reports no loss if unread code may store the data.
func (f *finder) runtime() {
	loaded := false
	for _, l := range f.Looks {
		if l.sdk.at.line == 0 {
			f.copied(l)
			continue
		}
		loaded = true
		switch {
		case l.sdk.far:
			f.add(SDKElsewhere, "Put this line first into the head of "+shown(l.name)+": "+sdkLine(l.name),
				"%s loads sdk.js from a named host: it saves nothing at any other address of the project.", at(l, l.sdk.at))
		case l.sdk.late:
			f.add(SDKLate, "Put this line before all other scripts, without async, defer or type: "+sdkLine(l.name),
				"%s loads sdk.js after other scripts: they run before there is a sandlot or a window.storage.", at(l, l.sdk.at))
		}
	}
	if !loaded && !f.any(keeps) && f.All && !f.scriptless && f.counts[SDKElsewhere] == 0 {
		f.lost()
	}
}

// copied reports a file that is a copy of the script.
func (f *finder) copied(l *Look) {
	name := strings.ToLower(path.Base(l.name))
	if l.kind == script && l.facts&doors != 0 && (strings.Contains(name, "sdk") || strings.Contains(name, "sandlot")) {
		f.add(SDKElsewhere, "Delete the file, and put this line first into the head of the page: "+sdkLine(f.Primary),
			"%s is a copy of sdk.js: it does not follow changes of the service, and saves nothing at a version's address.", shown(l.name))
	}
}

// lost reports the first use of window.storage, or the first best score, in a project that stores nothing.
func (f *finder) lost() {
	for _, l := range f.Looks {
		if !l.whole {
			return
		}
	}
	line := "Put this line first into the head of " + shown(f.Primary) + ": " + sdkLine(f.Primary)
	for _, l := range f.Looks {
		switch {
		case l.lost.line > 0:
			f.add(StorageLost, line, "%s uses window.storage, which no browser has: the data of players is lost.", at(l, l.lost))
			return
		case l.best.line > 0:
			f.add(StorageLost, line+" Then await sandlot.save(value) saves it, and await sandlot.load() returns it.",
				"%s sets a best score, and nothing in the project saves it: players lose it when they leave.", at(l, l.best))
			return
		}
	}
}
