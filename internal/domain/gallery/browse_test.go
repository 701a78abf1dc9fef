package gallery_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func (w *world) handle(by sandlot.Caller) string {
	w.t.Helper()
	a, err := w.in.DB.Publish().Account(w.t.Context(), by.Account())
	expect.OK(w.t, err)
	return a.Handle
}

// renamed gives an account another handle than the drawn one, whose words a test's own may begin.
func (w *world) renamed(by sandlot.Caller, handle string) {
	w.exec("INSERT INTO handles (handle, account) VALUES (?, ?)", handle, by.Account())
	w.exec("UPDATE accounts SET handle = ? WHERE id = ?", handle, by.Account())
}

func shown(p gallery.Page) (out []sandlot.ProjectID) {
	for _, c := range p.Cards {
		out = append(out, c.Project.ID)
	}
	return out
}

// turn reads a list to its end, page by page.
func turn(t *testing.T, read func(cursor string) (gallery.Page, error)) (all []sandlot.ProjectID, pages int) {
	t.Helper()
	for cursor, next := "", true; next; next = cursor != "" {
		page, err := read(cursor)
		if err != nil || len(page.Cards) > 24 || pages > 9 {
			t.Fatalf("page %d has %d cards, %v", pages, len(page.Cards), err)
		}
		all, cursor = append(all, shown(page)...), page.Next
		pages++
	}
	return all, pages
}

func TestTheGalleryIsReadPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	var want []sandlot.ProjectID
	for range 50 {
		want = append(want, w.publish(by).Project.ID)
	}
	for _, id := range want {
		expect.OK(t, w.Touch(t.Context(), nobody(), id, gallery.Player{ID: "ann"}))
		w.Play(t.Context(), nobody(), id, gallery.Player{ID: "ann"})
	}
	w.flush()
	slices.Reverse(want)
	for name, read := range map[string]func(string) (gallery.Page, error){
		"newest": func(c string) (gallery.Page, error) { return w.Browse(t.Context(), nobody(), gallery.SortNewest, c) },
		"played": func(c string) (gallery.Page, error) { return w.Browse(t.Context(), nobody(), gallery.SortPlayed, c) },
		"live":   func(c string) (gallery.Page, error) { return w.Browse(t.Context(), nobody(), gallery.SortLive, c) },
		"found":  func(c string) (gallery.Page, error) { return w.Search(t.Context(), nobody(), "space CATS", c) },
		"profile": func(c string) (gallery.Page, error) {
			_, p, err := w.Profile(t.Context(), nobody(), w.handle(by), gallery.SortNewest, c)
			return p, err
		},
	} {
		got, pages := turn(t, read)
		if name == "live" { // equals are in the order of their ids
			slices.SortFunc(got, func(a, b sandlot.ProjectID) int { return slices.Index(want, a) - slices.Index(want, b) })
		}
		if pages != 3 || !slices.Equal(got, want) {
			t.Errorf("%s has %d projects on %d pages", name, len(got), pages)
		}
		for _, cursor := range []string{"0", "-1", "x y", "1'", strings.Repeat("z", 99)} {
			if _, err := read(cursor); err != sandlot.ErrNotFound {
				t.Errorf("%s at %q: %v", name, cursor, err)
			}
		}
		if p, err := read("zzzzzz"); err != nil || name != "newest" && name != "found" && name != "profile" && len(p.Cards) != 0 {
			t.Errorf("%s far behind its end: %v, %v", name, shown(p), err)
		}
	}
	if _, err := w.Browse(t.Context(), nobody(), "oldest", ""); err != sandlot.ErrNotFound {
		t.Errorf("an order that there is not: %v", err)
	}
}

func TestTheGalleryIsSortedByPlaysAndPlayers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public)
	by := w.maker()
	few, many := w.publish(by).Project.ID, w.publish(by).Project.ID
	hidden := w.publish(nobody()).Project.ID
	for i := range 9 {
		player := gallery.PlayerID(fmt.Sprint(i))
		for _, id := range []sandlot.ProjectID{few, many, hidden}[min(i, 1):] {
			w.Play(t.Context(), nobody(), id, gallery.Player{ID: player})
			expect.OK(t, w.Touch(t.Context(), nobody(), id, gallery.Player{ID: player}))
		}
	}
	w.flush()
	for _, by := range []gallery.Sort{gallery.SortPlayed, gallery.SortLive} {
		got, err := w.Browse(t.Context(), nobody(), by, "")
		if err != nil || !slices.Equal(shown(got), []sandlot.ProjectID{many, few}) {
			t.Fatalf("%s: %v, %v", by, shown(got), err)
		}
		expect.Same(t, string(by), got.Cards[0].Stats, sandlot.Stats{Players: 9, Plays: 9})
	}
	w.in.Clock.Move(7 * 24 * time.Hour)
	for _, by := range []gallery.Sort{gallery.SortPlayed, gallery.SortLive} {
		if got, err := w.Browse(t.Context(), nobody(), by, ""); err != nil || len(got.Cards) != 0 {
			t.Errorf("a week later %s has %v, %v", by, shown(got), err)
		}
	}
}

func TestAFirstPageIsLookedUpAgainAfterHalfASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	first := w.publish(by).Project.ID
	newest := func() []sandlot.ProjectID {
		got, err := w.Browse(t.Context(), nobody(), gallery.SortNewest, "")
		expect.OK(t, err)
		return shown(got)
	}
	newest()
	w.Play(t.Context(), nobody(), first, gallery.Player{ID: "ann"})
	second := w.publish(by).Project.ID
	got, err := w.Browse(t.Context(), nobody(), gallery.SortNewest, "")
	if err != nil || !slices.Equal(shown(got), []sandlot.ProjectID{first}) || got.Cards[0].Stats.Plays != 1 {
		t.Errorf("at once: %+v, %v", got, err)
	}
	w.in.Clock.Move(500 * time.Millisecond)
	expect.Same(t, "after half a second", newest(), []sandlot.ProjectID{second, first})
}

func TestSearchTakesAnyText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	w.renamed(by, "kim")
	w.publish(by)
	for text, want := range map[string]int{
		"": 0, "  ": 0, "\"": 0, "*": 0, "\x00": 0, "\xff\xfe": 0, "--": 0, "spa*": 1, "\"space\"": 1, "cats-space": 1, "space\x00cats": 1,
		"pace": 1, "ATS ＫＩＭ": 1, "space dogs": 0, "🐈 cats": 1, "🐈": 0, "🐈 dogs": 0, "OR": 0, "ki": 1, "title:space": 0, strings.Repeat("space ", 9_000): 1, strings.Repeat("x", 1<<20): 0, "\u202ecats": 1,
	} {
		if got, err := w.Search(t.Context(), nobody(), text, ""); err != nil || len(got.Cards) != want {
			t.Errorf("%.20q finds %v, %v", text, shown(got), err)
		}
	}
}

func TestWhatBeginsWithWhatIsTypedIsSuggestedFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by, harry := w.maker(), w.maker()
	w.renamed(by, "shah")
	w.renamed(harry, "harry")
	title := func(by sandlot.Caller, title string) sandlot.ProjectID {
		id := w.publish(by).Project.ID
		expect.OK(t, w.in.Publish.Describe(t.Context(), w.owner(by.Account()), id, publish.DescribeInput{Details: publish.Details{Title: title}}))
		return id
	}
	begins, word := title(by, "Hárbor Lights"), title(by, "Lights of a harbor")
	handle, within, older := title(harry, "Snake"), title(by, "Schach"), title(by, "Harp")
	want := []sandlot.ProjectID{older, begins, word, handle, within}
	for range 4 {
		want = append(want, title(by, "Snake"))
	}
	slices.Reverse(want[5:]) // the newest first
	got, err := w.Suggest(t.Context(), nobody(), " HÅ ")
	expect.OK(t, err)
	expect.Same(t, "suggested", shown(gallery.Page{Cards: got}), slices.Concat(want[:4], want[5:], want[4:5])[:8])
	for _, text := range []string{"", " ", "\x00", "nothing like it"} {
		got, err := w.Suggest(t.Context(), nobody(), text)
		expect.OK(t, err)
		expect.Equal(t, "suggestions for "+strconv.Quote(text), len(got), 0)
	}
}

func TestAnOldHandleLeadsToTheNewOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	id := w.publish(by).Project.ID
	old := w.handle(by)
	w.renamed(by, "renamed")
	if current, p, err := w.Profile(t.Context(), nobody(), old, gallery.SortNewest, ""); err != nil || current != "renamed" || len(p.Cards) != 0 {
		t.Errorf("of the old one: %q, %v, %v", current, shown(p), err)
	}
	current, p, err := w.Profile(t.Context(), nobody(), "renamed", gallery.SortNewest, "")
	if err != nil || current != "renamed" || !slices.Equal(shown(p), []sandlot.ProjectID{id}) {
		t.Errorf("of the new one: %q, %v, %v", current, shown(p), err)
	}
	w.exec("UPDATE accounts SET suspended_at = 1 WHERE id = ?", by.Account())
	for _, handle := range []string{old, "renamed", "nobody", "", "\x00"} {
		if _, _, err := w.Profile(t.Context(), nobody(), handle, gallery.SortNewest, ""); err == nil {
			t.Errorf("with the account suspended %q is there", handle)
		}
	}
}
