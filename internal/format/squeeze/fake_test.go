package squeeze

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/testkit/expect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// records is a VariantStore in memory.
type records struct {
	mu    sync.Mutex
	files []sandlot.File // oldest first
	made  map[int64][]sandlot.Variant
	order []int64 // of the blobs whose variants were recorded
	puts  int     // calls of PutVariants
	fails []error // the errors of the next calls of PutVariants; nil: it works
	asked []int   // the limits of the calls of Unsqueezed
}

func (r *records) Unsqueezed(_ context.Context, except []int64, limit int) ([]sandlot.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, limit)
	var out []sandlot.File
	for _, f := range r.files {
		if _, ok := r.made[f.Blob.ID]; !ok && len(out) < limit && !slices.Contains(except, f.Blob.ID) {
			out = append(out, f)
		}
	}
	return out, nil
}

func (r *records) ClaimSqueezing(_ context.Context, blobs []int64, _ time.Duration) ([]int64, int64, error) {
	return blobs, 1, nil
}

func (r *records) EndSqueezing(context.Context, []int64, int64) error { return nil }

func (r *records) PutVariants(ctx context.Context, id int64, v []sandlot.Variant) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.puts++
	if len(r.fails) > 0 {
		err := r.fails[0]
		r.fails = r.fails[1:]
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.made[id] = v
	r.order = append(r.order, id)
	return nil
}

// recorded returns the recorded variants of a file, and whether there is a record.
func (r *records) recorded(f sandlot.File) ([]sandlot.Variant, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.made[f.Blob.ID]
	return v, ok
}

// shelf is a Content in memory.
type shelf struct {
	mu        sync.Mutex
	blobs     map[sandlot.BlobRef][]byte
	broken    map[sandlot.BlobRef]error // the error of Open
	poisoned  sandlot.BlobRef           // whose bytes make the reader panic
	opened    int
	staged    int
	discarded int
	full      []error // the errors of the next calls of StageDerived; nil: it works
	receiving func() bool
}

func (s *shelf) Open(_ context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	if err := s.broken[b.Ref]; err != nil {
		return nil, err
	}
	if b.Ref == s.poisoned {
		return poison{}, nil
	}
	data, ok := s.blobs[b.Ref]
	if !ok || off != 0 || n >= 0 {
		return nil, fmt.Errorf("open %s, %d bytes at %d", b.Ref, n, off)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (s *shelf) StageDerived(_ context.Context, r io.Reader) (sandlot.Blob, error) {
	s.mu.Lock()
	var fail error
	if len(s.full) > 0 {
		fail, s.full = s.full[0], s.full[1:]
	}
	s.mu.Unlock()
	if fail != nil {
		_, _ = io.CopyN(io.Discard, r, 20) // as a disk that is full before the end
		return sandlot.Blob{}, fail
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return sandlot.Blob{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.staged++
	return s.keep(data), nil
}

func (s *shelf) keep(data []byte) sandlot.Blob {
	ref := sandlot.BlobRef(fmt.Sprintf("blob%d", len(s.blobs)+s.discarded))
	s.blobs[ref] = data
	return sandlot.Blob{Ref: ref, Size: int64(len(data)), SHA256: sha256.Sum256(data)}
}

func (s *shelf) DiscardDerived(_ context.Context, c sandlot.Blob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blobs[c.Ref]; !ok {
		panic("discarded what is not there: " + c.Ref)
	}
	delete(s.blobs, c.Ref)
	s.discarded++
}

func (s *shelf) Receiving() bool { return s.receiving != nil && s.receiving() }

// bench is a Worker between its fakes.
type bench struct {
	*Worker
	records *records
	shelf   *shelf
	log     *bytes.Buffer
	later   time.Duration // by how much the worker's clock is ahead
}

func newBench() *bench {
	b := &bench{
		records: &records{made: map[int64][]sandlot.Variant{}},
		shelf:   &shelf{blobs: map[sandlot.BlobRef][]byte{}, broken: map[sandlot.BlobRef]error{}},
		log:     &bytes.Buffer{},
	}
	b.Worker = New(b.records, b.shelf, slog.New(slog.NewTextHandler(b.log, nil)), &worker.Failures{})
	b.now = func() time.Time { return time.Now().Add(b.later) }
	return b
}

// add publishes a file.
func (b *bench) add(name string, data []byte) sandlot.File {
	blob := b.shelf.keep(data)
	blob.ID = int64(len(b.records.files) + 1)
	f := sandlot.File{Name: name, Blob: blob}
	b.records.files = append(b.records.files, f)
	return f
}

// round runs one Round, which must work.
func (b *bench) round(t *testing.T) int {
	t.Helper()
	n, err := b.Round(context.Background())
	expect.OK(t, err)
	return n
}

// leaked are the blobs that neither a file nor a recorded variant has.
func (b *bench) leaked() []sandlot.BlobRef {
	left := map[sandlot.BlobRef]bool{}
	for ref := range b.shelf.blobs {
		left[ref] = true
	}
	for _, f := range b.records.files {
		delete(left, f.Blob.Ref)
		for _, v := range b.records.made[f.Blob.ID] {
			delete(left, v.Blob.Ref)
		}
	}
	var out []sandlot.BlobRef
	for ref := range left {
		out = append(out, ref)
	}
	slices.Sort(out)
	return out
}

// clean fails the test if bytes were leaked, or recorded variants lack theirs.
func (b *bench) clean(t *testing.T) {
	t.Helper()
	if left := b.leaked(); len(left) > 0 {
		t.Errorf("leaked %v", left)
	}
	for id, variants := range b.records.made {
		for _, v := range variants {
			if _, ok := b.shelf.blobs[v.Blob.Ref]; !ok {
				t.Errorf("the %s variant of blob %d is gone", v.Encoding, id)
			}
		}
	}
}

// program is text that compresses about as well as a game's code does; the same for the same n.
func program(n int) []byte {
	words, after := programWords()
	r := rand.New(&after)
	out := make([]byte, 0, n+11)
	for len(out) < n {
		u := r.Float64()
		out = append(out, words[int(u*u*u*4000)]...)
	}
	return out[:n]
}

// programWords are the words of each program, and where the random numbers stand behind them.
var programWords = sync.OnceValues(func() (words [][]byte, after rand.PCG) {
	src := rand.NewPCG(1, 2)
	r := rand.New(src)
	words = make([][]byte, 4000)
	for i := range words {
		w := make([]byte, 2+r.IntN(9))
		for j := range w {
			w[j] = byte('a' + r.IntN(26))
		}
		words[i] = append(w, " .;(){}=\n"[r.IntN(9)])
	}
	return words, *src
})

// noise is bytes that no compressor makes smaller.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	out := make([]byte, n)
	_, _ = r.Read(out) // never fails
	return out
}
