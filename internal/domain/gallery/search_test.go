package gallery_test

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestSearchesOfAllNodesFollowTheStore: unlisted projects are not found at once, and new or changed ones are found after half a second.
func TestSearchesOfAllNodesFollowTheStore(t *testing.T) {
	t.Parallel()
	for name, set := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, set)
			nodes := []*gallery.Service{w.Service, w.in.AnotherGallery(gallery.Config{})}
			by := w.maker()
			kept := w.publish(by).Project.ID
			finds := func(what, text string, want ...sandlot.ProjectID) {
				t.Helper()
				for _, node := range nodes {
					got, err := node.Search(t.Context(), nobody(), text, "")
					expect.OK(t, err)
					expect.Same(t, what, shown(got), want)
				}
			}
			late := func() { w.in.Clock.Move(500 * time.Millisecond) }
			describe := func(id sandlot.ProjectID, d publish.Details) {
				t.Helper()
				expect.OK(t, w.in.Publish.Describe(t.Context(), w.owner(by.Account()), id, publish.DescribeInput{Details: d}))
			}
			finds("at first", "space", kept)
			second := w.publish(by).Project.ID
			late()
			finds("a new one", "space", second, kept)
			describe(second, publish.Details{Title: "Toads"})
			finds("by its old title, at once", "space", kept)
			late()
			finds("by its new one", "oad", second)
			describe(second, publish.Details{Title: "Toads", Tags: "frogs"})
			late()
			finds("by a tag", "frog toad", second)
			describe(second, publish.Details{Title: "Toads", Unlisted: true})
			finds("unlisted, at once", "toad")
			late()
			finds("unlisted", "toad")
			describe(second, publish.Details{Title: "Toads"})
			late()
			finds("listed again", "toad", second)
			w.suspend(string(second))
			finds("suspended, at once", "toad")
			late()
			finds("suspended", "toad")
			_, err := w.in.Operate.Suspend(t.Context(), sandlot.AsOperator(""), "@"+w.handle(by), "spam")
			expect.OK(t, err)
			finds("its account suspended, at once", "space")
		})
	}
}

// TestASearchFindsWhatWasCommittedLate: a project may become visible after others that were made later.
func TestASearchFindsWhatWasCommittedLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	w.publish(by)
	number := func(n int) {
		w.exec(`INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, listed)
			SELECT ?1, 'p-' || ?1, account, 'Toad', lang, primary_file, version, suffix, size, file_count, 1000 + ?1, created_at, updated_at, 1 FROM projects LIMIT 1`, n)
	}
	found := func(want int) {
		t.Helper()
		got, err := w.Search(t.Context(), nobody(), "toad", "")
		expect.OK(t, err)
		expect.Equal(t, "found", len(got.Cards), want)
		w.in.Clock.Move(20 * time.Second)
	}
	found(0)
	number(5_000)
	found(1)
	number(4_000) // whose mark is now 20 seconds old
	found(2)
	number(4_900)
	found(3)
}

// TestASearchThatIsFarBehindReadsAllAnew: more has changed than is followed.
func TestASearchThatIsFarBehindReadsAllAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.maker()
	w.publish(by)
	w.exec(`WITH RECURSIVE v (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM v WHERE n < 10001)
		INSERT INTO projects (id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, listed)
		SELECT 'p-' || n, account, 'Frog', lang, primary_file, version, suffix, size, file_count, 1000 + n, created_at, updated_at, 1 FROM v, projects`)
	search := func(text string) int {
		got, err := w.Search(t.Context(), nobody(), text, "")
		expect.OK(t, err)
		return len(got.Cards)
	}
	expect.Equal(t, "found", search("frog"), 24)
	w.exec("UPDATE projects SET changed = changed + 1, title = CASE num % 10000 WHEN 77 THEN 'Toad' ELSE 'Newt' END WHERE title = 'Frog'")
	w.in.Clock.Move(time.Second)
	expect.Equal(t, "found by the old title", search("frog"), 0)
	expect.Equal(t, "found by the new one", search("newt"), 24)
	expect.Equal(t, "found by a rare one", search("toad"), 1)
}
