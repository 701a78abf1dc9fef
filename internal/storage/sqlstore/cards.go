package sqlstore

import (
	"context"
	"sync"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// cardsKept bounds the projects that are kept as searches found them, unless KeepForSearches says less.
	cardsKept = 8 << 10
	// cardBytes is what one takes, with its texts and its place.
	cardBytes = 640
)

// SearchMemory is what searches keep in memory at most, in bytes, unless KeepForSearches says less.
const SearchMemory = indexBytes + cardsKept*cardBytes

// KeepForSearches bounds the memory in which searches keep texts and projects, in bytes. With less of
// it they find the same, and ask the database for more. It is called before the first search.
func (db *DB) KeepForSearches(bytes int) {
	bytes = min(bytes, SearchMemory)
	db.texts.most = int(int64(indexBytes) * int64(bytes) / SearchMemory)
	db.cards.most = int(int64(cardsKept) * int64(bytes) / SearchMemory)
}

// cards keeps projects as they were read, for searches: a change number tells whether one is
// still so, and counts are always read. A row of five columns is read in a third of the time
// of one with all. Its methods may be called concurrently.
type cards struct {
	most int // that are kept
	mu   sync.Mutex
	kept map[int64]gallery.Listed
}

// A cardRow is what is read of each project that is found.
type cardRow struct{ num, change, plays, counted, likes int64 }

func scanCardRow(r row) (c cardRow, err error) {
	err = r.Scan(&c.num, &c.change, &c.plays, &c.counted, &c.likes)
	return c, err
}

// listed are the projects of those numbers that may be listed and hold a condition, as they are.
func (s *search) listed(ctx context.Context, projects []int64, condition string, args []any) (list []gallery.Listed, err error) {
	db := s.store.db
	numbers := db.dialect.Numbers("?", "j")
	rows, err := all(ctx, db, scanCardRow, "SELECT p.num, p.changed + a.changed, p.plays, p.counted, p.likes FROM "+numbers+" CROSS JOIN "+whatListed+"p.num = j.value"+condition,
		append([]any{engine.List(projects)}, args...)...)
	if err != nil {
		return nil, err
	}
	list, other := db.cards.of(rows)
	if len(other) == 0 {
		return list, nil
	}
	more, err := all(ctx, db, scanListed, selectListed+engine.Among("p.num", numbers), engine.List(other))
	if err == nil {
		db.cards.keep(more)
	}
	return append(list, more...), err
}

// of returns those of the projects that are kept as they are, and the numbers of the others.
func (c *cards) of(rows []cardRow) (list []gallery.Listed, other []int64) {
	list = make([]gallery.Listed, 0, len(rows))
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range rows {
		l, ok := c.kept[r.num]
		if !ok || l.Change != r.change {
			other = append(other, r.num)
			continue
		}
		l.Plays, l.Counted, l.Likes = r.plays, r.counted, r.likes
		list = append(list, l)
	}
	return list, other
}

// keep keeps projects as they were read now, in the place of any others.
func (c *cards) keep(list []gallery.Listed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[int64]gallery.Listed{}
	}
	for _, l := range list {
		for num := range c.kept {
			if len(c.kept) < c.most {
				break
			}
			delete(c.kept, num)
		}
		c.kept[l.Number] = l
	}
}
