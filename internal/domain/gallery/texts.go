package gallery

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

const (
	// DefaultTexts is the default size of the texts in bytes: at 80 to 100 bytes each, more than a million listed
	// projects.
	DefaultTexts = 128 << 20
	// textBytes is the memory of an entry without its text, in bytes.
	textBytes = 40
	// namedPage is how many projects are read at a time: some 10 ms.
	namedPage = 5_000
	// relistedMost is the limit of changes to read; beyond it all texts are read again.
	relistedMost = 10_000
	// commitTime is longer than any process can take from drawing a number to the commit of its step.
	commitTime = 30 * time.Second
	// commitNumbers is more than the numbers drawn in that time; it serves until a mark is that old.
	commitNumbers = 1_000
)

// texts holds the folded title, handle and tags of each listed project, for searches. Its methods may be called
// concurrently, except follow.
type texts struct {
	most int // in bytes; beyond it the oldest projects are left out

	mu    sync.RWMutex
	list  []text // by number
	bytes int

	from, next mark
}

// A text is the searchable text of a project; it is empty if the project is no longer listed.
type text struct {
	number int64
	folded string
}

// A mark holds the highest project number and the highest Relisting read at a time.
type mark struct {
	at                time.Time
	number, relisting int64
}

// folded returns the searchable text of a project.
func folded(title, handle string, tags sandlot.Tags) string {
	return names.Searchable(title) + "\n" + names.Searchable(handle) + "\n" + names.Searchable(string(tags))
}

// hasAll reports whether a text has all the words.
func hasAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// current returns x, updated from the store, or new texts if x is nil or too far behind.
func (x *texts) current(ctx context.Context, store Store, most int, now time.Time) (*texts, error) {
	if x != nil {
		if followed, err := x.follow(ctx, store, now); err != nil || followed {
			return x, err
		}
	}
	ctx = context.WithoutCancel(ctx) // others wait for it
	x = &texts{most: most}
	newest, err := store.Relisted(ctx, 0, 1)
	if err != nil {
		return nil, err
	}
	x.next.at = now
	for _, n := range newest {
		x.next.relisting = n.Relisting
	}
	err = x.extend(ctx, store, &x.next)
	x.from = mark{now, max(0, x.next.number-commitNumbers), max(0, x.next.relisting-commitNumbers)}
	return x, err
}

// follow reads the changes, and returns false if there are too many.
func (x *texts) follow(ctx context.Context, store Store, now time.Time) (bool, error) {
	changed, err := store.Relisted(ctx, x.from.relisting, relistedMost)
	if err != nil || len(changed) == relistedMost {
		return false, err
	}
	x.put(changed)
	at := mark{now, x.from.number, x.from.relisting}
	if len(changed) > 0 {
		at.relisting = changed[0].Relisting
	}
	if err := x.extend(ctx, store, &at); err != nil {
		return false, err
	}
	// Numbers are not in the order of commits, so each read starts at a mark so old that all steps of its time have
	// ended.
	if now.Sub(x.next.at) >= commitTime {
		x.from, x.next = x.next, at
	}
	return true, nil
}

// extend reads the listed projects above the number of a mark, and advances the mark to the last.
func (x *texts) extend(ctx context.Context, store Store, to *mark) error {
	for {
		list, err := store.Named(ctx, to.number, namedPage)
		if err != nil {
			return err
		}
		x.put(list)
		if len(list) > 0 {
			to.number = list[len(list)-1].Number
		}
		if len(list) < namedPage {
			return nil
		}
	}
}

// put replaces the texts of projects.
func (x *texts) put(list []Named) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, n := range list {
		t := text{number: n.Number}
		if n.Listed {
			t.folded = folded(n.Title, n.Handle, n.Tags)
		}
		i, found := x.place(n.Number)
		switch {
		case found:
			x.bytes += len(t.folded) - len(x.list[i].folded)
			x.list[i] = t
		case n.Listed:
			x.bytes += len(t.folded) + textBytes
			x.list = slices.Insert(x.list, i, t)
		}
	}
	for x.bytes > x.most && len(x.list) > 0 {
		x.bytes -= len(x.list[0].folded) + textBytes
		x.list[0] = text{}
		x.list = x.list[1:]
	}
}

// place returns the position of a project's text, and whether the project has one.
func (x *texts) place(number int64) (int, bool) {
	return slices.BinarySearchFunc(x.list, number, func(t text, n int64) int { return cmp.Compare(t.number, n) })
}

// matching returns at most most of the newest projects below a number whose texts have all the words.
func (x *texts) matching(words []string, before int64, most int) (numbers []int64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	i, _ := x.place(before)
	for i--; i >= 0 && len(numbers) < most; i-- {
		if hasAll(x.list[i].folded, words) {
			numbers = append(numbers, x.list[i].number)
		}
	}
	return numbers
}

// mostLooked is how many projects a search reads: more changes in half a second are no accident.
const mostLooked = 1_000

// search returns the newest projects below a number that may be listed and have all the words, in their current state
// in the store. The texts may be half a second old.
func (s *Service) search(ctx context.Context, words []string, before int64, limit int) (found []Listed, err error) {
	x, err := s.texts.get(ctx, s.Now(), func() (*texts, error) {
		x, _ := s.texts.peek(s.Now())
		return x.current(ctx, s.store, s.Texts, s.Now())
	})
	before = cmp.Or(before, math.MaxInt64)
	for looked := 0; err == nil && len(found) < limit && looked < mostLooked; {
		numbers := x.matching(words, before, limit-len(found))
		if len(numbers) == 0 {
			break
		}
		before, looked = numbers[len(numbers)-1], looked+len(numbers)
		var list []Listed
		list, err = s.store.Listed(ctx, ListedQuery{Numbers: numbers, Limit: limit})
		found = append(found, slices.DeleteFunc(list, func(l Listed) bool { return !hasAll(folded(l.Title, l.Handle, l.Tags), words) })...)
	}
	return found, err
}
