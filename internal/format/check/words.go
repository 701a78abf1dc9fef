package check

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
)

// A fact is a property of a page or script that its text shows.
type fact uint32

const (
	keys       fact = 1 << iota // it listens to keys
	moves                       // to the keys that move things
	touches                     // to touches, or to a mouse, whose events touches make
	clicks                      // to clicks
	sounds                      // it makes a sound
	plays                       // it plays something that may be a sound
	tones                       // it makes sounds by itself
	resumes                     // it begins sounds later
	shares                      // it makes memory that threads share
	guards                      // it first asks whether that works
	wasm                        // it makes memory for WebAssembly, shared or not
	isolates                    // it makes the isolation that shared memory needs by itself
	elsewhere                   // the files of its loader are in an unknown folder
	folder                      // it sets that folder
	translates                  // its scripts are translated to JavaScript by a program
	offers                      // a feature that is switched off
	elides                      // a word of comments that replace code
	lists                       // it lists the files that it loads, like an export of Godot
	joins                       // it has a folder or an address that may be put before names
	addsAll                     // a cache takes a list of files
	phaser                      // it lets Phaser read maps, which does not load the pictures that they name
	tilesets                    // it reads maps
	images                      // and the names of their pictures
	titles                      // it gives the page its title
	storages                    // it uses window.storage
	bests                       // it has a best score
	keeps                       // it keeps something, in the browser or at a service
	doors                       // it calls the service's addresses for players
)

// A word shows a fact wherever it stands after its prefix.
type word struct {
	prefix, word string
	fact         fact
}

// stands reports whether the word is in text at an offset.
func (w *word) stands(t []byte, at int) bool {
	before := at - len(w.prefix)
	return before >= 0 && len(t)-at >= len(w.word) && foldedIs(t[at:at+len(w.word)], w.word) && foldedIs(t[before:at], w.prefix)
}

// words are searched in pages and scripts, without regard to case: word, if prefix stands before it. A word has at least
// five letters.
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
	{"window", ".storage", storages},
	{"", "highscore", bests},
	{"", "high_score", bests},
	{"", "bestscore", bests},
	{"", "best_score", bests},
	{"", "hiscore", bests},
	{"", "localstorage", keeps},
	{"", "indexeddb", keeps},
	{"", "sessionstorage", keeps},
	{"", "document.cookie", keeps},
	{"", "localforage", keeps},
	{"", "websocket", keeps},
	{"", "xmlhttprequest", keeps},
	{"", "sendbeacon", keeps},
	{"", "firebase", keeps},
	{"", "supabase", keeps},
	{"", "storeitem(", keeps},
	{"", `"post"`, keeps},
	{"", "'post'", keeps},
	{"window", ".storage = ", keeps},
	{"window", ".storage={", keeps},
	{"window", ".storage=window", keeps},
	{"window", ".storage ||=", keeps},
	{"window", ".storage ??=", keeps},
	{"", "x-sandlot-player", keeps | doors},
	{"", "sandlot.save", keeps},
	{"", "sandlot.score", keeps},
}

// A gram is a place of four bytes in a word, by which the word is found.
type gram struct{ word, at uint8 }

// gramLists are the first two grams of the words by the hash of their bytes, and gramSearch has the number of the list
// for each hash, 0 for none: it stays in the nearest cache. A look at every second place of a text finds each word by
// one of its two, and costs a comparison only where the four bytes are likely those of a word.
var gramLists, gramSearch = func() (lists [][]gram, by [1 << hashBits]uint8) {
	lists = make([][]gram, 1, 2*len(words)+1)
	for n, w := range words {
		for at := range uint8(2) {
			h := hashOf([]byte(w.word[at:]))
			if by[h] == 0 {
				by[h], lists = uint8(len(lists)), append(lists, nil)
			}
			lists[by[h]] = append(lists[by[h]], gram{uint8(n), at})
		}
	}
	return lists, by
}()

const hashBits = 12

// hashOf returns a hash of the first four bytes of b, which is the same for both cases of a letter.
func hashOf(b []byte) uint32 {
	return (binary.LittleEndian.Uint32(b) | 0x20202020) * 0x9e3779b1 >> (32 - hashBits)
}

// words searches for all words in the text between two offsets.
func (s *scanner) words(from, to int) {
	for t, i := s.text[:to], from; i+4 <= to; i += 2 {
		list := gramSearch[hashOf(t[i:])]
		if list == 0 {
			continue
		}
		for _, g := range gramLists[list] {
			if w, at := &words[g.word], i-int(g.at); at >= from && w.stands(t, at) {
				s.found(w.fact, at)
			}
		}
	}
}

// found keeps a fact, and the first place that shares memory.
func (s *scanner) found(f fact, at int) {
	switch f {
	case offers:
		s.asksOff(at)
		return
	case elides:
		s.elision(at)
		return
	case folder:
		s.folderSet(at)
		return
	case addsAll:
		s.takesAll(at)
		return
	case storages:
		s.storesAway(at)
		return
	case bests:
		s.ranksBest(at)
		return
	case wasm:
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

// sharesMemory searches the arguments of the call for shared memory of WebAssembly.
func (s *scanner) sharesMemory(at int) {
	after := s.text[at:min(len(s.text), at+200)]
	for _, said := range []string{"shared:true", "shared: true", "shared:!0", `"shared":true`, `"shared":!0`} {
		if bytes.Contains(after, []byte(said)) {
			s.found(shares, at)
			return
		}
	}
}

// foldedIs reports whether text is name, which is in lower case.
func foldedIs(text []byte, name string) bool {
	for i, c := range text {
		if lower(c) != name[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
