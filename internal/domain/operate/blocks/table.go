package blocks

import (
	"bytes"
	"sort"
	"strings"
	"time"
)

// A table is a blocklist in memory. It never changes.
type table struct {
	generation int64
	entries    map[string]map[string]time.Time // by kind and key: when it ends
	lists      map[int64]list                  // by the number that it came with
	bits       [129]bool                       // the lengths of networks, as of IPv6
	counts     map[string]int                  // by kind
}

// A list is a List in memory: its keys lie in body if they have one width, and else each in a line.
type list struct {
	kind  string
	until time.Time
	width int
	body  []byte
	lines []string
}

// newTable returns the table of loaded entries and lists; a list without a body is taken from the table before.
func newTable(in Loaded, before *table) *table {
	t := &table{generation: in.Generation, entries: map[string]map[string]time.Time{}, lists: map[int64]list{}, counts: map[string]int{}}
	for _, e := range in.Entries {
		if t.entries[e.Kind] == nil {
			t.entries[e.Kind] = map[string]time.Time{}
		}
		t.entries[e.Kind][keyOf(e.Kind, e.Value)] = e.Until
		t.counts[e.Kind]++
	}
	for key := range t.entries[Network] {
		t.sees(key)
	}
	for _, l := range in.Lists {
		kept, known := before.list(l.Generation)
		if !known {
			kept = newList(l)
		}
		t.lists[l.Generation] = kept
		t.counts[l.Kind] += l.Lines
		for at := 0; l.Kind == Network && at < len(kept.body); at += networkWidth {
			t.sees(string(kept.body[at : at+networkWidth]))
		}
	}
	return t
}

// sees records the length of a network.
func (t *table) sees(key string) {
	if len(key) == networkWidth {
		t.bits[key[networkWidth-1]] = true
	}
}

// list returns the list of that number, if the table has it; a nil table has none.
func (t *table) list(generation int64) (list, bool) {
	if t == nil {
		return list{}, false
	}
	l, ok := t.lists[generation]
	return l, ok
}

// known returns the numbers of the lists in the table.
func (t *table) known() map[int64]bool {
	known := map[int64]bool{}
	if t != nil {
		for n := range t.lists {
			known[n] = true
		}
	}
	return known
}

// newList prepares a list. A body of another length than its kind has is cut: nothing reads beyond it.
func newList(l List) list {
	out := list{kind: l.Kind, until: l.Until, width: width(l.Kind)}
	if out.width > 0 {
		out.body = l.Body[:len(l.Body)/out.width*out.width]
	} else if len(l.Body) > 0 {
		out.lines = strings.Split(string(l.Body), "\n")
	}
	return out
}

func (l list) has(key string) bool {
	if l.width == 0 {
		_, found := sort.Find(len(l.lines), func(i int) int { return strings.Compare(key, l.lines[i]) })
		return found
	}
	_, found := sort.Find(len(l.body)/l.width, func(i int) int {
		return bytes.Compare([]byte(key), l.body[i*l.width:(i+1)*l.width])
	})
	return found
}

// has reports whether a key is blocked at that time.
func (t *table) has(kind, key string, now time.Time) bool {
	if until, ok := t.entries[kind][key]; ok && lasts(until, now) {
		return true
	}
	for _, l := range t.lists {
		if l.kind == kind && lasts(l.until, now) && l.has(key) {
			return true
		}
	}
	return false
}

func lasts(until, now time.Time) bool { return until.IsZero() || now.Before(until) }
