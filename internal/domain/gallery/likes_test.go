package gallery_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// token mints one for a browser.
func (w *world) token() string {
	w.t.Helper()
	token, err := w.MintPlayerToken(w.t.Context(), nobody())
	expect.OK(w.t, err)
	return token
}

var home = netip.MustParseAddr("203.0.113.7")

// like likes, or takes it back, and fails the test unless the count is want, in the statistics as well.
func (w *world) like(id sandlot.ProjectID, token string, like bool, want int64) {
	w.t.Helper()
	got, err := w.Like(w.t.Context(), nobody(), id, token, home, like)
	if err != nil || got != want {
		w.t.Fatalf("%d likes (%v), wanted %d", got, err, want)
	}
	_, stats, err := w.Stats(w.t.Context(), nobody(), string(id))
	counts, err2 := w.Counts(w.t.Context(), nobody(), id)
	if err := errors.Join(err, err2); err != nil || stats.Likes != want || counts != stats {
		w.t.Fatalf("the statistics are %+v and %+v (%v)", stats, counts, err)
	}
	if liked, err := w.Liked(w.t.Context(), nobody(), id, token); err != nil || liked != like {
		w.t.Fatalf("liked is %v (%v)", liked, err)
	}
}

func TestAPlayerLikesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(w.account()).Project.ID
	ada, bob := w.token(), w.token()
	w.like(id, ada, true, 1)
	w.like(id, ada, true, 1)
	w.like(id, bob, true, 2)
	w.like(id, bob, false, 1)
	w.like(id, bob, false, 1)
	w.like(id, bob, true, 2)
}

func TestATokenThatIsMadeUpLikesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(w.account()).Project.ID
	good := w.token()
	made := []string{"", good[1:], good + "A", strings.Repeat("A", 43), "*"}
	for i := range 40 {
		b, err := base64.RawURLEncoding.DecodeString(good)
		expect.OK(t, err)
		b[i%len(b)] ^= 1
		made = append(made, base64.RawURLEncoding.EncodeToString(b))
	}
	for _, token := range made {
		_, err := w.Like(t.Context(), nobody(), id, token, home, true)
		liked, err2 := w.Liked(t.Context(), nobody(), id, token)
		if w.KnowsPlayerToken(t.Context(), nobody(), token) || !errors.Is(err, sandlot.ErrNotFound) || liked || err2 != nil {
			t.Errorf("%q: known %v, like %v, liked %v, %v", token, w.KnowsPlayerToken(t.Context(), nobody(), token), err, liked, err2)
		}
	}
	w.like(id, good, true, 1)
	if !w.KnowsPlayerToken(t.Context(), nobody(), good) || !w.in.AnotherGallery(gallery.Config{}).KnowsPlayerToken(t.Context(), nobody(), good) {
		t.Error("a good one is not known, or not after a restart")
	}
	if newWorld(t).KnowsPlayerToken(t.Context(), nobody(), good) {
		t.Error("another installation knows it")
	}
}

func TestFiftyLikesAtOnceAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(w.account()).Project.ID
	token := w.token()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := w.Like(t.Context(), nobody(), id, token, home, true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.like(id, token, true, 1)
}

// meanwhile is a store that does something just before it records a like, and just after it looked for one.
type meanwhile struct {
	gallery.Store
	do func()
}

func (m *meanwhile) once() {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
}

func (m *meanwhile) Liked(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest) (bool, error) {
	defer m.once()
	return m.Store.Liked(ctx, id, player)
}

// TestALikeThatIsTakenBackMeanwhileCounts: it was looked for, taken back, and then recorded as one that does not count, for good.
func TestALikeThatIsTakenBackMeanwhileCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, token := w.publish(nobody()).Project.ID, w.token()
	store := &meanwhile{Store: w.in.DB.Gallery()}
	s, err := gallery.New(t.Context(), gallery.Config{Now: w.in.Clock.Now}, store, w.in.Publish.Reader, w.in.Counters)
	expect.OK(t, err)
	w.like(id, token, true, 1)
	store.do = func() {
		_, err := w.Like(t.Context(), nobody(), id, token, home, false)
		expect.OK(t, err)
	}
	_, err = s.Like(t.Context(), nobody(), id, token, home, true)
	expect.OK(t, err)
	liked, err := w.Liked(t.Context(), nobody(), id, token)
	expect.OK(t, err)
	_, stats, err := w.Stats(t.Context(), nobody(), string(id))
	expect.OK(t, err)
	expect.Equal(t, "whether a like is counted, as it is recorded", stats.Likes == 1, liked)
	w.like(id, token, true, 1)
}

func TestAMissingProjectCannotBeLiked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.publish(w.account()).Project
	_, err := w.Like(t.Context(), nobody(), "none-abc234", w.token(), home, true)
	refused(t, err, sandlot.CodeProjectNotFound)
	_, err = w.Counts(t.Context(), nobody(), "none-abc234")
	refused(t, err, sandlot.CodeProjectNotFound)
	w.suspend(string(p.ID))
	after := w.in.AnotherGallery(gallery.Config{}) // which has not seen it before
	for _, like := range []bool{true, false} {
		_, err = after.Like(t.Context(), nobody(), p.ID, w.token(), home, like)
		refused(t, err, sandlot.CodeTakenDown)
	}
	_, err = after.Counts(t.Context(), nobody(), p.ID)
	refused(t, err, sandlot.CodeTakenDown)
}
