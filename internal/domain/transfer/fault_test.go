package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

var errDisk = errors.New("the disk is gone")

// faults break the second of two projects; f is its only file and has a gzip variant.
var faults = []struct {
	what    string
	inflict func(s *shelf, f *sandlot.File)
	want    error
}{
	{"a damaged file", func(s *shelf, f *sandlot.File) { f.Variants = nil; s.broken[f.Blob.Ref] = sandlot.ErrCorrupt }, sandlot.ErrCorrupt},
	{"a file that is gone", func(s *shelf, f *sandlot.File) { f.Variants = nil; s.broken[f.Blob.Ref] = sandlot.ErrNotFound }, sandlot.ErrNotFound},
	{"a file that fails while it is read", func(s *shelf, f *sandlot.File) { f.Variants = nil; s.cut[f.Blob.Ref] = errDisk }, errDisk},
	{"a file that ends early", func(s *shelf, f *sandlot.File) { f.Variants = nil; s.cut[f.Blob.Ref] = io.EOF }, io.ErrUnexpectedEOF},
	{"a variant that cannot be read now", func(s *shelf, f *sandlot.File) { s.broken[f.Variants[1].Blob.Ref] = errDisk }, errDisk},
	{"a variant that fails while it is read", func(s *shelf, f *sandlot.File) { s.cut[f.Variants[1].Blob.Ref] = errDisk }, errDisk},
	{"a variant that ends early", func(s *shelf, f *sandlot.File) { s.cut[f.Variants[1].Blob.Ref] = io.EOF }, io.ErrUnexpectedEOF},
	{"a variant and its file both damaged", func(s *shelf, f *sandlot.File) {
		s.broken[f.Variants[1].Blob.Ref], s.broken[f.Blob.Ref] = sandlot.ErrCorrupt, sandlot.ErrCorrupt
	}, sandlot.ErrCorrupt},
	{"a project that was deleted before", func(s *shelf, _ *sandlot.File) { delete(s.files, "dusk-def456") }, sandlot.ErrNotFound},
}

func TestFault(t *testing.T) {
	for _, c := range faults {
		t.Run(c.what+" is an error, and what was written is not a whole archive", func(t *testing.T) {
			s, e := halfway(t)
			c.inflict(s, &s.files["dusk-def456"][0])
			var out bytes.Buffer
			if err := Write(context.Background(), &out, e, s); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			refuses(t, out.Bytes())
		})
	}
	t.Run("a damaged file is named, and how to mend it", func(t *testing.T) {
		for _, damage := range []error{sandlot.ErrCorrupt, sandlot.ErrNotFound} {
			s, e := halfway(t)
			f := &s.files["dusk-def456"][0]
			f.Variants, s.broken[f.Blob.Ref] = nil, damage
			err := Write(context.Background(), io.Discard, e, s)
			got := sandlot.AsError(err)
			if got == nil || got.Code != sandlot.CodeBlobCorrupt || !errors.Is(err, damage) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(got.Message, `"game.js"`) || !strings.Contains(got.Message, "dusk-def456") || got.Fix.Op != sandlot.OpUpdate {
				t.Errorf("told %q, %+v", got.Message, got.Fix)
			}
		}
	})
	t.Run("a project that is deleted after the manifest is in the archive, for its bytes stay", func(t *testing.T) {
		s, e := halfway(t)
		s.forgets = "dusk-def456"
		expect.OK(t, Write(context.Background(), io.Discard, e, s))
	})
	t.Run("a writer that fails is an error", func(t *testing.T) {
		s, e := halfway(t)
		if err := Write(context.Background(), &narrow{room: 100_000}, e, s); !errors.Is(err, errDisk) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatWasOpenedIsClosed(t *testing.T) {
	many := func() *shelf {
		s := newShelf()
		for i := range 100 {
			s.add("maze-abc123", fmt.Sprintf("%d.bin", i), make([]byte, 3_000)) // not compressed, and so as large in the archive
		}
		return s
	}
	ended, cancel := context.WithCancel(context.Background())
	for what, c := range map[string]struct {
		ctx    context.Context
		w      io.Writer
		damage func(*shelf)
		want   error
	}{
		"a whole export":             {context.Background(), io.Discard, func(*shelf) {}, nil},
		"one whose reader goes":      {context.Background(), &narrow{room: 100_000}, func(*shelf) {}, errDisk},
		"one whose context ends":     {ended, &ending{after: 70_000, cancel: cancel}, func(*shelf) {}, context.Canceled},
		"one with a file that fails": {context.Background(), io.Discard, func(s *shelf) { s.broken[s.files["maze-abc123"][50].Blob.Ref] = errDisk }, errDisk},
	} {
		s := many()
		c.damage(s)
		expect.Is(t, what, Write(c.ctx, c.w, s.export("maze-abc123"), s), c.want)
		if s.open != 0 {
			t.Errorf("%s leaves %d open", what, s.open)
		}
		if s.most > 3*handfulFiles {
			t.Errorf("%s has %d open at once", what, s.most)
		}
	}
}

// halfway is an export of which more than fits all buffers is written before its second project.
func halfway(t *testing.T) (*shelf, publish.Export) {
	s := newShelf()
	s.add("maze-abc123", "large.png", make([]byte, 1<<20))
	s.pack(t, s.add("dusk-def456", "game.js", bytes.Repeat([]byte("let x = 1;"), 30_000)))
	return s, s.export("maze-abc123", "dusk-def456")
}

// narrow takes so many bytes and then fails.
type narrow struct{ room int }

func (n *narrow) Write(p []byte) (int, error) {
	if n.room -= len(p); n.room < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// ending ends a context after so many bytes.
type ending struct {
	bytes.Buffer
	after  int
	cancel context.CancelFunc
}

func (e *ending) Write(p []byte) (int, error) {
	n, err := e.Buffer.Write(p)
	if e.Len() >= e.after {
		e.cancel()
	}
	return n, err
}

func TestContext(t *testing.T) {
	t.Run("one that has ended leaves no whole archive, however small", func(t *testing.T) {
		s := newShelf()
		s.add("maze-abc123", "index.html", []byte("small"))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var out bytes.Buffer
		if err := Write(ctx, &out, s.export("maze-abc123"), s); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		refuses(t, out.Bytes())
	})
	t.Run("one that ends midway stops a file in its middle", func(t *testing.T) {
		s, e := halfway(t)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		out := &ending{after: 200_000, cancel: cancel}
		if err := Write(ctx, out, e, s); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if out.Len() > 400_000 {
			t.Errorf("%d bytes came out after it had ended", out.Len())
		}
		refuses(t, out.Bytes())
	})
}
