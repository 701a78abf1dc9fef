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
	// DefaultTexts is how many bytes of texts are kept by default: at 80 to 100 bytes each, those of more than a million listed projects.
	DefaultTexts = 128 << 20
	// textBytes is the memory of an entry without the bytes of its text.
	textBytes = 40
	// namedPage is how many projects are read at a time: some 10 ms.
	namedPage = 5_000
	// relistedMost is how many changes are read at most; where there are more, all texts are read anew.
	relistedMost = 10_000
	// commitTime is longer than a step of any process can take between the moment that it gets a number and its commit.
	commitTime = 30 * time.Second
	// commitNumbers is taken for more numbers than are given out in that time, before there is a mark that is so old.
	commitNumbers = 1_000
)

// texts holds the folded title, handle and tags of each listed project, for searches. Its methods may be called concurrently, but for follow.
type texts struct {
	most int // bytes; beyond them the oldest projects are left out

	mu    sync.RWMutex
	list  []text // by their numbers
	bytes int

	from, next mark
}

// A text is what searches look through of a project; it is empty when the project is not listed any more.
type text struct {
	number int64
	folded string
}

// A mark is the highest number of a project and the highest Relisting that were read at a time.
type mark struct {
	at                time.Time
	number, relisting int64
}

// folded is the text of a project.
func folded(title, handle string, tags sandlot.Tags) string {
	return names.Searchable(title) + "\n" + names.Searchable(handle) + "\n" + names.Searchable(string(tags))
}

// hasAll reports whether a text has all the words.
func hasAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// current returns x as the store is now, or other texts, read anew, where x is nil or too far behind.
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

// follow reads what has changed, and reports false where that is too much.
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
	// Numbers are not in the order of commits, so what is read goes back to a mark that all steps of its time have ended since.
	if now.Sub(x.next.at) >= commitTime {
		x.from, x.next = x.next, at
	}
	return true, nil
}

// extend reads the listed projects above the number of a mark, and moves it on to the last.
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

// put keeps the texts of projects as they are now.
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

// place is where the text of a project is, or would be.
func (x *texts) place(number int64) (int, bool) {
	return slices.BinarySearchFunc(x.list, number, func(t text, n int64) int { return cmp.Compare(t.number, n) })
}

// matching returns the newest projects below a number whose texts have all the words, at most so many.
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

// mostLooked is how many projects a search reads: that so many have changed in half a second is no accident.
const mostLooked = 1_000

// search returns the newest projects below a number that may be listed and have all the words, as the store has them now. The texts may be
// half a second old.
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
