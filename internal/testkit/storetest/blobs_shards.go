package storetest

import (
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// TestShardedBlobs proves the sentences that publish.ShardedBlobs adds, as TestBlobs does the others.
func TestShardedBlobs(t *testing.T, open func(t *testing.T) publish.ShardedBlobs) {
	later := func() time.Time { return time.Now().Add(time.Hour) }
	t.Run("each blob is in one shard", func(t *testing.T) {
		s := open(t)
		var want, got []sandlot.BlobRef
		for i := range 12 {
			want = append(want, blobs{s}.put(t, noise(i)).Ref)
		}
		for n := range s.Shards() {
			got = append(got, listed(t, s.ListShard(t.Context(), n, later()))...)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("a shard has nothing that was stored later", func(t *testing.T) {
		s := open(t)
		blobs{s}.put(t, noise(1))
		before := time.Now().Add(-time.Hour)
		for n := range s.Shards() {
			if got := listed(t, s.ListShard(t.Context(), n, before)); len(got) > 0 {
				t.Errorf("shard %d has %v", n, got)
			}
		}
	})
	t.Run("a number that no shard has is an error", func(t *testing.T) {
		s := open(t)
		for _, n := range []int{-1, s.Shards()} {
			failed := false
			for ref, err := range s.ListShard(t.Context(), n, later()) {
				failed = failed || err != nil && ref == ""
			}
			if !failed {
				t.Errorf("%d: no error", n)
			}
		}
	})
}
