package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// A fact is something that the text of a page or script says about what it does.
type fact uint32

const (
	keys       fact = 1 << iota // it listens to keys
	moves                       // to the keys that move things
	touches                     // to fingers, or a mouse, whose events fingers make
	clicks                      // to clicks
	sounds                      // it makes a sound
	plays                       // it plays what may be one
	tones                       // it makes sounds by itself
	resumes                     // it begins sounds later
	shares                      // it makes memory that threads share
	guards                      // it asks first whether that works
	wasm                        // it makes memory for WebAssembly, shared or not
	isolates                    // it makes the isolation that shared memory needs by itself
	elsewhere                   // the files of its loader are in a folder that is not known
	folder                      // it sets that folder
	translates                  // it has a program make JavaScript of the scripts that it loads
	offers                      // a feature that is switched off
	elides                      // a word of comments that stand for code
	lists                       // it lists the files that it loads, as what Godot exports does
	joins                       // it has a folder or an address that names may be put behind
	addsAll                     // a cache takes a list of files
	phaser                      // it has Phaser read maps, which loads no pictures that these name
	tilesets                    // it reads maps
	images                      // and the names of their pictures
	titles                      // it gives the page its title
)

// A word says a fact wherever it stands behind its prefix.
type word struct {
	prefix, word string
	fact         fact
}

// stands reports whether the word stands in text at an offset.
func (w *word) stands(t []byte, at int) bool {
	before := at - len(w.prefix)
	return before >= 0 && len(t)-at >= len(w.word) && foldedIs(t[at:at+len(w.word)], w.word) && foldedIs(t[before:at], w.prefix)
}

// words are looked for in pages and scripts, without regard to case: word, if prefix stands before it. None is shorter
// than shortest. The first letters of a word are best not those of many others: they decide how fast the search is.
var words = []word{
	{"", "keydown", keys},
	{"", "keyup", keys},
	{"", "keypress", keys},
	{"", "keycode", keys},
	{"", "keyisdown", keys | moves},
	{"create", "cursorkeys", keys | moves},
	{"", "arrowleft", moves},
	{"", "arrowright", moves},
	{"", "arrowup", moves},
	{"", "arrowdown", moves},
	{"lef", "t_arrow", moves},
	{"righ", "t_arrow", moves},
	{"", "'keyw'", moves},
	{"", `"keyw"`, moves},
	{"", "'keya'", moves},
	{"", `"keya"`, moves},
	{"", "touch", touches},
	{"", "focusin", touches}, // of menus and lists, whose arrow keys are only a help
	{"", "pointerdown", touches},
	{"", "pointermove", touches},
	{"", "pointerup", touches},
	{"", "mousedown", touches},
	{"", "mousemove", touches},
	{"", "mousepressed", touches},
	{"", "mouseispressed", touches},
	{"", "joystick", touches},
	{"", "swipe", touches},
	{"", "gesture", touches},
	{"device", "orientation", touches},
	{"setinter", "active", touches},
	{"orbit", "controls", touches},
	{"", "click", clicks},
	{"new ", "audio(", sounds},
	{"<", "audio", sounds},
	{"", ".play(", plays},
	{"", "audiocontext(", tones},
	{"", ".resume(", resumes},
	{"user", "activation", resumes},
	{"new ", "sharedarraybuffer", shares},
	{"", "godot_threads_enabled = true", shares},
	{"typeof ", "sharedarraybuffer", guards},
	{"cross", "originisolated", guards},
	{"", "webassembly.memory", wasm},
	{"", `"filesizes":{`, lists},
	{"", "getusermedia(", offers},
	{"", "getdisplaymedia(", offers},
	{"", "geolocation.", offers},
	{"", "requestmidiaccess(", offers},
	{"", "usb.requestdevice(", offers},
	{"", "hid.requestdevice(", offers},
	{"", "serial.requestport(", offers},
	{"new ", "paymentrequest(", offers},
	{"", "tilemaptiledjson", phaser},
	{"", ".tilesets", tilesets},
	{"", ".image", images},
	{"", ".addall(", addsAll},
	{"", "existing", elides},
	{"", "unchanged", elides},
	{"", "remaining", elides},
	{"", "the same", elides},
	{"", "rest of", elides},
	{"", "omitted", elides},
	{"coi-", "serviceworker", isolates},
	{"", "setpath(", folder},
	{"", "loadroot(", folder},
	{"load", ".path", folder},
	{"", "baseurl", folder},
	{"set", "urlmodifier", elsewhere},
	{"document", ".title", titles},
}

// shortest is the length of the shortest word, and so how far the search may look ahead.
const shortest = 5

// A search finds all words in one pass (Wu and Manber's: by two bytes at the end of a window it tells how far no word can
// end). What it costs in the worst case, a look at a few words at each byte, is bounded by the longest list.
type search struct {
	skip  [pairs]uint8
	first map[int][]uint8 // the words with these two bytes at the end of their first five
}

var wordSearch = newSearch()

func newSearch() *search {
	s := search{first: map[int][]uint8{}}
	for i := range s.skip {
		s.skip[i] = shortest - 1
	}
	for n, w := range words {
		for i := 1; i < shortest; i++ {
			at := pairOf(w.word[i-1], w.word[i])
			s.skip[at] = min(s.skip[at], uint8(shortest-1-i))
			if i == shortest-1 {
				s.first[at] = append(s.first[at], uint8(n))
			}
		}
	}
	return &s
}

// pairOf maps two bytes to a number, the two cases of a letter to the same.
func pairOf(a, b byte) int { return (int(a|0x20)<<7 | int(b|0x20)&0x7f) & (pairs - 1) }

// pairs is how many numbers of two bytes there are, of seven bits each.
const pairs = 1 << 14

// words looks for all words in the text between two offsets.
func (s *scanner) words(from, to int) {
	find, t := wordSearch, s.text[:to]
	for i := from + shortest - 1; i < len(t); {
		at := pairOf(t[i-1], t[i])
		if skip := find.skip[at]; skip > 0 {
			i += int(skip)
			continue
		}
		for _, n := range find.first[at] {
			if from := i - shortest + 1; words[n].stands(t, from) {
				s.found(words[n].fact, from)
			}
		}
		i++
	}
}

// found keeps a fact, and where memory is first shared.
func (s *scanner) found(f fact, at int) {
	if f == offers {
		s.asksOff(at)
		return
	}
	if f == elides {
		s.elision(at)
		return
	}
	if f == folder {
		s.folderSet(at)
		return
	}
	if f == addsAll {
		s.takesAll(at)
		return
	}
	if f == wasm {
		s.sharesMemory(at)
	}
	if s.facts&f == f {
		return
	}
	s.facts |= f
	if f == lists {
		s.listed(at)
	}
	if f&shares != 0 {
		s.threads = s.anywhere(at)
	}
}

// listed keeps the files that a list of sizes names, which lie beside the page.
func (s *scanner) listed(at int) {
	text := s.text[at:min(len(s.text), at+4096)]
	open, end := bytes.IndexByte(text, '{'), bytes.IndexByte(text, '}')
	var sizes map[string]int64
	if end < open || json.Unmarshal(text[open:end+1], &sizes) != nil {
		return
	}
	if _, worker, ok := bytes.Cut(text[end:], []byte(`"serviceWorker":"`)); ok {
		if name, _, ok := bytes.Cut(worker, []byte(`"`)); ok && len(name) > 0 && len(s.refs) < mostRefs && !unreadable(name) {
			s.refs = append(s.refs, ref{string(name), s.anywhere(at), registers})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if len(s.refs) < mostRefs && !unreadable([]byte(name)) {
			s.refs = append(s.refs, ref{name, s.anywhere(at), asks})
		}
	}
}

// sharesMemory looks for shared memory of WebAssembly, in the arguments of the call.
func (s *scanner) sharesMemory(at int) {
	after := s.text[at:min(len(s.text), at+200)]
	for _, said := range []string{"shared:true", "shared: true", "shared:!0", `"shared":true`, `"shared":!0`} {
		if bytes.Contains(after, []byte(said)) {
			s.found(shares, at)
			return
		}
	}
}
