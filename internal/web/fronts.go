package web

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"sandlot/internal/gallery"
)

// frontFor is how long a rendered page is sent again: to render one takes a
// millisecond. The list in it may be half a second old by then, and neither may show
// for longer than a second what was suspended.
const frontFor = 400 * time.Millisecond

// fronts keeps the first pages of the gallery as they were rendered last: one for
// each language and order, and nothing else, so it stays small. It may be used
// concurrently.
type fronts struct {
	mu   sync.RWMutex
	kept map[frontKey]*frontPage
}

type frontKey struct {
	lang string
	sort gallery.Sort // one that the service took; empty: the home page
}

// A frontPage is a page without what is its visitor's own.
type frontPage struct {
	head, tail []byte
	at         time.Time
	once       sync.Once
	short      []byte
}

// with is the page with what is its visitor's own.
func (p *frontPage) with(who string) []byte {
	return slices.Concat(p.head, []byte(who), p.tail)
}

// packed is the page of whoever has no login, with gzip: made once, when it is asked for.
func (p *frontPage) packed(body []byte) []byte {
	p.once.Do(func() { p.short = packed(body) })
	return p.short
}

func (f *fronts) get(key frontKey, now time.Time) (*frontPage, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	page, ok := f.kept[key]
	return page, ok && now.Sub(page.at).Abs() < frontFor
}

func (f *fronts) put(key frontKey, body []byte, now time.Time) *frontPage {
	page := &frontPage{at: now}
	page.head, page.tail, _ = bytes.Cut(body, []byte(whoPlace))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil {
		f.kept = map[frontKey]*frontPage{}
	}
	f.kept[key] = page
	return page
}
