package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

// A search goes down from the newest project. Of the newest the texts are in memory, in a
// textIndex. Below them the rarest grams of the words lead it through the blocks, of which
// it reads at most as many as the rarest has: 32 projects share one. What has the grams is
// held against its text, by the database, so that it does not matter what the grams tell too
// much. Texts that are not filed yet are few, and are looked through in the first query.

const (
	// mostParts bounds how many parts of blocks are taken at a time.
	mostParts = 64
	// maxGrams bounds the grams that are taken for all words together; each word has one.
	maxGrams = 16
	// fewGrams is how many of them lead through the blocks, if there are no more words.
	fewGrams = 4
	// mostLeading bounds them, however many words there are.
	mostLeading = 10
	// maxUnmade is how many texts are made anew to look at them, where the step that changed
	// them did not. There are such only between a statement by hand and the next Sweep.
	maxUnmade = 100
	// maxLooked is how many projects a search reads to look at them: so many that have all
	// grams of some words, but not the words, are no accident. It ends there with what it has
	// found.
	maxLooked = 10_000
	// filingsKept is how many filings back who follows them may be.
	filingsKept = 10_000
)

// A search looks for the newest projects that have some words.
type search struct {
	store Gallery
	words []string
	limit int
	// due are the texts that are not filed, fresh those of them that have the words, the
	// newest first. unmade are to be made anew, and may have them.
	due, unmade map[int64]bool
	fresh       []int64
	found       []gallery.Listed
	looked      int
}

// search is Listed where there are words.
func (store Gallery) search(ctx context.Context, q gallery.ListedQuery) ([]gallery.Listed, error) {
	s := search{store: store, due: map[int64]bool{}, unmade: map[int64]bool{}, limit: q.Limit}
	for _, w := range q.Words {
		word := names.Searchable(w)
		if word == "" {
			return nil, nil
		}
		s.words = append(s.words, word)
	}
	if err := s.begin(ctx, q.Before); err != nil {
		return nil, err
	}
	x := store.db.texts
	below, end := q.Before, false
	for take := q.Limit; !end && !s.done(); take = min(2*take, maxLooked/10) {
		var projects []int64
		projects, below, end = x.matching(s.words, below, take)
		if err := s.look(ctx, s.filed(projects), below, true); err != nil {
			return nil, err
		}
	}
	if below == 0 || s.done() {
		return s.found, nil
	}
	if err := s.extendTexts(ctx); err != nil {
		return nil, err
	}
	return s.found, s.lookFurther(ctx, below)
}

// lookFurther goes on through the blocks, below a number.
func (s *search) lookFurther(ctx context.Context, before int64) error {
	leading := s.rarest()
	lowest := (before-1)/blockSize + 1
	for parts := int64(1); lowest > 0 && !s.done(); parts = min(4*parts, mostParts) {
		below := lowest
		lowest = max(0, ((below-1)/partBlocks-parts+1)*partBlocks)
		some, err := s.some(ctx, leading, lowest, below)
		if err != nil {
			return err
		}
		var projects []int64
		for _, b := range some {
			for i := range int64(blockSize) {
				if p := b.block*blockSize + i; b.bits>>i&1 == 1 && p < before {
					projects = append(projects, p)
				}
			}
		}
		if err := s.look(ctx, s.filed(projects), lowest*blockSize, false); err != nil {
			return err
		}
	}
	return nil
}

// filed are those of the projects whose texts are filed as they are.
func (s *search) filed(projects []int64) []int64 {
	return slices.DeleteFunc(projects, func(p int64) bool { return s.due[p] })
}

// done reports whether there is no more to look for.
func (s *search) done() bool { return len(s.found) >= s.limit || s.looked >= maxLooked }

// begin reads the texts that are due, and has the index follow what was filed by then.
func (s *search) begin(ctx context.Context, before int64) error {
	list, err := all(ctx, s.store.db, scanHeldText,
		"SELECT t.project, t.due, t.text FROM search_texts t WHERE t.due > 0 UNION ALL SELECT coalesce(max(number), 0), 0, '' FROM search_filings")
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b heldText) int { return cmp.Compare(b.project, a.project) })
	for _, t := range list {
		if t.due == 0 {
			if err := s.followTexts(ctx, t.project); err != nil {
				return err
			}
			continue
		}
		s.due[t.project] = true
		if t.due > 1 && len(s.unmade) < maxUnmade {
			s.unmade[t.project] = true
		}
		if t.project < before && (s.unmade[t.project] || hasAll(t.text, s.words)) {
			s.fresh = append(s.fresh, t.project)
		}
	}
	return nil
}

func scanHeldText(r row) (t heldText, err error) {
	err = r.Scan(&t.project, &t.due, &t.text)
	return t, err
}

// followTexts has the index follow up to a filing at least, from the newest texts on if it
// has none, or is too far behind.
func (s *search) followTexts(ctx context.Context, latest int64) error {
	x := s.store.db.texts
	if seen, _, ready := x.state(); ready && seen >= latest {
		return nil
	}
	x.filling.Lock()
	defer x.filling.Unlock()
	seen, _, ready := x.state()
	if ready && seen >= latest {
		return nil
	}
	type filing struct {
		number int64
		heldText
	}
	list, err := all(ctx, s.store.db, func(r row) (f filing, err error) {
		err = r.Scan(&f.number, &f.project, &f.due, &f.text)
		return f, err
	}, `SELECT f.number, f.project, coalesce(t.due, 0), coalesce(t.text, '') FROM search_filings f LEFT JOIN search_texts t ON t.project = f.project
		WHERE f.number >= ? ORDER BY f.number LIMIT ?`, seen, filingsKept)
	switch {
	case err != nil:
		return err
	case !ready, len(list) == 0, list[0].number != seen, len(list) == filingsKept:
		texts, floor, err := s.older(ctx, math.MaxInt64)
		if err == nil {
			x.begin(texts, floor, latest)
		}
		return err
	}
	var texts []heldText
	for _, f := range list {
		if f.due == 0 { // one that is due again comes again
			texts = append(texts, f.heldText)
		}
	}
	x.follow(texts, list[len(list)-1].number)
	return nil
}

// extendTexts brings older texts into the index, if there are more, it has room for them,
// and nobody else is at it.
func (s *search) extendTexts(ctx context.Context) error {
	x := s.store.db.texts
	if !x.filling.TryLock() {
		return nil
	}
	defer x.filling.Unlock()
	_, floor, _ := x.state()
	if floor == 0 || x.full() {
		return nil
	}
	texts, floor, err := s.older(ctx, floor)
	if err == nil {
		x.extend(texts, floor)
	}
	return err
}

// older reads the newest texts below a number, and tells from which number on those are all.
func (s *search) older(ctx context.Context, below int64) (list []heldText, floor int64, err error) {
	step := s.store.db.texts.step
	list, err = all(ctx, s.store.db, scanHeldText, "SELECT project, due, text FROM search_texts WHERE project < ? ORDER BY project DESC LIMIT ?", below, step)
	if len(list) == step {
		floor = list[len(list)-1].project
	}
	return slices.DeleteFunc(list, func(t heldText) bool { return t.due > 0 }), floor, err
}

// hasWords holds for a text t that has all the words. They have nothing in them that
// means something to LIKE, and both are in small letters, where those have them. A
// parameter alone behind LIKE would have SQLite prepare the query anew each time.
func (s *search) hasWords() (condition string, args []any) {
	for _, w := range s.words {
		condition += " AND t.text LIKE '%' || ? || '%'"
		args = append(args, w)
	}
	return condition, args
}

// A blockRow tells which projects of a block have something.
type blockRow struct{ block, bits int64 }

// rarest are grams to lead through the blocks: the rarest of each word, the rarest of
// them first, and then others. So words that no project has together part ways soonest.
func (s *search) rarest() []int64 {
	type counted struct {
		gram int64
		n    int
	}
	rarer := func(a, b counted) int { return a.n - b.n }
	var leading, others []counted
	for _, word := range s.words {
		var list []counted
		for _, letters := range someGrams(word, max(1, maxGrams/len(s.words))) {
			list = append(list, counted{gram(letters), s.store.db.texts.often(letters)})
		}
		slices.SortStableFunc(list, rarer)
		leading, others = append(leading, list[0]), append(others, list[1:]...)
	}
	slices.SortStableFunc(leading, rarer)
	slices.SortStableFunc(others, rarer)
	var distinct []int64
	for i, g := range append(leading, others...) {
		if i < max(len(s.words), fewGrams) && len(distinct) < mostLeading && !slices.Contains(distinct, g.gram) {
			distinct = append(distinct, g.gram)
		}
	}
	return distinct
}

// someGrams are some of the grams of a word, the longest that are filed.
func someGrams(word string, most int) (list [][]rune) {
	for part := range strings.FieldsSeq(word) {
		letters := []rune(part)
		n := min(len(letters), 2)
		for i := 0; i+n <= len(letters) && len(list) < most; i++ {
			list = append(list, letters[i:i+n])
		}
	}
	return list
}

// some reads those blocks from one up to another whose projects may have all of the
// grams.
func (s *search) some(ctx context.Context, grams []int64, from, below int64) ([]blockRow, error) {
	var parts []int64
	for part := (below - 1) / partBlocks; part >= from/partBlocks; part-- {
		parts = append(parts, part)
	}
	tables, both := s.store.db.dialect.Numbers("?", "parts")+" CROSS JOIN search_grams a", "a.bits"
	where, args := "a.part = parts.value AND a.gram = ? AND a.block < ?", []any{engine.List(parts), grams[0], below}
	for i, g := range grams[1:] {
		n := string(rune('b' + i))
		tables += " CROSS JOIN search_grams " + n
		both += " & " + n + ".bits"
		where += " AND " + n + ".part = parts.value AND " + n + ".gram = ? AND " + n + ".block = a.block AND (" + both + ") <> 0"
		args = append(args, g)
	}
	return all(ctx, s.store.db, func(r row) (b blockRow, err error) {
		err = r.Scan(&b.block, &b.bits)
		return b, err
	}, "SELECT a.block, "+both+" FROM "+tables+" WHERE "+where, args...)
}

// look reads projects, together with those fresh ones that are not below the lowest
// number, the newest first. If held is set all are known to have the words.
func (s *search) look(ctx context.Context, projects []int64, lowest int64, held bool) error {
	end := slices.IndexFunc(s.fresh, func(p int64) bool { return p < lowest })
	if end < 0 {
		end = len(s.fresh)
	}
	projects = append(projects, s.fresh[:end]...)
	s.fresh = s.fresh[end:]
	slices.Sort(projects)
	slices.Reverse(projects)
	for take := s.limit - len(s.found); len(projects) > 0 && !s.done(); take = min(2*take, maxLooked/10) {
		part := projects[:min(take, len(projects))]
		if err := s.read(ctx, part, held); err != nil {
			return err
		}
		projects = projects[len(part):]
	}
	return nil
}

// read adds those of the projects that are listed and have the words.
func (s *search) read(ctx context.Context, projects []int64, held bool) error {
	s.looked += len(projects)
	condition, args := "", []any(nil)
	if !held {
		condition, args = s.hasWords()
		condition = " AND EXISTS (SELECT 1 FROM search_texts t WHERE t.project = p.num AND (t.due > 0 OR (TRUE" + condition + ")))"
	}
	list, err := s.listed(ctx, projects, condition, args)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(l gallery.Listed) bool { return (!held || s.unmade[l.Number]) && !s.matches(l) })
	slices.SortFunc(list, func(a, b gallery.Listed) int { return cmp.Compare(b.Number, a.Number) })
	list = list[:min(len(list), s.limit-len(s.found))]
	if s.found == nil {
		s.found = list
	} else {
		s.found = append(s.found, list...)
	}
	return nil
}

// matches reports whether a project has the words, whatever its text says.
func (s *search) matches(l gallery.Listed) bool {
	return hasAll(searchText(l.Title, l.Handle, l.Tags), s.words)
}
