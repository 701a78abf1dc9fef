package gallery_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

func TestAProfileIsSortedByWhatItsProjectsHaveAndLacksNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kim, lee := w.maker(), w.maker()
	old, loved, fresh, unplayed := w.publish(kim).Project.ID, w.publish(kim).Project.ID, w.publish(kim).Project.ID, w.publish(kim).Project.ID
	w.played(w.publish(lee).Project.ID, 99)
	w.played(old, 70, 0, 0, 0, 0, 0, 0, 0, 0)
	w.played(loved, 8)
	w.played(fresh, 9)
	for id, plays := range map[sandlot.ProjectID]int{old: 70, loved: 8, fresh: 9} {
		w.exec("UPDATE projects SET plays = ? WHERE id = ?", plays, string(id))
	}
	read := func(order gallery.Sort, cursor string) ([]sandlot.ProjectID, error) {
		_, page, err := w.Profile(t.Context(), nobody(), w.handle(kim), order, cursor)
		return shown(page), err
	}
	for order, want := range map[gallery.Sort][]sandlot.ProjectID{
		gallery.SortNewest: {unplayed, fresh, loved, old},
		gallery.SortPlayed: {old, fresh, loved, unplayed},
	} {
		got, err := read(order, "")
		expect.OK(t, err)
		expect.Same(t, string(order), got, want)
		if _, err := read(order, "0"); err != sandlot.ErrNotFound {
			t.Errorf("%s at no cursor: %v", order, err)
		}
	}
	for _, order := range []gallery.Sort{"", "oldest", gallery.SortLive, gallery.SortTrending} {
		if _, err := read(order, ""); err != sandlot.ErrNotFound {
			t.Errorf("in the order %q: %v", order, err)
		}
	}
	if got, err := read(gallery.SortPlayed, "zzz"); err != nil || len(got) > 0 {
		t.Errorf("far behind its end: %v, %v", got, err)
	}
}
