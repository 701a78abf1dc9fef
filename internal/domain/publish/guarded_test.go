package publish

import (
	"errors"
	"fmt"
	"testing"

	"sandlot"
)

func TestStaging(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	try := func(s *heldBlobs, refs []sandlot.BlobRef, err error) error {
		blobs := make([]sandlot.Blob, len(refs))
		for i, r := range refs {
			s.add(r)
			blobs[i].Ref = r
		}
		return s.use(func() error {
			for _, r := range refs {
				if s.discardable(r) || !s.holds(r) {
					t.Errorf("%s may go while a step refers to it", r)
				}
			}
			return err
		}, blobs...)
	}
	for name, tt := range map[string]struct {
		err                error
		discardable, holds bool
	}{
		"a step that succeeds lets go of them":              {nil, false, false},
		"one that certainly had no effect gives them back":  {sandlot.NoEffect(sandlot.ErrMoved), true, true},
		"that it had none is found in what wraps it":        {fmt.Errorf("put: %w", sandlot.NoEffect(sandlot.ErrFull)), true, true},
		"a refusal that does not say so is no such error":   {sandlot.ErrMoved, false, true},
		"after any other error they are neither's":          {broken, false, true},
		"a store that is not there may have had its effect": {sandlot.ErrUnavailable, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHeldBlobs()
			err := try(s, []sandlot.BlobRef{"a", "b"}, tt.err)
			if !errors.Is(err, tt.err) {
				t.Errorf("got %v", err)
			}
			for _, r := range []sandlot.BlobRef{"a", "b"} {
				if s.discardable(r) != tt.discardable || s.holds(r) != tt.holds {
					t.Errorf("%s: discardable %v, held %v", r, s.discardable(r), s.holds(r))
				}
			}
		})
	}
	t.Run("a step that panics may have had its effect", func(t *testing.T) {
		s := newHeldBlobs()
		s.add("a")
		func() {
			defer func() { _ = recover() }()
			_ = s.use(func() error { panic("x") }, sandlot.Blob{Ref: "a"})
		}()
		if s.discardable("a") || !s.holds("a") {
			t.Error("it may go")
		}
	})
	t.Run("that a second step had no effect says nothing of the first; that it had settles it", func(t *testing.T) {
		s := newHeldBlobs()
		_ = try(s, []sandlot.BlobRef{"a"}, broken)
		again := func(err error) error { return s.use(func() error { return err }, sandlot.Blob{Ref: "a"}) }
		if _ = again(sandlot.NoEffect(sandlot.ErrExists)); s.discardable("a") || !s.holds("a") {
			t.Error("it may go")
		}
		if _ = again(nil); s.holds("a") || s.doubts != 0 {
			t.Error("it is held still")
		}
	})
	t.Run("blobs that were never staged are none of its business", func(t *testing.T) {
		s := newHeldBlobs()
		_ = s.use(func() error { return broken }, sandlot.Blob{Ref: "x"}, sandlot.Blob{})
		if len(s.names) != 0 {
			t.Errorf("it holds %v", s.names)
		}
	})
	t.Run("what is doubtful is bounded, and beyond the bound nothing is given up", func(t *testing.T) {
		s := newHeldBlobs()
		for i := range maxDoubtful + 1 {
			_ = try(s, []sandlot.BlobRef{sandlot.BlobRef(fmt.Sprint(i))}, broken)
		}
		if len(s.names) != maxDoubtful || !s.holds("another") || s.discardable(sandlot.BlobRef(fmt.Sprint(maxDoubtful))) {
			t.Errorf("%d names", len(s.names))
		}
	})
}
