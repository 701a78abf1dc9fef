package recent

import (
	"slices"
	"testing"
)

func TestAMapKeepsWhatWasUsedLastWithinItsBound(t *testing.T) {
	m := New[string, int](10)
	for i, key := range []string{"a", "b", "c"} {
		if gone := m.Put(key, i, 3); len(gone) > 0 {
			t.Fatalf("%q went for %s", gone, key)
		}
	}
	if v, known := m.Get("a"); v != 0 || !known {
		t.Errorf("a is %d, %v", v, known)
	}
	if gone := m.Put("d", 3, 4); !slices.Equal(gone, []string{"b"}) {
		t.Errorf("%q went for d", gone)
	}
	if gone := m.Put("a", 7, 1); len(gone) > 0 || m.Weight() != 8 {
		t.Errorf("%q went for a lighter a, weight %d", gone, m.Weight())
	}
	if gone := m.Put("e", 4, 11); !slices.Equal(gone, []string{"c", "d", "a", "e"}) {
		t.Errorf("%q went for a value that is too heavy", gone)
	}
	m.Put("f", 5, 10)
	m.Drop("f")
	if _, known := m.Get("f"); known || m.Weight() != 0 {
		t.Errorf("f is there: %v, weight %d", known, m.Weight())
	}
}
