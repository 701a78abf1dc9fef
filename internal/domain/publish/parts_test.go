package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"

	"sandlot/internal/base/turns"

	"github.com/google/go-cmp/cmp"
)

// shelf opens parts by their name, and counts what is open.
type shelf struct {
	texts map[sandlot.BlobRef]string
	fail  error
	open  int
}

func (s *shelf) Open(_ context.Context, b sandlot.Blob, _, _ int64) (io.ReadCloser, error) {
	text, ok := s.texts[b.Ref]
	if !ok {
		return nil, sandlot.ErrNotFound
	}
	s.open++
	r := io.Reader(strings.NewReader(text))
	if s.fail != nil {
		r = io.MultiReader(r, iotest.ErrReader(s.fail))
	}
	return &volume{r, s}, nil
}

type volume struct {
	io.Reader
	shelf *shelf
}

func (v *volume) Close() error { v.shelf.open--; return nil }

func TestPartsReader(t *testing.T) {
	t.Parallel()
	texts := map[sandlot.BlobRef]string{"a": "one ", "b": "", "c": "three"}
	reader := func(s *shelf, names ...sandlot.BlobRef) *partsReader {
		r := &partsReader{ctx: t.Context(), open: s.Open}
		for i, n := range names {
			r.parts = append(r.parts, Part{N: i + 1, Blob: sandlot.Blob{Ref: n}})
		}
		return r
	}
	t.Run("joins parts, empty ones too", func(t *testing.T) {
		s := &shelf{texts: texts}
		r := reader(s, "b", "a", "b", "c", "b")
		expect.OK(t, iotest.TestReader(r, []byte("one three")))
		if err := r.Close(); err != nil || s.open != 0 {
			t.Errorf("%d parts are open, %v", s.open, err)
		}
	})
	t.Run("has one part open at a time, and none once it is closed", func(t *testing.T) {
		s := &shelf{texts: texts}
		r := reader(s, "a", "c")
		if _, err := io.CopyN(io.Discard, r, 5); err != nil || s.open != 1 {
			t.Errorf("%d parts are open, %v", s.open, err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil || s.open != 0 {
			t.Errorf("%d parts are open, %v", s.open, err)
		}
	})
	t.Run("a missing part is an error", func(t *testing.T) {
		got, err := io.ReadAll(reader(&shelf{texts: texts}, "a", "x"))
		if !errors.Is(err, sandlot.ErrNotFound) || string(got) != "one " {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("a part that breaks off is an error", func(t *testing.T) {
		broken := errors.New("broken")
		if _, err := io.ReadAll(reader(&shelf{texts: texts, fail: broken}, "a", "c")); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

// having is an upload with parts of these numbers.
func having(total int, numbers ...int) Upload {
	u := Upload{Total: total}
	for _, n := range numbers {
		u.Received, u.Bytes = u.Received.With(n), u.Bytes+int64(10*n)
	}
	return u
}

func TestPendingListsWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		u       Upload
		missing []int
		done    bool
	}{
		{having(0), []int{}, false},
		{having(0, 1), []int{}, false},
		{having(0, 1, 4), []int{2, 3}, false},
		{having(5, 1, 4), []int{2, 3, 5}, false},
		{having(3), []int{1, 2, 3}, false},
		{having(3, 1, 2, 3), []int{}, true},
		{having(MaxParts, 1), count(2, 101), false},
		{having(0, 1, MaxParts), count(2, 101), false},
	} {
		p := tt.u.pending(&partCall{in: PartInput{UploadID: "id"}})
		came, last := tt.u.Received.Count(), max(tt.u.Total, tt.u.Received.Highest())
		if !slices.Equal(p.Missing, tt.missing) || p.Missing == nil || p.Received == nil || len(p.Received) != came || p.ReceivedCount != came || p.MissingCount != last-came || p.Total != tt.u.Total {
			t.Errorf("%v is pending as %+v", tt.u, p)
		}
		if tt.u.complete() != tt.done {
			t.Errorf("%v complete: %v", tt.u, tt.u.complete())
		}
	}
}

func count(from, to int) (out []int) {
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

func TestSizeOfAnUpload(t *testing.T) {
	t.Parallel()
	u, two, four := having(0, 1, 2, 3), 2, 4
	for name, tt := range map[string]struct {
		n    *int
		want int64
	}{"a new part": {&four, 65}, "a part again": {&two, 45}, "a total alone": {nil, 60}} {
		call := &partCall{in: PartInput{N: tt.n}}
		if tt.n != nil {
			call.content.Size = 5
		}
		if u.Parts = nil; tt.n == &two {
			u.Parts = []Part{{N: 2, Blob: sandlot.Blob{Size: 20}}}
		}
		expect.Equal(t, name, u.sizeWith(call), tt.want)
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	one, uno, two := int64(1), int64(1), int64(2)
	for _, tt := range []struct {
		a, b Declared
		want bool
	}{
		{Declared{}, Declared{}, true},
		{Declared{SHA256: "ab"}, Declared{SHA256: "AB"}, true},
		{Declared{SHA256: "ab"}, Declared{SHA256: "ac"}, false},
		{Declared{Size: &one}, Declared{Size: &uno}, true},
		{Declared{Size: &one}, Declared{Size: &two}, false},
		{Declared{Size: &one}, Declared{}, false},
		{Declared{SHA256: "ab"}, Declared{SHA256: "ab", Size: &one}, false},
	} {
		if tt.a.equal(tt.b) != tt.want || tt.b.equal(tt.a) != tt.want {
			t.Errorf("%+v and %+v", tt.a, tt.b)
		}
	}
}

func TestACallOfAnUploadThatIsBeingCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &uploads{vault: sandlot.NewVault(nil, nil), locks: turns.NewLocks[sandlot.Digest]()}
		one := 1
		call := func() *partCall {
			return &partCall{op: sandlot.OpPublish, in: PartInput{UploadID: "0123456789abcdefghijkl", N: &one}}
		}
		first := call()
		expect.OK(t, s.begin(first))
		unlock, err := s.locks.Lock(t.Context(), first.key)
		expect.OK(t, err)
		began := time.Now()
		_, err = s.partOf(t.Context(), call(), nil)
		if e := sandlot.AsError(err); e == nil || e.Code != sandlot.CodeRequestInProgress || e.RetryAfter <= 0 {
			t.Errorf("got %v", err)
		}
		expect.Equal(t, "waited", time.Since(began), 30*time.Second)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.partOf(gone, call(), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that goes away gets %v", err)
		}
		unlock()
	})
}

func TestUploadIDsAreKeptApart(t *testing.T) {
	t.Parallel()
	s := &uploads{vault: sandlot.NewVault([]byte("secret"), rand.Reader)}
	one := 1
	of := func(account sandlot.AccountID, network string) sandlot.Caller {
		return sandlot.Identified(sandlot.Sender{Network: network}, sandlot.Credential{Key: &sandlot.Key{Account: account}})
	}
	a, b, elsewhere := of(1, "192.0.2.1"), of(2, "192.0.2.1"), of(1, "192.0.2.9")
	here, there := sandlot.Caller{From: sandlot.Sender{Network: "192.0.2.1"}}, sandlot.Caller{From: sandlot.Sender{Network: "192.0.2.9"}}
	long := "0123456789abcdefghijklmnopqrstuvwxyz"
	crowd := sandlot.Caller{From: sandlot.Sender{Network: "10.0.0.1", Shared: true}}
	token := sandlot.Identified(sandlot.Sender{Network: "192.0.2.9"}, sandlot.Credential{Upload: &sandlot.Digest{1}})
	key := func(by sandlot.Caller, op sandlot.Op, id string) sandlot.Digest {
		c := &partCall{by: by, op: op, in: PartInput{UploadID: id, N: &one}}
		expect.OK(t, s.begin(c))
		return c.key
	}
	firstOfCrowd, secondOfCrowd := key(crowd, sandlot.OpPublish, long), key(crowd, sandlot.OpPublish, long)
	for name, same := range map[string]bool{
		"one account at two addresses":          key(a, sandlot.OpPublish, "x") == key(elsewhere, sandlot.OpPublish, "x"),
		"a token at two networks":               key(token, sandlot.OpPublish, "x") == *token.Upload(),
		"not a long id at two networks":         key(here, sandlot.OpPublish, long) != key(there, sandlot.OpPublish, long),
		"not where anybody may be":              firstOfCrowd != secondOfCrowd,
		"not two accounts":                      key(a, sandlot.OpPublish, "x") != key(b, sandlot.OpPublish, "x"),
		"not an account and nobody":             key(a, sandlot.OpPublish, long) != key(here, sandlot.OpPublish, long),
		"not a short id at two addresses":       key(here, sandlot.OpPublish, "x") != key(there, sandlot.OpPublish, "x"),
		"not a publish and an update":           key(a, sandlot.OpPublish, "x") != key(a, sandlot.OpUpdate, "x"),
		"not two ids":                           key(a, sandlot.OpPublish, "x") != key(a, sandlot.OpPublish, "y"),
		"not a short id and its address as one": key(sandlot.Caller{From: sandlot.Sender{Network: "1"}}, sandlot.OpPublish, "2") != key(sandlot.Caller{From: sandlot.Sender{Network: "12"}}, sandlot.OpPublish, "2"),
	} {
		if !same {
			t.Error(name)
		}
	}
	if diff := cmp.Diff(s.owner(here), s.owner(sandlot.Caller{From: here.From})); diff != "" || s.owner(here) == s.owner(there) || s.owner(a) == s.owner(b) {
		t.Error("owners are confused")
	}
}
