package squeeze

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// real is a Worker on a real store and real contents.
type real struct {
	*Worker
	world  *testworld.World
	owner  sandlot.Caller
	opened func(sandlot.Blob) // is called before a blob is opened
	rests  int                // how often content was arriving
	tried  int                // blobs that were opened
	made   []int64            // IDs of the blobs whose variants were recorded
}

func newReal(t *testing.T, opts ...testworld.Option) *real {
	t.Helper()
	r := &real{world: testworld.New(t, opts...)}
	r.owner = r.world.NewAccount()
	r.Worker = New(recorder{r.world.DB.Variants(), r}, watched{r.world.Publish.Contents, r}, r.world.Log, &worker.Failures{})
	r.now = r.world.Now
	return r
}

// watched is the Contents that a real worker reads.
type watched struct {
	*publish.Contents
	r *real
}

func (w watched) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	if w.r.tried++; w.r.opened != nil {
		w.r.opened(b)
	}
	return w.Contents.Open(ctx, b, off, n)
}

func (w watched) Receiving() bool {
	arriving := w.Contents.Receiving()
	if arriving {
		w.r.rests++
	}
	return arriving
}

// recorder notes which variants are recorded.
type recorder struct {
	sandlot.VariantStore
	r *real
}

func (s recorder) PutVariants(ctx context.Context, id int64, made []sandlot.Variant) error {
	if len(made) > 0 {
		s.r.made = append(s.r.made, id)
	}
	return s.VariantStore.PutVariants(ctx, id, made)
}

// game publishes a page, and beside it a file of that many bytes that compresses.
func (r *real) game(size int) sandlot.File {
	p := r.world.PublishPage(r.owner, "<!doctype html>").Project
	return r.world.PutFile(r.owner, p.ID, "game.wasm", strings.Repeat("\x00asm some code of a game ", size/25+1)[:size]).File
}

// rounds makes variants until none are left to make.
func (r *real) rounds(t *testing.T) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = r.Round(t.Context())
		expect.OK(t, err)
	}
}

func TestRegressionM03TheWorkerDoesNotWaitForItself(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.game(3 * restEvery)
	r.rounds(t)
	expect.Equal(t, "files with variants", len(r.made), 1)
	expect.Equal(t, "how often it took its own work for a visitor's", r.rests, 0)
}

func TestRegressionM03ASmallFileDoesNotWaitForALargeOne(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	big := r.game(large + restEvery)
	var small sandlot.File
	r.opened = func(b sandlot.Blob) {
		if small.Name == "" && b.Size == big.Blob.Size {
			small = r.game(2000)
		}
	}
	r.rounds(t)
	if len(r.made) != 2 || r.made[1] != r.idOf(t, big) {
		t.Errorf("variants were made of %v, of which %d is the large one", r.made, r.idOf(t, big))
	}
}

// idOf returns the ID of a file's blob.
func (r *real) idOf(t *testing.T, f sandlot.File) int64 {
	t.Helper()
	id := r.world.Query("SELECT id FROM blobs WHERE size = " + strconv.FormatInt(f.Blob.Size, 10))
	expect.Equal(t, "blobs of that size", len(id), 1)
	n, err := strconv.ParseInt(id[0], 10, 64)
	expect.OK(t, err)
	return n
}

func TestRegressionM04ANearlyFullDiskIsNoFaultOfAFile(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	r := newReal(t, testworld.With(func(c *publish.Config) { c.Room = func() bool { return !full.Load() } }))
	for range 5 {
		r.game(2000)
	}
	full.Store(true)
	n, err := r.Round(t.Context())
	expect.Is(t, "a round on a full disk", err, sandlot.ErrFull)
	expect.Equal(t, "files that it came to an end with", n, 0)
	expect.Equal(t, "files that it tried", r.tried, 1)
	full.Store(false)
	r.world.Clock.Move(time.Minute)
	r.rounds(t)
	expect.Equal(t, "files with variants once there is room", len(r.made), 5)
}
