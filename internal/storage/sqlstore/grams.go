package sqlstore

import (
	"context"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// blockSize is of how many projects a row tells that have a gram. A gram and the bits
	// of a block are together one number, as a parameter.
	blockSize = 32
	// partBlocks is how many blocks are a part, whose rows are together.
	partBlocks = 64
	// unfiledMost is how many new texts a search may have to look through. Many are filed
	// together for a fraction of what each costs alone: they share rows.
	unfiledMost = 64
	// fileAll is more than are ever due.
	fileAll = math.MaxInt64
	// fileStep is how many texts one step files: some 5 ms.
	fileStep = 64
)

// gramsOf are the grams of a text: each character of its words and each two in a row, as
// hashes that are never to change, each once. Three in a row would be three times as many
// rows, and tell little more: together the pairs of a word are rare enough.
func gramsOf(text string) []int64 {
	seen := map[int64]bool{}
	for word := range strings.FieldsSeq(text) {
		letters := []rune(word)
		for i := range letters {
			for n := 1; n <= 2 && i+n <= len(letters); n++ {
				seen[gram(letters[i:i+n])] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// gram is the number of one character or two in a row: 31 bits.
func gram(letters []rune) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(string(letters))) // never fails
	return int64(h.Sum32() >> 1)
}

// searchText is what a search looks at of a listed project.
func searchText(title, handle string, tags sandlot.Tags) string {
	text := names.Searchable(title) + "\n" + names.Searchable(handle)
	if tags == "" {
		return text
	}
	return text + "\n" + names.Searchable(string(tags))
}

// A namedProject is what a listed project is found by.
type namedProject struct {
	num           int64
	title, handle string
	tags          sandlot.Tags
}

func scanNamed(r row) (n namedProject, err error) {
	err = r.Scan(&n.num, &n.title, &n.handle, &n.tags)
	return n, err
}

const selectNamed = "SELECT p.num, p.title, a.handle, p.tags FROM projects p JOIN accounts a ON a.id = p.account WHERE p.listed = 1 AND "

// dueAgain begins a statement by which the texts of projects, which it selects with an
// empty text and 2, are to be made anew.
const (
	dueAgain = "INSERT INTO search_texts (project, text, due) "
	dueOnce  = ` ON CONFLICT (project) DO UPDATE
		SET filed = CASE search_texts.due WHEN 0 THEN search_texts.text ELSE search_texts.filed END, text = '', due = 2`
)

// remakeTexts makes those texts of listed projects anew that this step has said are to
// be: whoever changes a project now waits for it, and makes its text after that.
func (t *tx) remakeTexts(projects []int64) error {
	list, err := all(context.Background(), t, scanNamed, selectNamed+t.amongNumbers("p.num"), engine.List(projects))
	if err != nil {
		return err
	}
	for _, n := range list {
		if _, err := t.exec("UPDATE search_texts SET text = ?, due = 1 WHERE project = ? AND due = 2", searchText(n.title, n.handle, n.tags), n.num); err != nil {
			return err
		}
	}
	return nil
}

// retitled makes the text of a project anew that this step may have changed, or brought
// into the lists.
func (t *tx) retitled(p projectRow) error {
	t.unfiled += unfiledMost // so that what it was called before goes at once
	return t.remakeText(p)
}

func (t *tx) remakeText(p projectRow) error {
	return t.later("UPDATE search_texts SET text = ?, due = 1 WHERE project = ? AND due = 2 AND EXISTS (SELECT 1 FROM projects WHERE num = ? AND listed = 1)",
		searchText(p.Title, p.Handle, p.Tags), p.num, p.num)
}

// unfiledMore counts texts that steps have left to be filed, and files them where they
// are many. Where it fails Sweep does it.
func (db *DB) unfiledMore(ctx context.Context, n int64) {
	if n == 0 || db.unfiled.Add(n) < unfiledMost || !db.filing.TryLock() {
		return
	}
	defer db.filing.Unlock()
	_ = db.fileTexts(context.WithoutCancel(ctx), db.unfiled.Swap(0))
}

// fileTexts files the texts that are due, most of them at least, in steps between which
// others get their turn.
func (db *DB) fileTexts(ctx context.Context, most int64) error {
	for ; most >= 0; most -= fileStep {
		done := false
		err := db.step(ctx, 0, func(t *tx) error {
			s := &sweep{tx: t, left: fileStep}
			err := s.fileTexts()
			done = s.left > 0
			return err
		})
		if err != nil || done {
			return err
		}
	}
	return nil
}

// A dueText is a row of search_texts whose grams are to be filed.
type dueText struct {
	project     int64
	text, filed string
	due         int
}

func scanDueText(r row) (d dueText, err error) {
	err = r.Scan(&d.project, &d.text, &d.filed, &d.due)
	return d, err
}

// fileTexts files as many texts as the call has left, the newest first.
func (s *sweep) fileTexts() error {
	const due = "SELECT t.project, t.text, t.filed, t.due FROM search_texts t WHERE t.due > 0 ORDER BY t.due DESC, t.project DESC LIMIT ?"
	// One at a time, for they write the same rows.
	if _, err := s.number("SELECT one FROM listing WHERE one = 1" + s.dialect.Locked("listing")); err != nil {
		return err
	}
	list, err := all(context.Background(), s, scanDueText, due+s.dialect.Locked("t"), s.left)
	if err != nil {
		return err
	}
	s.left -= len(list)
	if err := s.makeTexts(list); err != nil {
		return err
	}
	came, gone := blocks{}, blocks{}
	for _, d := range list {
		before, after := gramsOf(d.filed), gramsOf(d.text)
		came.add(d.project, after, before)
		gone.add(d.project, before, after)
	}
	if err := s.unfile(gone); err != nil {
		return err
	}
	if err := s.file(came); err != nil {
		return err
	}
	return s.fileDone(list)
}

// fileDone says of texts that they are filed as they are now, or forgets them. Triggers tell
// those who keep texts in memory, of whom none needs to know what is far back.
func (s *sweep) fileDone(list []dueText) error {
	var same []int64
	for _, d := range list {
		var err error
		switch {
		case d.text == "":
			_, err = s.exec("DELETE FROM search_texts WHERE project = ?", d.project)
		case d.due > 1:
			_, err = s.exec("UPDATE search_texts SET text = ?, filed = '', due = 0 WHERE project = ?", d.text, d.project)
		default:
			same = append(same, d.project)
		}
		if err != nil {
			return err
		}
	}
	if _, err := s.exec("UPDATE search_texts SET filed = '', due = 0 WHERE "+s.amongNumbers("project"), engine.List(same)); err != nil {
		return err
	}
	_, err := s.exec("DELETE FROM search_filings WHERE number <= (SELECT max(number) FROM search_filings) - ?", filingsKept)
	return err
}

// makeTexts fills in those texts that are to be made anew. It looks at projects after
// the rows were locked: whoever changes one now does so again later.
func (s *sweep) makeTexts(list []dueText) error {
	at, nums := map[int64]*dueText{}, []int64{}
	for i, d := range list {
		if d.due > 1 {
			at[d.project] = &list[i]
			nums = append(nums, d.project)
		}
	}
	if len(nums) == 0 {
		return nil
	}
	projects, err := all(context.Background(), s, scanNamed, selectNamed+s.amongNumbers("p.num"), engine.List(nums))
	for _, p := range projects {
		at[p.num].text = searchText(p.title, p.handle, p.tags)
	}
	return err
}

// blocks are bits by their gram, of each block.
type blocks map[int64]map[int64]int64

// add sets the bits of a project for some grams, without others.
func (b blocks) add(project int64, grams, without []int64) {
	block := b[project/blockSize]
	if block == nil {
		block = map[int64]int64{}
		b[project/blockSize] = block
	}
	for _, g := range grams {
		if _, found := slices.BinarySearch(without, g); !found {
			block[g] |= 1 << (project % blockSize)
		}
	}
}

// each calls do with each block, and its grams and bits as a list: all in the order in
// which everybody writes them.
func (b blocks) each(do func(block int64, list string) error) error {
	for _, block := range slices.Sorted(maps.Keys(b)) {
		list := make([]int64, 0, len(b[block]))
		for g, bits := range b[block] {
			list = append(list, g<<blockSize|bits)
		}
		slices.Sort(list)
		if len(list) == 0 {
			continue
		}
		if err := do(block, engine.List(list)); err != nil {
			return err
		}
	}
	return nil
}

// file sets bits.
func (s *sweep) file(b blocks) error {
	query := "INSERT INTO search_grams (part, gram, block, bits) SELECT ?, j.value >> 32, ?, j.value & 4294967295 FROM " + s.dialect.Numbers("?", "j") +
		" WHERE TRUE ON CONFLICT (part, gram, block) DO UPDATE SET bits = search_grams.bits | excluded.bits"
	return b.each(func(block int64, list string) error {
		_, err := s.exec(query, block/partBlocks, block, list)
		return err
	})
}

// unfile takes bits away, and rows without any.
func (s *sweep) unfile(b blocks) error {
	take := "UPDATE search_grams SET bits = bits & ~(j.value & 4294967295) FROM " + s.dialect.Numbers("?", "j") + " WHERE part = ? AND gram = j.value >> 32 AND block = ?"
	drop := "DELETE FROM search_grams WHERE part = ? AND block = ? AND gram IN (SELECT j.value >> 32 FROM " + s.dialect.Numbers("?", "j") + ") AND bits = 0"
	return b.each(func(block int64, list string) error {
		if _, err := s.exec(take, list, block/partBlocks, block); err != nil {
			return err
		}
		_, err := s.exec(drop, block/partBlocks, block, list)
		return err
	})
}

// FindOld has searches find what was listed before there was an index to search by, as
// in a database of an earlier release, the newest first. It returns when all is found;
// others have their turn between its steps. Sweep does what it leaves, an hour later.
func (store Gallery) FindOld(ctx context.Context) error {
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return sandlot.NoEffect(err)
		}
		err := store.db.step(ctx, 0, func(t *tx) error {
			s := &sweep{tx: t, left: sweepStep}
			err := s.searchOld()
			done = s.left > 0
			return err
		})
		if err != nil {
			return in("index what was listed before", err)
		}
	}
	return nil
}

// searchOld makes the texts of projects that were listed before there were any, the
// newest first.
func (s *sweep) searchOld() error {
	// Nobody else moves it on meanwhile.
	reached, err := s.number("SELECT unsearched FROM listing WHERE one = 1" + s.dialect.Locked("listing"))
	if err != nil || reached == 0 {
		return err
	}
	old, err := all(context.Background(), s, scanValue[int64], "SELECT num FROM projects WHERE listed = 1 AND num <= ? ORDER BY num DESC LIMIT ?", reached, s.left)
	if err != nil {
		return err
	}
	if _, err := s.exec(dueAgain+"SELECT j.value, '', 2 FROM "+s.dialect.Numbers("?", "j")+" WHERE TRUE ON CONFLICT (project) DO NOTHING", engine.List(old)); err != nil {
		return err
	}
	reached = 0
	if len(old) == s.left {
		reached = old[len(old)-1] - 1
	}
	if _, err := s.exec("UPDATE listing SET unsearched = ? WHERE one = 1", reached); err != nil {
		return err
	}
	s.left -= len(old)
	return (&sweep{tx: s.tx, left: len(old)}).fileTexts()
}
