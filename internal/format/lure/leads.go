package lure

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Bounds of a version that has nothing but a way elsewhere, in bytes: the text that a visitor reads, and its scripts. A game has more.
const (
	fewWords  = 900
	shortCode = 3 << 10
)

// longSeal is the least length of a text without spaces, or of a list, that counts as a page in a form that only its script reads.
const longSeal = 1000

// A bait holds the parts of a version that make a page without fields lead its visitors to another site.
type bait struct {
	page      string // its first page
	more      bool   // it has a field, a canvas, a sound or a film
	plain     bool   // it has that in a file itself, in no text of a script
	pictures  bool
	title     string
	words     strings.Builder // the visible text
	code      int             // bytes of scripts
	way       string          // the file with the first link or address elsewhere
	redirects bool            // without an act of the visitor, as far as one sees
	sealed    bool            // a text that only a script reads
	writes    string          // the file that writes its document anew, with a text that cannot be read
}

// looked notes an element.
func (p *page) looked(t *html.Token) {
	switch t.Data {
	case "canvas", "audio", "video", "input", "textarea", "select":
		p.bait.more = true
		p.bait.plain = p.bait.plain || p.depth == 0
	case "img", "picture":
		p.bait.pictures = true
	case "iframe", "frame", "embed":
		if p.elsewhere(p.base, attr(t, "src")) {
			p.bait.pictures = true
			p.leads()
		}
	case "a", "area":
		link := attr(t, "href")
		if to, err := url.Parse(strings.TrimSpace(link)); err == nil && (p.elsewhere(p.base, link) || slices.Contains(calls, to.Scheme)) {
			p.leads()
		}
	}
}

// calls are the schemes of addresses that open another program. It never changes.
var calls = []string{"tel", "sms", "ethereum", "bitcoin", "tg", "whatsapp"}

// leads notes that the file at hand has a way elsewhere.
func (l *Look) leads() {
	if l.bait.way == "" {
		l.bait.way = l.current
	}
}

// read notes the visible text of a page.
func (b *bait) read(text string) {
	if b.words.Len() <= fewWords {
		b.words.WriteString(text + "\n")
	}
}

// seals notes a string that is long and has no spaces, as encrypted ones.
func (b *bait) seals(text string) {
	b.sealed = b.sealed || len(text) >= longSeal && !strings.ContainsAny(text[:longSeal], " <")
}

// hides reports whether the version has nothing but a page that its script writes, from a text that cannot be read.
func (l *Look) hides() bool {
	b := &l.bait
	return b.page != "" && b.sealed && b.writes != "" && !b.plain && b.words.Len() <= fewWords
}

// leadsAway reports whether the version has nothing but a way elsewhere: it goes there by itself, is one picture, or has the name
// of a brand. One picture without a link counts under the name of a brand.
func (l *Look) leadsAway() bool {
	b := &l.bait
	switch {
	case b.page == "" || b.more || l.field || b.code > shortCode || b.words.Len() > fewWords:
		return false
	case b.way == "":
		return l.alone() && l.Brands.Resemble(b.title)
	case b.redirects, l.alone():
		return true
	}
	return l.Brands.Resemble(b.title + b.words.String())
}

// alone reports whether the version has nothing but pictures.
func (l *Look) alone() bool {
	b := &l.bait
	return b.page != "" && b.pictures && !b.more && !l.field && b.code <= shortCode && strings.TrimSpace(b.words.String()) == ""
}
