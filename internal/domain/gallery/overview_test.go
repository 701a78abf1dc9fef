package gallery_test

import (
	"crypto/rand"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

func TestOverviewPagesThroughAnAccountsProjectsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kim := w.account()
	w.publish(nobody())
	seen := map[sandlot.ProjectID]bool{}
	for range 52 {
		w.publish(kim)
	}
	first, next, err := w.Overview(t.Context(), w.owner(kim.Account()), "")
	if err != nil || len(first) != 50 || next == "" {
		t.Fatalf("the first page has %d, then %q: %v", len(first), next, err)
	}
	second, last, err := w.Overview(t.Context(), w.owner(kim.Account()), next)
	if err != nil || len(second) != 2 || last != "" {
		t.Fatalf("the second page has %d, then %q: %v", len(second), last, err)
	}
	for _, v := range append(first, second...) {
		seen[v.Project.ID] = v.Project.Account == kim.Account()
	}
	if len(seen) != 52 || seen[""] {
		t.Errorf("seen were %d projects", len(seen))
	}
	busy := second[1].Project.ID
	for range 3 {
		w.Play(t.Context(), nobody(), busy, gallery.Player{ID: gallery.PlayerID(rand.Text())})
	}
	w.flush()
	second, _, err = w.Overview(t.Context(), w.owner(kim.Account()), next)
	if err != nil || len(second[0].Days) != gallery.OverviewDays || second[0].Days[29] != 0 || second[1].Days[29] != 3 || second[1].Stats.Plays != 3 {
		t.Errorf("after three plays the page is %+v, %v", second, err)
	}
	_, _, err = w.Overview(t.Context(), w.owner(kim.Account()), "no cursor")
	expect.Is(t, "what is no cursor", err, sandlot.ErrNotFound)
}
