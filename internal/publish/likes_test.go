package publish_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/publish"
)

// token mints one for a visitor.
func (w *world) token() string {
	w.t.Helper()
	token, err := w.MintVisitor()
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// like likes, or takes it back, and fails the test unless the count is want, in the statistics as well.
func (w *world) like(id publish.ProjectID, token string, today publish.PlayerID, like bool, want int64) {
	w.t.Helper()
	got, err := w.Like(w.t.Context(), id, token, today, like)
	if err != nil || got != want {
		w.t.Fatalf("%d likes (%v), wanted %d", got, err, want)
	}
	_, stats, err := w.Stats(w.t.Context(), string(id))
	counts, err2 := w.Counts(w.t.Context(), id)
	if err := errors.Join(err, err2); err != nil || stats.Likes != want || counts != stats {
		w.t.Fatalf("the statistics are %+v and %+v (%v)", stats, counts, err)
	}
	if liked, err := w.Liked(w.t.Context(), id, token, today); err != nil || liked != like {
		w.t.Fatalf("liked is %v (%v)", liked, err)
	}
}

func TestAVisitorLikesOnce(t *testing.T) {
	w := newWorld(t)
	id := w.publish(w.account(), page).Project.ID
	ada, bob := w.token(), w.token()
	w.like(id, ada, "ada", true, 1)
	w.like(id, ada, "ada", true, 1)
	w.like(id, ada, "ada the next day", true, 1)
	w.like(id, bob, "bob", true, 2)
	w.like(id, bob, "bob", false, 1)
	w.like(id, bob, "bob", false, 1)
	w.like(id, bob, "bob", true, 2)
}

func TestClearingCookiesGivesNoSecondLikeTheSameDay(t *testing.T) {
	w := newWorld(t)
	id := w.publish(w.account(), page).Project.ID
	w.like(id, w.token(), "ada", true, 1)
	for _, token := range []string{w.token(), w.token(), "", "made-up"} {
		w.like(id, token, "ada", true, 1)
	}
	w.like(id, "", "ada", false, 0)
}

func TestTokensThatAreMadeUpCountOnceADay(t *testing.T) {
	w := newWorld(t)
	id := w.publish(w.account(), page).Project.ID
	good := w.token()
	for i := range 40 {
		b, err := base64.RawURLEncoding.DecodeString(good)
		if err != nil {
			t.Fatal(err)
		}
		b[i%len(b)] ^= 1
		forged := base64.RawURLEncoding.EncodeToString(b)
		if w.KnowsVisitor(forged) {
			t.Errorf("byte %d may be changed", i)
		}
		w.like(id, forged, "mallory", true, 1)
	}
	for _, forged := range []string{"", good[1:], good + "A", strings.Repeat("A", 43), "*"} {
		if w.KnowsVisitor(forged) {
			t.Errorf("%q is known", forged)
		}
	}
	if !w.KnowsVisitor(good) || !w.open(publish.Config{Places: local()}).KnowsVisitor(good) {
		t.Error("a good one is not known, or not after a restart")
	}
	if newWorld(t).KnowsVisitor(good) {
		t.Error("another installation knows it")
	}
}

func TestFiftyLikesAtOnceAreOne(t *testing.T) {
	w := newWorld(t)
	id := w.publish(w.account(), page).Project.ID
	token := w.token()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := w.Like(t.Context(), id, token, "ada", true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.like(id, token, "ada", true, 1)
}

func TestWhatIsNotThereIsNotLiked(t *testing.T) {
	w := newWorld(t)
	p := w.publish(w.account(), page).Project
	_, err := w.Like(t.Context(), "none-abc234", w.token(), "ada", true)
	refused(t, err, publish.CodeProjectNotFound)
	_, err = w.Counts(t.Context(), "none-abc234")
	refused(t, err, publish.CodeProjectNotFound)
	if _, err := w.operator().Suspend(t.Context(), string(p.ID), "spam"); err != nil {
		t.Fatal(err)
	}
	after := w.open(publish.Config{Places: local()}) // which has not seen it before
	for _, like := range []bool{true, false} {
		_, err = after.Like(t.Context(), p.ID, w.token(), "ada", like)
		refused(t, err, publish.CodeTakenDown)
	}
	_, err = after.Counts(t.Context(), p.ID)
	refused(t, err, publish.CodeTakenDown)
}
