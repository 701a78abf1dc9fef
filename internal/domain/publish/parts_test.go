package publish

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"

	"sandlot/internal/base/turns"
)

// having is an upload with parts of these numbers.
func having(total int, numbers ...int) Upload {
	u := Upload{Total: total}
	for _, n := range numbers {
		u.Received, u.Bytes = u.Received.With(n), u.Bytes+int64(10*n)
	}
	return u
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

func TestACallOfAnUploadThatIsBeingCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &uploads{vault: sandlot.NewVault(nil, nil), locks: turns.NewLocks[sandlot.Digest]()}
		one := 1
		call := func() *partCall {
			return &partCall{op: sandlot.OpPublish, in: PartInput{UploadID: "0123456789abcdefghijkl", N: &one}}
		}
		first := call()
		unlock, err := s.locks.Lock(t.Context(), s.uploadKey(first))
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
