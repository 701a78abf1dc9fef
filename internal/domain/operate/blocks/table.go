package blocks

import (
	"bytes"
	"crypto/sha256"
	"sort"
	"time"
)

// A key stands for a value of a kind where it is looked up.
type key [16]byte

func keyOf(kind, value string) key {
	sum := sha256.Sum256([]byte(kind + " " + value))
	return key(sum[:len(key{})])
}

// A table is a blocklist in memory. It never changes.
type table struct {
	generation int64
	entries    map[key]time.Time // when each ends
	lists      map[int64]List    // by Generation
	counts     map[string]int    // by kind
}

func newTable(in Loaded) *table {
	t := &table{generation: in.Generation, entries: map[key]time.Time{}, lists: map[int64]List{}, counts: map[string]int{}}
	for _, e := range in.Entries {
		t.entries[keyOf(e.Kind, e.Value)] = e.Until
		t.counts[e.Kind]++
	}
	for _, l := range in.Lists {
		t.lists[l.Generation] = l
		t.counts[l.Kind] += l.Lines
	}
	return t
}

// has reports whether a value is blocked at that time.
func (t *table) has(kind, value string, now time.Time) bool {
	if t.counts[kind] == 0 {
		return false
	}
	k := keyOf(kind, value)
	if until, ok := t.entries[k]; ok && lasts(until, now) {
		return true
	}
	for _, l := range t.lists {
		if l.Kind == kind && lasts(l.Until, now) && l.has(k) {
			return true
		}
	}
	return false
}

// has reports whether a list has a key.
func (l List) has(k key) bool {
	_, found := sort.Find(len(l.Body)/len(k), func(i int) int { return bytes.Compare(k[:], l.Body[i*len(k):(i+1)*len(k)]) })
	return found
}

func lasts(until, now time.Time) bool { return until.IsZero() || now.Before(until) }
