package gallery_test

import (
	"errors"
	"slices"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func ids(cards []gallery.Card) (out []sandlot.ProjectID) {
	return shown(gallery.Page{Cards: cards})
}

// TestAProjectLeadsOnToOthers: to its creator's and to what others made, never to itself, and never to what may not be listed.
func TestAProjectLeadsOnToOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by, others := w.maker(), []sandlot.Caller{w.maker(), w.maker(), w.maker()}
	var own, theirs []sandlot.ProjectID
	for range 8 {
		own = append(own, w.publish(by).Project.ID)
	}
	for i := range 9 {
		theirs = append(theirs, w.publish(others[i%3]).Project.ID)
	}
	w.suspend(string(own[6]))
	w.suspend(string(theirs[0]))
	expect.OK(t, w.in.Publish.Describe(t.Context(), w.owner(others[0].Account()), theirs[3], publish.DescribeInput{Details: publish.Details{Unlisted: true}}))
	of := sandlot.Project{ID: own[7], Account: by.Account()}
	beside, err := w.Beside(t.Context(), nobody(), of)
	expect.OK(t, err)
	slices.Reverse(own)
	expect.Same(t, "more by its creator", ids(beside.More), []sandlot.ProjectID{own[2], own[3], own[4], own[5], own[6], own[7]})
	makers := map[sandlot.AccountID]int{}
	for i, c := range beside.Next {
		makers[c.Project.Account]++
		if !slices.Contains(theirs, c.Project.ID) || c.Project.ID == theirs[0] || c.Project.ID == theirs[3] {
			t.Errorf("next comes %s", c.Project.ID)
		}
		if i < 3 && makers[c.Project.Account] > 1 {
			t.Errorf("a creator is there twice before another comes: %v", ids(beside.Next))
		}
	}
	expect.Equal(t, "how many come next", len(beside.Next), 6)
}

// TestAProjectLeadsOnToSuchAsShareItsTags: of what trends, those with the most in common first, then such as nobody plays, then what trends.
func TestAProjectLeadsOnToSuchAsShareItsTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tagged := func(tags ...string) sandlot.ProjectID {
		by := w.maker()
		id := w.publish(by).Project.ID
		_, err := w.in.Publish.Amend(t.Context(), by, string(id), publish.AmendInput{About: publish.About{Tags: tags}})
		expect.OK(t, err)
		return id
	}
	quiet, one, both, other := tagged("cats"), tagged("cats", "chess"), tagged("3d", "cats"), tagged("chess")
	for i := range 8 {
		w.played(tagged("dogs"), 50+i)
	}
	w.played(one, 9)
	w.played(both, 1)
	w.played(other, 900)
	of, err := w.in.Publish.Reader.Find(t.Context(), nobody(), string(tagged("cats", "3d")))
	expect.OK(t, err)
	beside, err := w.Beside(t.Context(), nobody(), of)
	expect.OK(t, err)
	expect.Equal(t, "how many come next", len(beside.Next), 6)
	expect.Same(t, "the first", ids(beside.Next)[:3], []sandlot.ProjectID{both, one, quiet})
}

func TestAProjectThatIsAloneLeadsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Random(t.Context(), nobody(), "")
	expect.Is(t, "a random one of none", err, sandlot.ErrNotFound)
	only := w.publish(w.maker()).Project
	beside, err := w.Beside(t.Context(), nobody(), only)
	if err != nil || len(beside.More)+len(beside.Next) > 0 {
		t.Errorf("it leads to %v and %v, %v", ids(beside.More), ids(beside.Next), err)
	}
}

// TestARandomProjectIsAnyThatIsListed draws each place there is.
func TestARandomProjectIsAnyThatIsListed(t *testing.T) {
	t.Parallel()
	draw := int64(0)
	w := newWorld(t)
	w.Draw = func(n int64) int64 { return draw % n }
	by := w.maker()
	var want []sandlot.ProjectID
	for range 5 {
		want = append(want, w.publish(by).Project.ID)
	}
	w.suspend(string(want[4]))
	w.suspend(string(want[1]))
	listed := []sandlot.ProjectID{want[0], want[2], want[3]}
	seen := map[sandlot.ProjectID]bool{}
	for draw = range int64(10) {
		got, err := w.Random(t.Context(), nobody(), "")
		expect.OK(t, err)
		seen[got] = true
		for _, not := range listed {
			if got, err = w.Random(t.Context(), nobody(), not); err != nil || got == not || !slices.Contains(listed, got) {
				t.Errorf("at %d, instead of %s: %s, %v", draw, not, got, err)
			}
		}
	}
	expect.Equal(t, "how many are drawn", len(seen), len(listed))
	w.suspend(string(want[2]))
	w.suspend(string(want[3]))
	if got, err := w.Random(t.Context(), nobody(), want[0]); !errors.Is(err, sandlot.ErrNotFound) {
		t.Errorf("instead of the only one: %q, %v", got, err)
	}
}

// TestCardsAreOfWhatAnybodyMayLookAt in the order asked for, at most 60 of them.
func TestCardsAreOfWhatAnybodyMayLookAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public)
	by := w.maker()
	one, two, down, unlisted, waits := w.publish(by).Project.ID, w.publish(by).Project.ID, w.publish(by).Project.ID, w.publish(by).Project.ID, w.publish(w.account()).Project.ID
	w.suspend(string(down))
	expect.OK(t, w.in.Publish.Describe(t.Context(), w.owner(by.Account()), unlisted, publish.DescribeInput{Details: publish.Details{Unlisted: true}}))
	cards, err := w.CardsOf(t.Context(), nobody(), []sandlot.ProjectID{unlisted, "nothing-abc123", two, down, "'; --", waits, one})
	expect.OK(t, err)
	expect.Same(t, "the cards", ids(cards), []sandlot.ProjectID{unlisted, two, waits, one})
	many := append(slices.Repeat([]sandlot.ProjectID{"nothing-abc123"}, gallery.MostCards), one)
	cards, err = w.CardsOf(t.Context(), nobody(), many)
	if err != nil || len(cards) > 0 {
		t.Errorf("beyond the bound there are %v, %v", ids(cards), err)
	}
}
