package sqlstore

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// sameGrams fails the test unless the grams that are filed are exactly those of the
// texts, and the texts those of the projects that are listed.
func sameGrams(t *testing.T, db *DB) {
	t.Helper()
	expect.Is(t, "file", db.fileTexts(t.Context(), fileAll), nil)
	want := blocks{}
	var texts []string
	list, err := all(t.Context(), db, scanNamed, selectNamed+"TRUE ORDER BY p.num")
	expect.OK(t, err)
	for _, n := range list {
		text := searchText(n.title, n.handle, n.tags)
		want.add(n.num, gramsOf(text), nil)
		texts = append(texts, fmt.Sprint(n.num, text, "", 0))
	}
	found, err := all(t.Context(), db, func(r row) (string, error) {
		d, err := scanDueText(r)
		return fmt.Sprint(d.project, d.text, d.filed, d.due), err
	}, "SELECT project, text, filed, due FROM search_texts ORDER BY project")
	expect.OK(t, err)
	expect.Equal(t, "texts", strings.Join(found, "|"), strings.Join(texts, "|"))
	got := blocks{}
	_, err = all(t.Context(), db, func(r row) (any, error) {
		var part, gram, block, bits int64
		if err := r.Scan(&part, &gram, &block, &bits); err != nil {
			return nil, err
		}
		expect.Equal(t, "part of a block", part, block/partBlocks)
		if got[block] == nil {
			got[block] = map[int64]int64{}
		}
		got[block][gram] = bits
		return nil, nil
	}, "SELECT part, gram, block, bits FROM search_grams")
	expect.OK(t, err)
	if !maps.EqualFunc(got, want, maps.Equal[map[int64]int64, map[int64]int64]) {
		t.Errorf("%d blocks of grams are filed that are not those of %d blocks of projects", len(got), len(want))
	}
}

// searchBy returns which projects are found by words.
func searchBy(t *testing.T, db *DB, words ...string) (ids []string) {
	t.Helper()
	list, err := db.Gallery().Listed(t.Context(), gallery.ListedQuery{Words: words, Limit: 10_000})
	expect.Is(t, "search", err, nil)
	for _, l := range list {
		ids = append(ids, string(l.ID))
	}
	return ids
}

// TestASearchFindsWhatAScanFinds makes, retitles, unlists and deletes projects at
// random, so that their numbers fill many blocks with gaps, and holds each search, whole
// and in pages, against a look at all titles: with all texts in memory, some, and one at a time.
func TestASearchFindsWhatAScanFinds(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	manyProjects(t, db, p)
	parts := []string{"sea", "lion", "ocean", "カービィ", "麻雀", "x", "épée"}
	mustExec(t, db, "UPDATE projects SET changed = changed + 1, title = id")
	expect.Is(t, "file", db.fileTexts(t.Context(), fileAll), nil)
	for i := 2; i <= followers; i += 37 {
		id := sandlot.ProjectID(fmt.Sprint("follower-", i))
		d := publish.Details{Title: parts[i%len(parts)] + parts[i%3] + " " + parts[i%5], Unlisted: i%4 == 0}
		expect.Is(t, "change", second(db.Publish().SetDetails(t.Context(), id, d.Change())), nil)
		if i%5 == 0 {
			expect.Is(t, "remove", second(db.Operate().Remove(t.Context(), sandlot.Subject{Project: id}, sandlot.LogEntry{At: time.Now()})), nil)
		}
	}
	titles, err := all(t.Context(), db, scanNamed, selectNamed+"TRUE ORDER BY p.num DESC")
	expect.OK(t, err)
	limits := []int{10_000, 24, 7}
	for _, x := range []*textIndex{newTextIndex(), {most: indexBytes, step: 300}, {most: 1, step: 50}, {most: 1, step: 1}} {
		db.texts = x
		holdSearches(t, db, titles, limits)
		limits = []int{24}
	}
	sameGrams(t, db)
}

// holdSearches holds searches, by pages of those sizes, against a look at all titles.
func holdSearches(t *testing.T, db *DB, titles []namedProject, limits []int) {
	t.Helper()
	for _, words := range [][]string{{"sea"}, {"a"}, {"x"}, {"9"}, {"99"}, {"ll", "11"}, {"follower"}, {"lionsea"}, {"nsea"}, {"sea", "ocean"}, {"カ"}, {"カービ", "sea"}, {"雀"}, {"pee"}, {"1", "2", "3"}, {"nothing"}} {
		var want []int64
		for _, n := range titles {
			text := searchText(n.title, n.handle, n.tags)
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, names.Searchable(w)) }) {
				want = append(want, n.num)
			}
		}
		for _, limit := range limits {
			var got []int64
			q := gallery.ListedQuery{Words: words, Limit: limit}
			for more := true; more; {
				list, err := db.Gallery().Listed(t.Context(), q)
				expect.Is(t, "search", err, nil)
				for _, l := range list {
					got = append(got, l.Number)
					q.Before = l.Number
				}
				more = len(list) == limit
			}
			if !slices.Equal(got, want) {
				t.Errorf("by %q, %d at a time, %d projects are found, and %d have it", words, limit, len(got), len(want))
			}
		}
	}
}

// TestASearchFollowsEveryStatement changes titles and lists by statements of a test,
// which know of no search.
func TestASearchFollowsEveryStatement(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	manyProjects(t, db, p)
	for _, c := range []struct {
		statement, word string
		want            int
	}{
		{"UPDATE projects SET changed = changed + 1, title = 'Zebra' WHERE num % 40 = 1", "zebra", followers / 40},
		{"UPDATE projects SET changed = changed + 1, unlisted = 1 WHERE num % 80 = 1", "zebra", followers / 80},
		{"UPDATE projects SET changed = changed + 1, unlisted = 0 WHERE num % 80 = 1", "zebra", followers / 40},
		{"UPDATE projects SET changed = changed + 1, suspended_at = 1 WHERE num = 41", "zebra", followers/40 - 1},
		{"UPDATE projects SET changed = changed + 1, title = 'Yak' WHERE title = 'Zebra'", "zebra", 0},
	} {
		mustExec(t, db, c.statement)
		for _, when := range []string{"at once", "when Sweep was there"} {
			if n := len(searchBy(t, db, c.word)); n != c.want {
				t.Errorf("%s: %s finds %d instead of %d %s", c.statement, c.word, n, c.want, when)
			}
			sweepAll(t, db, time.Time{})
			sameGrams(t, db)
		}
	}
}

// TestWhatWasListedBeforeIsFoundAfterASweep: a database of before has no texts, and as
// many projects as to take several steps. New ones are found meanwhile.
func TestWhatWasListedBeforeIsFoundAfterASweep(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	manyProjects(t, db, p)
	for _, q := range []string{"DELETE FROM search_texts", "DELETE FROM search_grams", "UPDATE listing SET unsearched = (SELECT max(num) FROM projects)"} {
		mustExec(t, db, q)
	}
	expect.Equal(t, "found before", len(searchBy(t, db, "pond")), 0)
	expect.Is(t, "change", second(db.Publish().SetDetails(t.Context(), "follower-7", publish.Details{Title: "A new pond"}.Change())), nil)
	expect.Equal(t, "found at once", strings.Join(searchBy(t, db, "pond"), " "), "follower-7")
	most := int64(0)
	watchSteps(t, db, func(rows int64) { most = max(most, rows) })
	_, more, err := db.Upkeep().Sweep(t.Context(), time.Now(), time.Time{}, 500)
	expect.Is(t, "sweep", err, nil)
	if n := len(searchBy(t, db, "pond")); !more || n < 400 || n > 600 {
		t.Errorf("after a part %d are found, and more is %v", n, more)
	}
	sweepAll(t, db, time.Time{})
	expect.Equal(t, "found after", len(searchBy(t, db, "pond")), followers-1)
	if most > stepRows {
		t.Errorf("a step changed %d rows", most)
	}
	sameGrams(t, db)
}

// TestFindOldFindsWhatWasListedBefore at once, whatever Sweep does.
func TestFindOldFindsWhatWasListedBefore(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	manyProjects(t, db, mustProject(t, db, 1))
	for _, q := range []string{"DELETE FROM search_texts", "DELETE FROM search_grams", "UPDATE listing SET unsearched = (SELECT max(num) FROM projects)"} {
		mustExec(t, db, q)
	}
	expect.Equal(t, "found before", len(searchBy(t, db, "pond")), 0)
	most := int64(0)
	watchSteps(t, db, func(rows int64) { most = max(most, rows) })
	expect.Is(t, "index", db.Gallery().FindOld(t.Context()), nil)
	expect.Equal(t, "found after", len(searchBy(t, db, "pond")), followers-1)
	if most > stepRows {
		t.Errorf("a step changed %d rows", most)
	}
	expect.Is(t, "index once more", db.Gallery().FindOld(t.Context()), nil)
	sameGrams(t, db)
}

// TestARenamedAccountIsFoundByItsNewHandle: an old one still leads to its account.
func TestARenamedAccountIsFoundByItsNewHandle(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	mustExec(t, db, "UPDATE accounts SET verified = 1")
	expect.Is(t, "rename", second(db.Account().Rename(t.Context(), p.Account, "renamed", time.Now(), time.Time{}, 9)), nil)
	for word, want := range map[string]int{"renamed": 1, p.Handle: 0} {
		found, err := db.Gallery().Listed(t.Context(), gallery.ListedQuery{Words: []string{word}, Limit: 9})
		expect.Is(t, "listed", err, nil)
		expect.Equal(t, "projects found by "+word, len(found), want)
	}
	for _, handle := range []string{"renamed", p.Handle} {
		a, err := db.Gallery().AccountOfHandle(t.Context(), handle)
		expect.Is(t, "account of "+handle, err, nil)
		expect.Equal(t, "its handle now", a.Handle, "renamed")
	}
}

// TestASearchReachesFarBack: projects are in hundreds of parts of the index, most of
// which have few.
func TestASearchReachesFarBack(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p := mustProject(t, db, 1)
	for _, q := range []string{
		"UPDATE accounts SET verified = 1 WHERE id = ?1",
		`WITH RECURSIVE v (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM v WHERE n < 600)
			INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, listed)
			SELECT 1000 + 997 * n, 'far-' || n, account, CASE n % 50 WHEN 7 THEN 'Porcupine' ELSE 'Rabbit' END, lang, primary_file, version, suffix, size, file_count, 1000 + n, created_at, updated_at, 1
			FROM v, projects WHERE account = ?1`,
		"INSERT INTO search_texts (project, text, due) SELECT num, '', 2 FROM projects WHERE account = ?1 AND listed = 1",
	} {
		mustExec(t, db, q, p.Account)
	}
	sameGrams(t, db)
	var want []string
	for n := 557; n > 0; n -= 50 {
		want = append(want, fmt.Sprint("far-", n))
	}
	for _, limit := range []int{1, 5, 100} {
		var got []string
		q := gallery.ListedQuery{Words: []string{"orcu", "p"}, Limit: limit}
		for more := true; more; {
			list, err := db.Gallery().Listed(t.Context(), q)
			expect.Is(t, "search", err, nil)
			for _, l := range list {
				got = append(got, string(l.ID))
				q.Before = l.Number
			}
			more = len(list) == limit
		}
		expect.Equal(t, "found", strings.Join(got, " "), strings.Join(want, " "))
	}
	expect.Equal(t, "found of what none has", len(searchBy(t, db, "rabbit", "porcupine")), 0)
	expect.Equal(t, "found of what most have", len(searchBy(t, db, "rabbit")), 600-len(want))
}
