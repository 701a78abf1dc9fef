package gallery_test

import (
	"slices"
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
	w.liked(loved, 2, 3)
	w.played(fresh, 9)
	for id, plays := range map[sandlot.ProjectID]int{old: 70, loved: 8, fresh: 9} {
		w.exec("UPDATE projects SET plays = ? WHERE id = ?", plays, string(id))
	}
	read := func(order gallery.Sort, cursor string) ([]sandlot.ProjectID, error) {
		_, page, err := w.Profile(t.Context(), nobody(), w.handle(kim), order, cursor)
		return shown(page), err
	}
	for order, want := range map[gallery.Sort][]sandlot.ProjectID{
		gallery.SortNewest:   {unplayed, fresh, loved, old},
		gallery.SortPlayed:   {old, fresh, loved, unplayed},
		gallery.SortTrending: {loved, fresh, unplayed, old},
	} {
		got, err := read(order, "")
		expect.OK(t, err)
		expect.Same(t, string(order), got, want)
		if _, err := read(order, "0"); err != sandlot.ErrNotFound {
			t.Errorf("%s at no cursor: %v", order, err)
		}
	}
	for _, order := range []gallery.Sort{"", "oldest", gallery.SortLive} {
		if _, err := read(order, ""); err != sandlot.ErrNotFound {
			t.Errorf("in the order %q: %v", order, err)
		}
	}
	if got, err := read(gallery.SortPlayed, "zzz"); err != nil || len(got) > 0 {
		t.Errorf("far behind its end: %v, %v", got, err)
	}
}

func TestASortedProfileIsReadPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	var newest []sandlot.ProjectID
	for range 50 {
		newest = append([]sandlot.ProjectID{w.publish(by).Project.ID}, newest...)
	}
	w.played(newest[30], 1)
	w.exec("UPDATE projects SET plays = 1 WHERE id = ?", string(newest[30]))
	want := append([]sandlot.ProjectID{newest[30]}, slices.Delete(slices.Clone(newest), 30, 31)...)
	for _, order := range []gallery.Sort{gallery.SortPlayed, gallery.SortTrending} {
		got, pages := turn(t, func(cursor string) (gallery.Page, error) {
			_, page, err := w.Profile(t.Context(), nobody(), w.handle(by), order, cursor)
			return page, err
		})
		expect.Equal(t, "pages", pages, 3)
		expect.Same(t, string(order), got, want)
	}
}
