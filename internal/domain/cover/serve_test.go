package cover_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// counted is a content that counts how often bytes are read, once something has happened.
type counted struct {
	cover.Content
	opened atomic.Int64
	before func(ctx context.Context, n int64) error
}

// Open implements cover.Content.
func (c *counted) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	if err := c.before(ctx, c.opened.Add(1)); err != nil {
		return nil, err
	}
	return c.Content.Open(ctx, b, off, n)
}

// asked is a server of kim's new cover that nobody has asked for.
func (w *world) asked(before func(ctx context.Context, n int64) error) (*cover.Service, *counted, sandlot.PictureID) {
	w.t.Helper()
	expect.OK(w.t, w.Covers.Upload(w.t.Context(), w.owner, w.id, strings.NewReader(plain("red", 640, 360))))
	content := &counted{Content: w.Publish.Contents, before: before}
	return cover.New(cover.Config{Store: w.Served.Covers(), Content: content, Projects: w.Publish.Reader, Places: w.Config.Places, Now: w.Clock.Now}), content, w.mine().Cover
}

// TestANewPictureIsReadOnceByAllWhoAskAtOnce: two hundred phones that open a page as it was shared.
func TestANewPictureIsReadOnceByAllWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	const phones = 200
	w := newWorld(t, bare)
	var here, served sync.WaitGroup
	here.Add(phones)
	s, content, id := w.asked(func(context.Context, int64) error { here.Wait(); return nil })
	for range phones {
		served.Go(func() {
			here.Done()
			b, err := s.Picture(t.Context(), testworld.Nobody(), id, 640)
			if err != nil || len(b) == 0 {
				t.Errorf("%d bytes, %v", len(b), err)
			}
		})
	}
	served.Wait()
	expect.Equal(t, "reads", content.opened.Load(), 1)
	_, err := s.Picture(t.Context(), testworld.Nobody(), id, 320)
	expect.OK(t, err)
	expect.Equal(t, "reads with another width", content.opened.Load(), 2)
}
