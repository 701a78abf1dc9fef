// Package storetest proves the sentences of the interfaces in package publish on
// whatever implements them: one suite for an interface, one subtest for a
// sentence, named after it, on a fresh store each. Only tests import it.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/testkit/expect"
)

// TestBlobs proves the sentences of publish.Blobs on one implementation. open
// gives a fresh, empty store to each subtest, and closes it at its end.
func TestBlobs(t *testing.T, open func(t *testing.T) sandlot.Blobs) {
	for _, group := range []struct {
		name  string
		cases []blobCase
	}{
		{"Put", blobPutCases}, {"Open", blobOpenCases}, {"Delete", blobDeleteCases}, {"List", blobListCases}, {"Blobs", blobTogetherCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.says, func(t *testing.T) { c.proof(t, blobs{open(t)}) })
			}
		})
	}
}

// blobCase is one sentence and its proof on an empty store.
type blobCase struct {
	says  string
	proof func(t *testing.T, s blobs)
}

// blobs adds to a store what most proofs need.
type blobs struct{ sandlot.Blobs }

// put stores data and describes it as the record would.
func (s blobs) put(t *testing.T, data []byte) sandlot.Blob {
	t.Helper()
	b, err := s.Put(t.Context(), s.Name(), bytes.NewReader(data))
	expect.OK(t, err, "Put")
	b.SHA256 = sha256.Sum256(data)
	return b
}

// putPointed is put for a blob that comes with its Checkpoints.
func (s blobs) putPointed(t *testing.T, data []byte) sandlot.Blob {
	t.Helper()
	b := s.put(t, data)
	h := checkpoint.New()
	_, _ = h.Write(data) // never fails
	b.Checkpoints = h.Points()
	return b
}

// read opens a range and reads it to the end.
func (s blobs) read(t *testing.T, b sandlot.Blob, off, n int64) ([]byte, error) {
	t.Helper()
	rc, err := s.Open(t.Context(), b, off, n)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	return io.ReadAll(rc)
}

// holds fails the test unless the blob can be read and is data.
func (s blobs) holds(t *testing.T, b sandlot.Blob, data []byte) {
	t.Helper()
	got, err := s.read(t, b, 0, -1)
	expect.OK(t, err, "Open")
	if !bytes.Equal(got, data) {
		t.Fatalf("got %d bytes, %x..., want %d, %x...", len(got), got[:min(8, len(got))], len(data), data[:min(8, len(data))])
	}
}

// refsOf collects the names in their order.
func refsOf(t *testing.T, seq iter.Seq2[sandlot.BlobRef, error]) []sandlot.BlobRef {
	t.Helper()
	var refs []sandlot.BlobRef
	for ref, err := range seq {
		expect.OK(t, err, "List")
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	return refs
}

// all lists what is stored, whenever it was. Stores keep time by their own
// clocks, some in whole seconds.
func (s blobs) all(t *testing.T) []sandlot.BlobRef {
	t.Helper()
	return refsOf(t, s.List(t.Context(), time.Now().Add(time.Hour)))
}

func (s blobs) isEmpty(t *testing.T) {
	t.Helper()
	if refs := s.all(t); len(refs) > 0 {
		t.Errorf("stored: %v, want nothing", refs)
	}
}

// noise makes n bytes that no compression or mix-up of offsets leaves alike.
func noise(n int) []byte {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(data)
	return data
}

// mebi and a bit: several buffers of any implementation, and not a multiple.
const mebi = 1<<20 + 7

var blobPutCases = []blobCase{
	{"stores what r yields", func(t *testing.T, s blobs) {
		for _, n := range []int{0, 1, 4096, mebi} {
			s.holds(t, s.put(t, noise(n)), noise(n))
		}
	}},
	{"stores what a reader yields in small pieces, and the bytes that come with io.EOF", func(t *testing.T, s blobs) {
		data := noise(70000)
		for _, r := range []io.Reader{
			iotest.OneByteReader(bytes.NewReader(data)),
			iotest.DataErrReader(bytes.NewReader(data)),
			iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(data))),
		} {
			b, err := s.Put(t.Context(), s.Name(), r)
			expect.OK(t, err)
			b.SHA256 = sha256.Sum256(data)
			s.holds(t, b, data)
		}
	}},
	{"if r fails, nothing is stored and the error wraps r's", func(t *testing.T, s blobs) {
		// io.ErrUnexpectedEOF is what a request that was cut off says.
		for _, want := range []error{errors.New("torn"), io.ErrUnexpectedEOF} {
			for _, n := range []int{0, 100, mebi} {
				_, err := s.Put(t.Context(), s.Name(), io.MultiReader(bytes.NewReader(noise(n)), iotest.ErrReader(want)))
				if !errors.Is(err, want) {
					t.Errorf("after %d bytes: got %v, want %v", n, err, want)
				}
			}
		}
		s.isEmpty(t)
	}},
	{"a reader that never gives anything is an error", func(t *testing.T, s blobs) {
		if _, err := s.Put(t.Context(), s.Name(), idle{}); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("got %v, want io.ErrNoProgress", err)
		}
		s.isEmpty(t)
	}},
	{"stores nothing when the context has ended", func(t *testing.T, s blobs) {
		ctx, cancel := context.WithCancel(t.Context())
		r := io.MultiReader(bytes.NewReader(noise(mebi)), calling{cancel}, bytes.NewReader(noise(mebi)))
		if _, err := s.Put(ctx, s.Name(), r); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		s.isEmpty(t)
	}},
}

// idle is a reader that gives neither bytes nor an error.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// calling is a reader that calls a function and ends.
type calling struct{ f func() }

func (c calling) Read([]byte) (int, error) { c.f(); return 0, io.EOF }

var blobOpenCases = []blobCase{
	{"returns n bytes from off, and with n < 0 all up to the end", func(t *testing.T, s blobs) {
		data := noise(mebi)
		b := s.put(t, data)
		for _, r := range [][2]int64{
			{0, mebi},
			{0, 1},
			{mebi - 1, 1},
			{300000, 400000},
			{5, 0},
			{mebi, 0},
			{0, -1},
			{300000, -1},
			{mebi, -1},
		} {
			want := data[r[0]:]
			if r[1] >= 0 {
				want = want[:r[1]]
			}
			if got, err := s.read(t, b, r[0], r[1]); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d from %d: %d bytes, %v", r[1], r[0], len(got), err)
			}
		}
	}},
	{"a range that is not within the blob is an error", func(t *testing.T, s blobs) {
		b := s.put(t, noise(10))
		for _, r := range [][2]int64{{-1, 2}, {11, 0}, {11, -1}, {0, 11}, {5, 6}, {9, 1<<63 - 1}} {
			if _, err := s.read(t, b, r[0], r[1]); err == nil {
				t.Errorf("%d from %d: no error", r[1], r[0])
			}
		}
	}},
	{"bytes that do not have the blob's SHA-256, or its size, are ErrCorrupt", func(t *testing.T, s blobs) {
		b := s.put(t, noise(mebi))
		for _, wrong := range []int64{mebi - 1, mebi + 1, 0} {
			other := b
			other.Size = wrong
			_, err := s.read(t, other, 0, 0)
			expect.Is(t, fmt.Sprint("of size ", wrong), err, sandlot.ErrCorrupt)
		}
		right := b.SHA256
		b.SHA256[31] ^= 1
		if _, err := s.read(t, b, 0, 1); !errors.Is(err, sandlot.ErrCorrupt) {
			t.Errorf("got %v, want ErrCorrupt", err)
		}
		// The bytes are not to blame: with the right hash they are served, and with the wrong one still not.
		b.SHA256 = right
		s.holds(t, b, noise(mebi))
		b.SHA256[31] ^= 1
		_, err := s.read(t, b, 0, 1)
		expect.Is(t, "after a right one", err, sandlot.ErrCorrupt)
	}},
	{
		"of a blob with Checkpoints only the MiBs of a range are compared; the whole, and an empty range, with the SHA-256",
		func(t *testing.T, s blobs) {
			const step = checkpoint.Step
			data := noise(3*step + 7)
			b := s.putPointed(t, data)
			points := []byte(b.Checkpoints)
			points[40] ^= 1 // between the second MiB and the third
			b.Checkpoints, b.SHA256[31] = string(points), b.SHA256[31]^1
			for _, r := range [][2]int64{{0, 1}, {5, step - 5}} {
				got, err := s.read(t, b, r[0], r[1])
				if err != nil || !bytes.Equal(got, data[r[0]:r[0]+r[1]]) {
					t.Errorf("%d from %d: %d bytes, %v", r[1], r[0], len(got), err)
				}
			}
			for _, r := range [][2]int64{{step, 1}, {2*step - 1, 1}, {2 * step, 1}, {3 * step, 1}, {2 * step, -1}, {0, 0}, {b.Size, 0}} {
				if got, err := s.read(t, b, r[0], r[1]); !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 {
					t.Errorf("%d from %d: %d bytes, %v; want ErrCorrupt", r[1], r[0], len(got), err)
				}
			}
			// Here the first MiB is right, and may have been yielded.
			for _, r := range [][2]int64{{0, step + 1}, {step - 1, 2}, {1, -1}, {0, -1}} {
				got, err := s.read(t, b, r[0], r[1])
				if !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 && !bytes.Equal(got, data[r[0]:step]) {
					t.Errorf("%d from %d: %d bytes, %v; want ErrCorrupt, and nothing or the MiB before", r[1], r[0], len(got), err)
				}
			}
		},
	},
	{"Checkpoints that are not those of the bytes that are compared are ErrCorrupt", func(t *testing.T, s blobs) {
		for _, cut := range []int{1, 32, 63} {
			b := s.putPointed(t, noise(3*checkpoint.Step))
			b.Checkpoints = b.Checkpoints[:cut]
			for _, n := range []int64{1, -1} {
				if got, err := s.read(t, b, 0, n); !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 {
					t.Errorf("%d bytes of them, %d to be read: %d bytes, %v", cut, n, len(got), err)
				}
			}
		}
	}},
	{"a missing blob is ErrNotFound", func(t *testing.T, s blobs) {
		b := s.put(t, noise(10))
		s.holds(t, b, noise(10)) // so that it is one that was verified
		expect.OK(t, s.Delete(t.Context(), b.Ref))
		if _, err := s.read(t, b, 0, -1); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	}},
	{"a name that no blob can have is ErrNotFound", func(t *testing.T, s blobs) {
		s.put(t, noise(10))
		for _, ref := range impossible {
			b := sandlot.Blob{Ref: ref, Size: 10, SHA256: sha256.Sum256(noise(10))}
			if _, err := s.read(t, b, 0, -1); !errors.Is(err, sandlot.ErrNotFound) {
				t.Errorf("%q: got %v, want ErrNotFound", ref, err)
			}
		}
	}},
	{"does not read on when the context has ended", func(t *testing.T, s blobs) {
		b := s.put(t, noise(mebi))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Open(ctx, b, 0, -1); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		s.holds(t, b, noise(mebi))
	}},
}

// impossible are names that a store must not look up.
var impossible = []sandlot.BlobRef{"", ".", "..", "../x", "/etc/passwd", "00/../../../etc/passwd", "a\x00b", "00/0000000000000000000000000"}

var blobDeleteCases = []blobCase{
	{"removes a blob and no other", func(t *testing.T, s blobs) {
		gone, kept := s.put(t, noise(10)), s.put(t, noise(20))
		for range 2 { // that it is gone already is not an error
			expect.OK(t, s.Delete(t.Context(), gone.Ref))
		}
		if _, err := s.read(t, gone, 0, -1); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		s.holds(t, kept, noise(20))
		if refs := s.all(t); !slices.Equal(refs, []sandlot.BlobRef{kept.Ref}) {
			t.Errorf("List: %v, want only %s", refs, kept.Ref)
		}
	}},
	{"a name that no blob can have is an error", func(t *testing.T, s blobs) {
		for _, ref := range impossible {
			if err := s.Delete(t.Context(), ref); err == nil {
				t.Errorf("%q: no error", ref)
			}
		}
	}},
}

var blobListCases = []blobCase{
	{"yields the names of all blobs that were stored before the time given", func(t *testing.T, s blobs) {
		var want []sandlot.BlobRef
		for i := range 40 {
			want = append(want, s.put(t, noise(i)).Ref)
		}
		slices.Sort(want)
		if got := s.all(t); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}},
	{"yields nothing that was stored later", func(t *testing.T, s blobs) {
		before := time.Now().Add(-time.Hour)
		s.put(t, noise(10))
		if got := refsOf(t, s.List(t.Context(), before)); len(got) > 0 {
			t.Errorf("got %v", got)
		}
	}},
	{"what it yields may be deleted at once", func(t *testing.T, s blobs) {
		for range 20 {
			s.put(t, noise(1))
		}
		for ref, err := range s.List(t.Context(), time.Now().Add(time.Hour)) {
			expect.OK(t, err)
			expect.OK(t, s.Delete(t.Context(), ref))
		}
		s.isEmpty(t)
	}},
	{"yields an error when the context has ended", func(t *testing.T, s blobs) {
		s.put(t, noise(1))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var last error
		for ref, err := range s.List(ctx, time.Now().Add(time.Hour)) {
			if err == nil {
				t.Errorf("yielded %s", ref)
			}
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", last)
		}
	}},
}

var blobTogetherCases = []blobCase{
	{"all methods may be called concurrently", func(t *testing.T, s blobs) {
		shared := s.put(t, noise(mebi))
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := s.life(t.Context(), i, shared); err != nil {
					t.Errorf("caller %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if refs := s.all(t); !slices.Equal(refs, []sandlot.BlobRef{shared.Ref}) {
			t.Errorf("left: %v, want only %s", refs, shared.Ref)
		}
	}},
}

// life calls every method, as caller i of many.
func (s blobs) life(ctx context.Context, i int, shared sandlot.Blob) error {
	data := noise(1000 * (i + 1))
	for range 3 {
		own, err := s.Put(ctx, s.Name(), bytes.NewReader(data))
		if err != nil {
			return err
		}
		own.SHA256 = sha256.Sum256(data)
		for _, b := range []sandlot.Blob{own, shared} {
			if err := s.compare(ctx, b); err != nil {
				return err
			}
		}
		if err := s.Ping(ctx); err != nil {
			return err
		}
		found := false
		for ref, err := range s.List(ctx, time.Now().Add(time.Hour)) {
			if err != nil {
				return err
			}
			found = found || ref == own.Ref
		}
		if !found {
			return fmt.Errorf("%s is not listed", own.Ref)
		}
		if err := s.Delete(ctx, own.Ref); err != nil {
			return err
		}
	}
	return nil
}

// compare reads a blob and checks its hash.
func (s blobs) compare(ctx context.Context, b sandlot.Blob) error {
	rc, err := s.Open(ctx, b, 0, -1)
	if err != nil {
		return err
	}
	defer rc.Close()
	h := sha256.New()
	if _, err := io.Copy(h, rc); err != nil {
		return err
	}
	if sandlot.Digest(h.Sum(nil)) != b.SHA256 {
		return fmt.Errorf("%s has other bytes", b.Ref)
	}
	return nil
}
