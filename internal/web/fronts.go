package web

import (
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
	kept map[frontKey]frontPage
}

type frontKey struct {
	lang string
	sort gallery.Sort // one that the service took
}

type frontPage struct {
	body []byte
	at   time.Time
}

func (f *fronts) get(key frontKey, now time.Time) (body []byte, ok bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	page, ok := f.kept[key]
	return page.body, ok && now.Sub(page.at).Abs() < frontFor
}

func (f *fronts) put(key frontKey, body []byte, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil {
		f.kept = map[frontKey]frontPage{}
	}
	f.kept[key] = frontPage{body, now}
}
