package sqlstore

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"

	"sandlot/internal/gallery"
	"sandlot/internal/names"
	"sandlot/internal/sqlstore/engine"
)

// A search goes down from the newest project. It takes the newest blocks by all grams
// of its words, which also tells it which grams are rare. Where that is not enough, the
// rarest lead it through all other blocks, of which it reads at most as many as the
// rarest has: 32 projects share one. What has the grams is held against its text, by
// the database, so that it does not matter what the grams tell too much. Texts whose
// grams are not filed yet are few, and are looked through in the first query.

const (
	// newestBlocks is how many blocks are taken first. They are in two parts at most.
	newestBlocks = 8
	// mostParts bounds how many parts are taken at a time after that.
	mostParts = 64
	// maxGrams bounds the grams that are taken for all words together; each word has one.
	maxGrams = 16
	// fewGrams is how many of them lead through all other blocks, if there are no more words.
	fewGrams = 4
	// mostLeading bounds them, however many words there are.
	mostLeading = 10
	// maxUnmade is how many texts are made anew to look at them, where the step that changed
	// them did not. There are such only between a statement by hand and the next Sweep.
	maxUnmade = 100
	// maxLooked is how many texts a search looks at: so many that have all grams of some
	// words, but not the words, are no accident. It ends there with what it has found.
	maxLooked = 10_000
)

// A search looks for the newest projects that have some words.
type search struct {
	store  Gallery
	words  []string
	grams  [][]int64 // of each word
	before int64
	limit  int
	fresh  []int64        // projects whose grams are not filed, the newest first
	unmade map[int64]bool // those of them whose texts are to be made anew
	found  []gallery.Listed
	looked int
}

// search is Listed where there are words.
func (store Gallery) search(ctx context.Context, q gallery.ListedQuery) ([]gallery.Listed, error) {
	s := search{store: store, unmade: map[int64]bool{}, before: q.Before, limit: q.Limit}
	for _, w := range q.Words {
		word := names.Searchable(w)
		if word == "" {
			return nil, nil
		}
		s.words = append(s.words, word)
		s.grams = append(s.grams, someGrams(word, max(1, maxGrams/len(q.Words))))
	}
	newest, lowest, err := s.newest(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.look(ctx, newest.having(s.grams), lowest); err != nil {
		return nil, err
	}
	leading := newest.rarest(s.grams)
	for parts := int64(1); lowest > 0 && !s.done(); parts = min(4*parts, mostParts) {
		below := lowest
		lowest = max(0, ((below-1)/partBlocks-parts+1)*partBlocks)
		some, err := s.some(ctx, leading, lowest, below)
		if err != nil {
			return nil, err
		}
		if err := s.look(ctx, some, lowest); err != nil {
			return nil, err
		}
	}
	return s.found, nil
}

// someGrams are some of the grams of a word, the longest there are.
func someGrams(word string, most int) (list []int64) {
	for part := range strings.FieldsSeq(word) {
		letters := []rune(part)
		n := min(len(letters), 2)
		for i := 0; i+n <= len(letters); i++ {
			list = append(list, gram(letters[i:i+n]))
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), most)]
}

// done reports whether there is no more to look for.
func (s *search) done() bool { return len(s.found) >= s.limit || s.looked >= maxLooked }

// hasWords holds for a text t that has all the words. They have nothing in them that
// means something to LIKE, and both are in small letters, where those have them.
func (s *search) hasWords() (condition string, args []any) {
	for _, w := range s.words {
		condition += " AND t.text LIKE ?"
		args = append(args, "%"+w+"%")
	}
	return condition, args
}

// newestRows are the rows of the newest blocks, by their grams.
type newestRows map[int64][]blockRow

// A blockRow tells which projects of a block have something.
type blockRow struct{ block, bits int64 }

// Beside rows of grams the first query has these.
const (
	freshRow  = -1 - iota // a project that has the words, and whose grams are not filed
	unmadeRow             // a project whose text is to be made anew: it may have the words
	lowestRow             // the lowest of the newest blocks
)

// newest finds the projects whose grams are not filed, and reads the newest blocks. The
// lowest of these is the last to be looked at by them.
func (s *search) newest(ctx context.Context) (rows newestRows, lowest int64, err error) {
	condition, args := s.hasWords()
	query := "SELECT -1, t.project, 0 FROM search_texts t WHERE t.due > 0 AND t.due = 1" + condition +
		" UNION ALL SELECT -2, t.project, 0 FROM search_texts t WHERE t.project IN (SELECT d.project FROM search_texts d WHERE d.due > 0 AND d.due = 2 ORDER BY d.project DESC LIMIT ?)"
	args = append(args, maxUnmade)
	const blocks = " UNION ALL SELECT gram, block, bits FROM search_grams WHERE "
	if s.before == math.MaxInt64 {
		const from = "(SELECT coalesce(max(num), 0) / 32 - 7 FROM projects)"
		query += " UNION ALL SELECT -3, coalesce(max(num), 0) / 32 - 7, 0 FROM projects" + blocks + "part IN (" + from + " / 64, " + from + " / 64 + 1) AND block >= " + from
	} else {
		lowest = (s.before-1)/blockSize - newestBlocks + 1
		query, args = query+blocks+"part IN (?, ?) AND block >= ?", append(args, max(0, lowest)/partBlocks, max(0, lowest)/partBlocks+1, lowest)
	}
	query += " AND block < ? AND " + engine.Among("gram", s.store.db.dialect.Numbers("?", "j"))
	args = append(args, (s.before-1)/blockSize+1, engine.List(slices.Concat(s.grams...)))
	list, err := all(ctx, s.store.db, func(r row) (v [3]int64, err error) {
		err = r.Scan(&v[0], &v[1], &v[2])
		return v, err
	}, query, args...)
	rows = newestRows{}
	for _, v := range list {
		switch v[0] {
		case freshRow, unmadeRow:
			s.unmade[v[1]] = v[0] == unmadeRow
			if v[1] < s.before {
				s.fresh = append(s.fresh, v[1])
			}
		case lowestRow:
			lowest = v[1]
		default:
			rows[v[0]] = append(rows[v[0]], blockRow{v[1], v[2]})
		}
	}
	slices.Sort(s.fresh)
	slices.Reverse(s.fresh)
	return rows, lowest, err
}

// having are the blocks whose projects have all of the grams.
func (rows newestRows) having(grams [][]int64) (list []blockRow) {
	all := slices.Concat(grams...)
	bits := map[int64]int64{}
	for i, g := range all {
		of := map[int64]int64{}
		for _, r := range rows[g] {
			if i == 0 {
				of[r.block] = r.bits
			} else if b := bits[r.block] & r.bits; b != 0 {
				of[r.block] = b
			}
		}
		bits = of
	}
	for block, b := range bits {
		list = append(list, blockRow{block, b})
	}
	slices.SortFunc(list, func(a, b blockRow) int { return int(b.block - a.block) })
	return list
}

// rarest are grams to lead through all blocks: the rarest of each word, the rarest of
// them first, and then others. So words that no project has together part ways soonest.
func (rows newestRows) rarest(grams [][]int64) []int64 {
	often := map[int64]int{}
	for g, list := range rows {
		for _, r := range list {
			often[g] += bits.OnesCount64(uint64(r.bits))
		}
	}
	rarer := func(a, b int64) int { return often[a] - often[b] }
	var leading, others []int64
	for _, list := range grams {
		list = slices.SortedStableFunc(slices.Values(list), rarer)
		leading, others = append(leading, list[0]), append(others, list[1:]...)
	}
	slices.SortStableFunc(leading, rarer)
	slices.SortStableFunc(others, rarer)
	var distinct []int64
	for i, g := range append(leading, others...) {
		if i < max(len(grams), fewGrams) && len(distinct) < mostLeading && !slices.Contains(distinct, g) {
			distinct = append(distinct, g)
		}
	}
	return distinct
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

// look holds the projects of some blocks against the words, together with those fresh
// ones that are not below the lowest block, the newest first.
func (s *search) look(ctx context.Context, list []blockRow, lowest int64) error {
	var projects []int64
	for _, b := range list {
		for i := range int64(blockSize) {
			if p := b.block*blockSize + i; b.bits>>i&1 == 1 && p < s.before {
				projects = append(projects, p)
			}
		}
	}
	end := slices.IndexFunc(s.fresh, func(p int64) bool { return p < lowest*blockSize })
	if end < 0 {
		end = len(s.fresh)
	}
	projects = append(projects, s.fresh[:end]...)
	s.fresh = s.fresh[end:]
	slices.Sort(projects)
	projects = slices.Compact(projects)
	slices.Reverse(projects)
	for take := s.limit - len(s.found); len(projects) > 0 && !s.done(); take = min(2*take, maxLooked/10) {
		part := projects[:min(take, len(projects))]
		if err := s.read(ctx, part); err != nil {
			return err
		}
		projects = projects[len(part):]
	}
	return nil
}

// read adds those of the projects that are listed and have the words.
func (s *search) read(ctx context.Context, projects []int64) error {
	s.looked += len(projects)
	condition, args := s.hasWords()
	some := selectListed + engine.Among("p.num", s.store.db.dialect.Numbers("?", "j"))
	list, err := all(ctx, s.store.db, scanListed, some+" AND EXISTS (SELECT 1 FROM search_texts t WHERE t.project = p.num"+condition+")", append([]any{engine.List(projects)}, args...)...)
	if err != nil {
		return err
	}
	unmade := slices.DeleteFunc(slices.Clone(projects), func(p int64) bool { return !s.unmade[p] })
	if len(unmade) > 0 {
		more, err := all(ctx, s.store.db, scanListed, some, engine.List(unmade))
		if err != nil {
			return err
		}
		list = append(list, slices.DeleteFunc(more, func(l gallery.Listed) bool { return !s.matches(l) })...)
	}
	slices.SortFunc(list, func(a, b gallery.Listed) int { return int(b.Number - a.Number) })
	list = slices.CompactFunc(list, func(a, b gallery.Listed) bool { return a.Number == b.Number })
	s.found = append(s.found, list[:min(len(list), s.limit-len(s.found))]...)
	return nil
}

// matches reports whether a project whose text is to be made anew has the words.
func (s *search) matches(l gallery.Listed) bool {
	text := searchText(l.Title, l.Handle)
	return !slices.ContainsFunc(s.words, func(w string) bool { return !strings.Contains(text, w) })
}
