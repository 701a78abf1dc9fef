package sqlstore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestATextIndexFindsWhatItHolds puts, changes and forgets texts at random, of projects whose
// numbers have gaps, and holds what the index finds, in parts, against a look at each.
func TestATextIndexFindsWhatItHolds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	x := newTextIndex()
	x.begin(nil, 0, 0)
	texts := map[int64]string{}
	for range 20 {
		var more []heldText
		for range 200 {
			h := heldText{project: r.Int64N(5000), text: fmt.Sprint(searchWords[r.IntN(len(searchWords))], " ", r.IntN(500), "\nkim")}
			if r.IntN(5) == 0 {
				h.text = ""
			}
			more = append(more, h)
			texts[h.project] = h.text
		}
		x.follow(more, 0)
	}
	for _, words := range [][]string{{"a"}, {"冒"}, {"カービ"}, {"im"}, {"dragon"}, {"rag", "1"}, {"cat 1"}, {"nothing"}, {"t\nk"}, {"z", "kim", "12"}} {
		for _, most := range []int{1, 25, 10_000} {
			var got, want []int64
			for p := int64(4999); p >= 0; p-- {
				if hasAll(texts[p], words) {
					want = append(want, p)
				}
			}
			for before, end := int64(math.MaxInt64), false; !end; {
				var list []int64
				below := before
				list, before, end = x.matching(words, below, most)
				got = append(got, list...)
				if len(list) < most && !end || len(list) > most+64 || before > below || before == below && !end || len(list) > 0 && (list[0] >= below || list[len(list)-1] < before) {
					t.Errorf("%q: %d are found from %d to %d, %d at a time", words, len(list), before, below, most)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: %d are found, %d at a time, and %d have it", words, len(got), most, len(want))
			}
		}
	}
}

// TestATextIndexStaysInItsBounds: the oldest make room for the newest, and the floor says so.
func TestATextIndexStaysInItsBounds(t *testing.T) {
	t.Parallel()
	x := &textIndex{most: 20 * segmentBytes, step: 10}
	x.begin(nil, 0, 0)
	for i := range int64(200) {
		x.follow([]heldText{{project: 1000 * i, text: strings.Repeat("cat ", 100)}, {project: 7, text: "far back"}}, i)
		if _, floor, _ := x.state(); x.bytes > x.most || len(x.list) > 1 && floor > 1000*i {
			t.Fatalf("at %d it has %d bytes of %d, from %d on", i, x.bytes, x.most, floor)
		}
	}
	held, bytes := 0, 0
	for _, s := range x.list {
		bytes += segmentBytes
		for i, text := range s.texts {
			if bytes += len(text); text != "" {
				held++
				if s.base+int64(i) < x.floor {
					t.Errorf("%d is below the floor, %d", s.base+int64(i), x.floor)
				}
			}
		}
	}
	expect.Equal(t, "bytes", x.bytes, bytes)
	expect.Equal(t, "texts that are kept", held, 19)
	if !x.full() {
		t.Error("there is room for more")
	}
	list, from, end := x.matching([]string{"cat"}, math.MaxInt64, 100)
	expect.Equal(t, "found", len(list), held)
	expect.Equal(t, "from", from, x.floor)
	expect.Equal(t, "at its end", end, true)
}

// TestASearchSeesWhatOtherNodesDid: what one node was told is done another finds, however many
// filings it is behind.
func TestASearchSeesWhatOtherNodesDid(t *testing.T) {
	t.Parallel()
	open := map[string]func(t *testing.T) (one, other *DB){
		"SQLite": func(t *testing.T) (one, other *DB) {
			path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
			return mustOpen(t, path), mustOpen(t, path)
		},
		"PostgreSQL": func(t *testing.T) (one, other *DB) {
			url := guardedServer.Postgres(t)
			var nodes [2]*DB
			for i := range nodes {
				db, err := OpenPostgres(t.Context(), url, postgres.Options{Connections: 4})
				expect.OK(t, err)
				t.Cleanup(func() { expect.OK(t, db.Close()) })
				nodes[i] = db
			}
			return nodes[0], nodes[1]
		},
	}
	for engine, open := range open {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			one, other := open(t)
			p := mustProject(t, one, 1)
			mustExec(t, one, "UPDATE accounts SET verified = 1, changed = changed + 1")
			for i, change := range []struct {
				what string
				do   func() error
				want string
			}{
				{"was made", func() error { return nil }, "made"},
				{"was retitled", func() error {
					return second(one.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Walrus"}.Change()))
				}, "walrus"},
				{"was retitled again", func() error {
					return second(one.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Penguin"}.Change()))
				}, "penguin"},
				{"was unlisted", func() error {
					return second(one.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Penguin", Unlisted: true}.Change()))
				}, ""},
				{"was listed", func() error {
					return second(one.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Penguin"}.Change()))
				}, "penguin"},
				{"was retitled, and nobody can tell", func() error {
					err := second(one.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Walrus"}.Change()))
					expect.OK(t, one.fileTexts(t.Context(), fileAll))
					mustExec(t, one, "DELETE FROM search_filings")
					mustExec(t, one, "INSERT INTO search_filings (number, project) VALUES (1000, 0)")
					return err
				}, "walrus"},
				{"was retitled, and not filed yet", func() error {
					mustExec(t, one, "UPDATE projects SET changed = changed + 1, title = 'Penguin'")
					mustExec(t, one, "UPDATE search_texts SET text = 'penguin', due = 1")
					return nil
				}, "penguin"},
				{"was retitled, and filed", func() error {
					err := second(one.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Walrus"}.Change()))
					expect.OK(t, one.fileTexts(t.Context(), fileAll))
					return err
				}, "walrus"},
				{"its account was renamed", func() error {
					return second(one.Account().Rename(t.Context(), p.Account, "penguin", time.Now(), time.Time{}, 9))
				}, "walrus penguin"},
				{"was deleted", func() error {
					return second(one.Operate().Remove(t.Context(), sandlot.Subject{Project: p.ID}, sandlot.LogEntry{At: time.Now()}))
				}, ""},
			} {
				expect.Is(t, change.what, change.do(), nil)
				for _, word := range []string{"walrus", "penguin"} {
					want := 0
					if strings.Contains(change.want, word) {
						want = 1
					}
					for _, db := range []*DB{other, one} {
						expect.Equal(t, fmt.Sprint(i, ": it ", change.what, ", and found by ", word), len(searchBy(t, db, word)), want)
					}
				}
			}
		})
	}
}

// TestASearchTellsWhatProjectsAreNow: what is kept of one is told only as long as it is so, and its
// counts are those of now.
func TestASearchTellsWhatProjectsAreNow(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	expect.OK(t, db.Gallery().ListUnverified(t.Context(), true))
	expect.OK(t, second(db.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "Walrus"}.Change())))
	for _, change := range []struct {
		what string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"plays", func() error {
			return second(db.Gallery().AddCounts(t.Context(), map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 3, Batch: 7}}))
		}},
		{"likes", func() error {
			return second(db.Gallery().Like(t.Context(), p.ID, sandlot.Digest{1}, true))
		}},
		{"its language", func() error {
			return second(db.Publish().SetDetails(t.Context(), p.ID, publish.Details{Title: "The Walrus"}.Change()))
		}},
		{"its handle", func() error {
			return second(db.Account().Rename(t.Context(), p.Account, "renamed", time.Now(), time.Time{}, 9))
		}},
		{"a version", func() error {
			_, changed, err := db.Publish().PutFile(t.Context(), p.ID, sandlot.File{Name: "a.js", Folded: "a.js", Blob: sandlot.Blob{Ref: "a-blob", Size: 1}}, publish.Edit{Expect: 1})
			_ = changed
			return err
		}},
	} {
		expect.Is(t, change.what, change.do(), nil)
		want, err := db.Publish().Project(t.Context(), p.ID)
		expect.Is(t, "project", err, nil)
		for _, when := range []string{"", " once more"} {
			list, err := db.Gallery().Listed(t.Context(), gallery.ListedQuery{Words: []string{"walrus"}, Limit: 9})
			expect.Is(t, "search", err, nil)
			expect.Equal(t, "found after "+change.what+when, len(list), 1)
			expect.Same(t, "after "+change.what+when, list[0].Project, want)
		}
	}
	mustExec(t, db, "UPDATE listing SET unverified = 0") // as the step that says so does, before the projects follow in others
	expect.Equal(t, "found when it may not be listed, and is kept as it was", len(searchBy(t, db, "walrus")), 0)
}

// TestCardsThatAreKeptAreBounded: one more takes the place of another.
func TestCardsThatAreKeptAreBounded(t *testing.T) {
	t.Parallel()
	c := cards{most: cardsKept}
	for i := range int64(cardsKept + 100) {
		c.keep([]gallery.Listed{{Number: i}})
	}
	expect.Equal(t, "kept", len(c.kept), cardsKept)
	list, other := c.of([]cardRow{{num: cardsKept + 99, plays: 3}, {num: cardsKept + 99, change: 1}, {num: -1}})
	expect.Equal(t, "plays of what is kept", list[0].Plays, 3)
	expect.Same(t, "others", other, []int64{cardsKept + 99, -1})
}

// TestSearchesKeepNoMoreThanTheyMay: texts and projects share what there is, whatever more is offered.
func TestSearchesKeepNoMoreThanTheyMay(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	for _, may := range []int{0, 1 << 20, SearchMemory / 2, SearchMemory, 10 * SearchMemory} {
		db.KeepForSearches(may)
		if most := min(may, SearchMemory); db.texts.most+db.cards.most*cardBytes > most || db.texts.most < most/10*7 {
			t.Errorf("of %d bytes there are %d for texts, and %d projects", may, db.texts.most, db.cards.most)
		}
	}
	expect.OK(t, db.Gallery().ListUnverified(t.Context(), true))
	mustProject(t, db, 1)
	mustProject(t, db, 2)
	db.KeepForSearches(1)
	expect.Equal(t, "found by a node that keeps next to nothing", len(searchBy(t, db, "game")), 2)
	expect.Equal(t, "kept", len(db.cards.kept), 1)
}
