package web

import (
	"compress/gzip"
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/stencil"
)

// TestAKeptPageIsTheSamePacked whoever asks, and its length tells nothing of what is theirs.
func TestAKeptPageIsTheSamePacked(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	visitor := "; " + visitorCookie + "=" + h.visitor()
	for _, path := range []string{"/", "/?sort=newest", "/@kim", "/p/game-abc123"} {
		for _, cookie := range []string{"a=b", themeCookie + "=dark", cookieName + "=kim"} {
			plain := text(t, request(h, "GET", path, "", "Cookie", cookie+visitor))
			resp := request(h, "GET", path, "", "Cookie", cookie+visitor, "Accept-Encoding", "gzip, deflate, br")
			sent := text(t, resp)
			if resp.Header.Get("Content-Encoding") == "" && cookie == cookieName+"=kim" {
				continue // a page of one's own is not kept
			}
			unpacked := must(io.ReadAll(must(gzip.NewReader(strings.NewReader(sent)))(t)))(t)
			if string(unpacked) != plain || len(sent)*2 > len(plain) {
				t.Errorf("%s with %s has %d bytes, and %d plain", path, cookie, len(sent), len(plain))
			}
			if is := strings.Contains(plain, `<html data-theme="dark"`); is != (cookie == themeCookie+"=dark") || strings.Contains(plain, "\x00") {
				t.Errorf("%s with %s begins with %.50s", path, cookie, plain)
			}
		}
	}
}

// A searcher counts how often it is asked what a project leads on to.
type searcher struct {
	Gallery
	asked atomic.Int32
}

func (s *searcher) Beside(ctx context.Context, by sandlot.Caller, of sandlot.Project) (gallery.Beside, error) {
	s.asked.Add(1)
	return s.Gallery.Beside(ctx, by, of)
}

// TestAPageIsMadeOnceHoweverManyAsk at the same time; who waits goes where their request ends.
func TestAPageIsMadeOnceHoweverManyAsk(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	counted := &searcher{Gallery: h.cfg.Gallery}
	h.change(func(c *Config) { c.Gallery = counted })
	var made atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			h.pageOf()
			_, err := h.fronts.page(t.Context(), frontKey{path: "/@x"}, func() (stencil.Stencil, error) {
				made.Add(1)
				return newStencil([]byte("made")), nil
			})
			expect.OK(t, err)
			_, err = h.sheets.page(t.Context(), sheetKey{id: "x"}, 1, func() (*sheet, error) {
				made.Add(1)
				return newSheet(nil, 1), nil
			})
			expect.OK(t, err)
		})
	}
	all.Wait()
	expect.Equal(t, "made", made.Load(), 2)
	expect.Equal(t, "asked what comes next", counted.asked.Load(), 1)
	ended, end := context.WithCancel(t.Context())
	end()
	done, err := h.fronts.turns.Lock(t.Context(), frontKey{path: "/@y"})
	expect.OK(t, err)
	defer done()
	_, err = h.fronts.page(ended, frontKey{path: "/@y"}, nil)
	expect.Is(t, "who has gone", err, context.Canceled)
}
