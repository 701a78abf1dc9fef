package gallery_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// played records plays of a project on each of some days, today last.
func (w *world) played(id sandlot.ProjectID, days ...int) {
	today := w.in.Clock.Now().Unix() / 86400
	for i, n := range days {
		if n == 0 {
			continue
		}
		w.exec("INSERT INTO day_figures (day, project, plays, likes) SELECT ?, num, ?, 0 FROM projects WHERE id = ?", today-int64(len(days)-1-i), n, string(id))
	}
}

// liked records likes of a project on a day some days ago.
func (w *world) liked(id sandlot.ProjectID, likes, ago int) {
	day := w.in.Clock.Now().Unix()/86400 - int64(ago)
	w.exec("UPDATE projects SET likes = likes + ? WHERE id = ?", likes, string(id))
	w.exec("INSERT INTO day_figures (project, day, plays, likes) SELECT num, ?, 0, ? FROM projects WHERE id = ?", day, likes, string(id))
}

func TestWhatTrendsIsPlayedAndLikedNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kim, lee := w.maker(), w.maker()
	old := w.publish(lee).Project.ID
	w.exec("UPDATE projects SET created_at = created_at - ? WHERE id = ?", int64(400*24*time.Hour/time.Microsecond), string(old))
	few, liked, third, fourth := w.publish(kim).Project.ID, w.publish(kim).Project.ID, w.publish(kim).Project.ID, w.publish(lee).Project.ID
	w.played(old, 100)
	w.played(few, 30)
	w.played(liked, 29)
	w.liked(old, 9_000, 7)
	w.liked(liked, 2, 6)
	w.liked(fourth, 1, 3)
	w.played(third, 5, 5)
	w.played(fourth, 90, 0, 0, 0, 0, 0, 0, 0)
	page, err := w.Browse(t.Context(), nobody(), gallery.SortTrending, "")
	expect.OK(t, err)
	expect.Same(t, "trending", shown(page), []sandlot.ProjectID{liked, few, fourth, old})
}

func TestTheFrontHasRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none, err := w.Home(t.Context(), nobody())
	if err != nil || none.Featured != nil || len(none.New)+len(none.Live)+len(none.Trending)+len(none.Tags) > 0 {
		t.Fatalf("of nothing it is %+v, %v", none, err)
	}
	by := w.maker()
	first := w.publish(by).Project.ID
	w.in.Clock.Move(time.Second)
	one, err := w.Home(t.Context(), nobody())
	if err != nil || one.Featured == nil || one.Featured.Project.ID != first || len(one.Live)+len(one.Trending) > 0 {
		t.Fatalf("of one it is %+v, %v", one, err)
	}
	var all []sandlot.ProjectID
	for i := range 14 {
		id := w.publish(w.maker()).Project.ID
		w.exec("UPDATE projects SET tags = ? WHERE id = ?", []string{"cats 3d", "cats", "3d"}[i%3], string(id))
		w.played(id, 10+i)
		all = append([]sandlot.ProjectID{id}, all...)
	}
	w.exec("UPDATE projects SET cover = 'jabc' WHERE id = ?", string(all[1]))
	w.in.Clock.Move(time.Minute)
	expect.OK(t, w.Touch(t.Context(), nobody(), all[3], gallery.Player{ID: "ann"}))
	h, err := w.Home(t.Context(), nobody())
	expect.OK(t, err)
	expect.Equal(t, "featured", h.Featured.Project.ID, all[1])
	expect.Same(t, "live", shown(gallery.Page{Cards: h.Live}), all[3:4])
	expect.Same(t, "new", shown(gallery.Page{Cards: h.New}), all[:12])
	expect.Same(t, "trending", shown(gallery.Page{Cards: h.Trending}), append([]sandlot.ProjectID{all[0], all[2]}, all[4:]...))
	expect.Same(t, "tags", h.Tags, []string{"cats", "3d"})
	tags, err := w.Tags(t.Context(), nobody())
	expect.OK(t, err)
	expect.Same(t, "tags alone", tags, h.Tags)
	t.Run("what a row above shows is not in one below, if others fill that", func(t *testing.T) {
		var fresh []sandlot.ProjectID
		for range 4 {
			fresh = append([]sandlot.ProjectID{w.publish(w.maker()).Project.ID}, fresh...)
		}
		w.in.Clock.Move(time.Second)
		h, err := w.Home(t.Context(), nobody())
		expect.OK(t, err)
		expect.Same(t, "new", shown(gallery.Page{Cards: h.New}), append(fresh, all[1], first))
	})
}

func TestProjectsOfATag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	var want []sandlot.ProjectID
	for i := range 26 {
		id := w.publish(by).Project.ID
		if i%13 == 12 {
			continue
		}
		tags := []string{"Cats"}
		_, err := w.in.Publish.Amend(t.Context(), by, string(id), publish.AmendInput{About: publish.About{Tags: tags}})
		expect.OK(t, err)
		if i < 3 {
			w.played(id, 3-i)
			expect.OK(t, w.Touch(t.Context(), nobody(), id, gallery.Player{ID: gallery.PlayerID(fmt.Sprint("p", i))}))
		}
		want = append(want, id)
	}
	slices.Reverse(want)
	read := func(order gallery.Sort) []sandlot.ProjectID {
		got, _ := turn(t, func(cursor string) (gallery.Page, error) {
			return w.Tagged(t.Context(), nobody(), "cats", order, cursor)
		})
		return got
	}
	expect.Same(t, "newest", read(gallery.SortNewest), want)
	ranked := []sandlot.ProjectID{want[23], want[22], want[21]}
	expect.Same(t, "most played", read(gallery.SortPlayed), ranked)
	expect.Same(t, "trending", read(gallery.SortTrending), ranked[:2])
	expect.Equal(t, "live", len(read(gallery.SortLive)), 3)
	for _, c := range [][3]string{{"Cats", "newest", ""}, {"c", "newest", ""}, {"<b>", "newest", ""}, {"cats", "oldest", ""}, {"cats", "newest", "!"}} {
		if _, err := w.Tagged(t.Context(), nobody(), c[0], gallery.Sort(c[1]), c[2]); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("%q: %v", c, err)
		}
	}
	page, err := w.Tagged(t.Context(), nobody(), "dogs", gallery.SortNewest, "")
	expect.OK(t, err)
	expect.Equal(t, "of another tag", len(page.Cards), 0)
}

// TestAPinnedProjectIsTheFeaturedOne while it may be listed.
func TestAPinnedProjectIsTheFeaturedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kim := w.maker()
	pinned := w.publish(kim).Project.ID
	trending := w.publish(kim).Project.ID
	w.played(trending, 9)
	expects := func(what string, want sandlot.ProjectID) {
		t.Helper()
		w.in.Clock.Move(time.Minute)
		h, err := w.Home(t.Context(), nobody())
		expect.OK(t, err)
		expect.Equal(t, what, h.Featured.Project.ID, want)
	}
	expects("without a pinned one", trending)
	_, err := w.in.Operate.Feature(t.Context(), sandlot.AsOperator("root"), string(pinned), "")
	expect.OK(t, err)
	expects("with one", pinned)
	w.suspend(string(pinned))
	expects("while it is suspended", trending)
	_, err = w.in.Operate.Reinstate(t.Context(), sandlot.AsOperator("root"), string(pinned), "")
	expect.OK(t, err)
	expects("reinstated", pinned)
	expect.OK(t, w.in.Operate.Unfeature(t.Context(), sandlot.AsOperator("root"), ""))
	expects("taken off", trending)
}
