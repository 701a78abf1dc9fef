package operate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fakeSweep is a SweepStore that hands out what it is given.
type fakeSweep struct {
	steps   [][]sandlot.BlobRef // what each Sweep lets go of
	known   map[sandlot.BlobRef]bool
	asked   []int // how many names each Unknown got
	now     time.Time
	before  time.Time
	fail    error
	unknown error
}

func (f *fakeSweep) Sweep(_ context.Context, now, before time.Time, limit int) ([]sandlot.BlobRef, bool, error) {
	f.now, f.before = now, before
	if f.fail != nil || len(f.steps) == 0 {
		return nil, false, f.fail
	}
	gone := f.steps[0]
	f.steps = f.steps[1:]
	return gone, len(f.steps) > 0, nil
}

func (f *fakeSweep) Unknown(_ context.Context, refs []sandlot.BlobRef) (unknown []sandlot.BlobRef, err error) {
	f.asked = append(f.asked, len(refs))
	for _, r := range refs {
		if !f.known[r] {
			unknown = append(unknown, r)
		}
	}
	return unknown, f.unknown
}

// fakeBlobs knows names only.
type fakeBlobs struct {
	names   []sandlot.BlobRef
	deleted []sandlot.BlobRef
	before  time.Time
	stuck   map[sandlot.BlobRef]bool // cannot be deleted
	tried   int
	list    error
}

func (f *fakeBlobs) Delete(_ context.Context, ref sandlot.BlobRef) error {
	f.tried++
	if f.stuck[ref] {
		return fmt.Errorf("broken: %s", ref)
	}
	f.deleted = append(f.deleted, ref)
	return nil
}

func (f *fakeBlobs) List(_ context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error] {
	f.before = before
	return func(yield func(sandlot.BlobRef, error) bool) {
		for _, n := range f.names {
			if !yield(n, nil) {
				return
			}
		}
		if f.list != nil {
			yield("", f.list)
		}
	}
}

func collector(records *fakeSweep, blobs *fakeBlobs) *Collector {
	return &Collector{Records: records, Blobs: blobs, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	t.Run("asks only for what is older than a day", func(t *testing.T) {
		records, blobs := &fakeSweep{}, &fakeBlobs{}
		_, err := collector(records, blobs).Collect(t.Context())
		expect.OK(t, err)
		yesterday := noon.Add(-24 * time.Hour)
		if !records.now.Equal(noon) || !records.before.Equal(yesterday) || !blobs.before.Equal(yesterday) {
			t.Errorf("swept at %v before %v, listed before %v", records.now, records.before, blobs.before)
		}
	})
	t.Run("deletes strays and nothing that a record has, in bounded steps", func(t *testing.T) {
		records, blobs := &fakeSweep{known: map[sandlot.BlobRef]bool{}}, &fakeBlobs{}
		var strays []sandlot.BlobRef
		for i := range 2*collectBatch + 7 {
			ref := sandlot.BlobRef(fmt.Sprint("blob", i))
			blobs.names = append(blobs.names, ref)
			if records.known[ref] = i%3 != 0; i%3 == 0 {
				strays = append(strays, ref)
			}
		}
		n, err := collector(records, blobs).Collect(t.Context())
		if err != nil || n != len(strays) || !slices.Equal(blobs.deleted, strays) {
			t.Errorf("%d deleted, want %d, %v", n, len(strays), err)
		}
		if diff := cmp.Diff([]int{collectBatch, collectBatch, 7}, records.asked); diff != "" {
			t.Error(diff)
		}
	})
	for name, broken := range map[string]struct {
		records *fakeSweep
		blobs   *fakeBlobs
		deleted int
	}{
		"the sweep":      {&fakeSweep{fail: errors.New("broken")}, &fakeBlobs{names: []sandlot.BlobRef{"x"}}, 1},
		"a deletion":     {&fakeSweep{steps: [][]sandlot.BlobRef{{"a", "b", "c"}}}, &fakeBlobs{stuck: map[sandlot.BlobRef]bool{"b": true}, names: []sandlot.BlobRef{"x"}}, 3},
		"the comparison": {&fakeSweep{unknown: errors.New("broken")}, &fakeBlobs{names: []sandlot.BlobRef{"x"}}, 0},
		"the list":       {&fakeSweep{}, &fakeBlobs{names: []sandlot.BlobRef{"x"}, list: errors.New("broken")}, 1},
	} {
		t.Run("goes on with what does not need it where fails "+name, func(t *testing.T) {
			n, err := collector(broken.records, broken.blobs).Collect(t.Context())
			if err == nil || n != broken.deleted || len(broken.blobs.deleted) != broken.deleted {
				t.Errorf("%d said to be deleted, %v deleted, %v", n, broken.blobs.deleted, err)
			}
		})
	}
}
