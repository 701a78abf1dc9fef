package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

var errBroken = errors.New("broken")

// on fails one step of the store: before it happens, or after.
func on(step string, before, after error) func(string) (error, error) {
	return func(s string) (error, error) {
		if s == step {
			return before, after
		}
		return nil, nil
	}
}

func TestStage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, size := range []int{0, 1, inlineMax - 1, inlineMax, inlineMax + 1, 64 << 10, 300_000} {
		t.Run(fmt.Sprint(size, " bytes come back as they were"), func(t *testing.T) {
			text := strings.Repeat("sandlot ", size/8+1)[:size]
			for _, r := range []io.Reader{strings.NewReader(text), iotest.DataErrReader(strings.NewReader(text))} {
				c, err := w.Stage(t.Context(), r)
				if err != nil || (c.Ref != "") != (size > inlineMax) || c.Size != int64(size) {
					t.Fatalf("%+v, %v", c.Blob.Size, err)
				}
				if got := w.bytes(c.Blob); got != text {
					t.Errorf("read %d bytes", len(got))
				}
				w.Discard(t.Context(), c)
			}
		})
		t.Run(fmt.Sprint("a reader that fails after ", size, " bytes leaves nothing"), func(t *testing.T) {
			for _, cause := range []error{errBroken, io.ErrUnexpectedEOF, fmt.Errorf("read body: %w", io.EOF)} {
				w.unchanged(t, func() {
					r := io.MultiReader(strings.NewReader(strings.Repeat("x", size)), iotest.ErrReader(cause))
					if _, err := w.Stage(t.Context(), r); !errors.Is(err, cause) {
						t.Errorf("%v: got %v", cause, err)
					}
				})
			}
		})
	}
	t.Run("a range is what was asked for", func(t *testing.T) {
		for _, text := range []string{page, large} {
			c := w.stage(text)
			for _, at := range []struct{ off, n int64 }{{0, -1}, {0, 5}, {5, 5}, {int64(len(text)) - 1, -1}, {int64(len(text)), -1}, {3, 0}} {
				r, err := w.Open(t.Context(), c.Blob, at.off, at.n)
				expect.OK(t, err)
				got, err := io.ReadAll(r)
				want := text[at.off:]
				if at.n >= 0 {
					want = want[:at.n]
				}
				if err != nil || string(got) != want {
					t.Errorf("%d from %d: %q, %v", at.n, at.off, got, err)
				}
				r.Close()
			}
			w.Discard(t.Context(), c)
		}
	})
	t.Run("bytes that are not those of the hash are never given out", func(t *testing.T) {
		for _, text := range []string{page, large} {
			c := w.stage(text)
			c.SHA256[0] ^= 1
			if _, err := w.Open(t.Context(), c.Blob, 0, -1); !errors.Is(err, sandlot.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
			w.Discard(t.Context(), c)
		}
	})
	t.Run("Receiving tells that content is on its way", func(t *testing.T) {
		if w.Receiving() {
			t.Error("before")
		}
		_, err := w.Stage(t.Context(), readerFunc(func([]byte) (int, error) {
			if !w.Receiving() {
				t.Error("not while it comes")
			}
			return 0, io.EOF
		}))
		if err != nil || w.Receiving() {
			t.Errorf("after, %v", err)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestUnpack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		packed string
		limit  int64
		ok     bool
	}{
		"small":           {string(pack(t, page)), 1 << 20, true},
		"large":           {string(pack(t, strings.Repeat(large, 50))), 1 << 20, true},
		"at the limit":    {string(pack(t, page)), int64(len(page)), true},
		"above the limit": {string(pack(t, strings.Repeat(large, 50))), 100, false},
		"no gzip":         {large, 1 << 20, false},
		"trailing bytes":  {string(pack(t, strings.Repeat(large, 50))) + "x", 1 << 20, false},
	} {
		t.Run(name, func(t *testing.T) {
			w.unchanged(t, func() {
				c, err := w.Unpack(t.Context(), w.stage(tt.packed), tt.limit, nil)
				if (err == nil) != tt.ok {
					t.Fatalf("got %v", err)
				}
				if tt.ok && !strings.HasPrefix(w.bytes(c.Blob), page[:10]) {
					t.Error("other bytes")
				}
				w.Discard(t.Context(), c)
			})
		})
	}
}

func TestFailuresOfTheBlobStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("before anything is stored: an error, and nothing is left", func(t *testing.T) {
		for _, cause := range []error{errBroken, sandlot.ErrFull, sandlot.ErrUnavailable} {
			w.blobs.BeforePut = cause
			w.unchanged(t, func() {
				if _, err := w.Stage(t.Context(), strings.NewReader(large)); !errors.Is(err, cause) {
					t.Errorf("got %v", err)
				}
			})
		}
		w.blobs.BeforePut = nil
	})
	t.Run("after it happened: an error, and the bytes are garbage that is collected", func(t *testing.T) {
		w.blobs.AfterPut = errBroken
		if _, err := w.Stage(t.Context(), strings.NewReader(large)); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		w.blobs.AfterPut = nil
		if w.onDisk() != 1 {
			t.Fatalf("%d blobs", w.onDisk())
		}
		c := operate.Collector{Records: w.db.Upkeep(), Blobs: testworld.AllBlobs(w.blobs), Now: w.clock.now}
		if n, err := c.Collect(t.Context()); err != nil || n != 1 || w.onDisk() != 0 {
			t.Errorf("%d collected, %d left, %v", n, w.onDisk(), err)
		}
	})
	t.Run("small content needs no blob", func(t *testing.T) {
		w.blobs.BeforePut = errBroken
		w.publish(nobody(), page)
		w.blobs.BeforePut = nil
	})
	t.Run("a deletion that fails is logged and fails no call", func(t *testing.T) {
		w.blobs.FailDelete = errBroken
		_, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Content: w.stage(large)})
		refused(t, err, sandlot.CodeEmailRequired)
		if !strings.Contains(w.logs.String(), "staged content not deleted") {
			t.Errorf("logged %q", w.logs)
		}
		w.blobs.FailDelete = nil
	})
	t.Run("during the assembly of an upload: the parts stay, and the last one sent again completes", func(t *testing.T) {
		by := w.account()
		w.waits(by, part{id: "x", n: 1, text: long("one"), total: 2})
		two := w.stage(page)
		for _, fail := range []func(error){func(err error) { w.blobs.BeforePut = err }, func(err error) { w.blobs.AfterPut = err }} {
			fail(sandlot.ErrFull)
			n := 2
			_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: two, Part: &publish.PartInput{UploadID: "x", N: &n}})
			refused(t, err, sandlot.CodeStorageFull)
			fail(nil)
		}
		out := w.completes(by, part{id: "x", n: 2, text: page})
		expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), long("one")+page)
	})
}

// TestFailuresOfTheStore: whatever the store says, an acknowledged call is there, and one that was not is there whole or not at all.
func TestFailuresOfTheStore(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		before, after error
		stays         bool // the content may not be deleted, for the step may have happened
	}{
		"before it happens, for certain":         {sandlot.NoEffect(sandlot.ErrFull), nil, false},
		"before it happens, and it does not say": {sandlot.ErrFull, nil, true},
		"before it happens, nobody knows":        {errBroken, nil, true},
		"after it happened":                      {nil, errBroken, true},
		"after a commit that may be on disk":     {nil, sandlot.ErrUnavailable, true},
		"after it happened, the client left":     {nil, context.Canceled, true},
		"before it happens, somebody was faster": {sandlot.NoEffect(sandlot.ErrMoved), nil, false},
	}
	for name, f := range faults {
		t.Run("CreateProject/"+name, func(t *testing.T) {
			w := newWorld(t)
			w.store.Step = on("CreateProject", f.before, f.after)
			_, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Email: address, Content: w.stage(large)})
			if err == nil {
				t.Fatal("acknowledged")
			}
			w.store.Step = nil
			n := w.kept()
			if n["projects"] != n["accounts"] || f.after != nil && n["projects"] != 1 || (n["blobs on disk"] == 1) != f.stays {
				t.Errorf("kept %v", n)
			}
			w.readable(t)
		})
		t.Run("PutFile/"+name, func(t *testing.T) {
			w := newWorld(t)
			out := w.publish(nobody(), large)
			w.store.Step = on("PutFile", f.before, f.after)
			_, _, err := w.Update(t.Context(), w.caller(out.Keys.Account), publish.UpdateInput{Filename: "index.html", Content: w.stage(long("new"))})
			if err == nil {
				t.Fatal("acknowledged")
			}
			w.store.Step = nil
			want := large
			if f.after != nil {
				want = long("new")
			}
			p, err := w.Current(t.Context(), nobody(), out.Project.ID)
			expect.OK(t, err)
			expect.Same(t, "content", w.text(p.ID, p.Version, "index.html"), want)
			if n := w.onDisk(); (n == 2) != f.stays {
				t.Errorf("%d blobs", n)
			}
		})
		t.Run("CreateProject of many files/"+name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			w.store.Step = on("CreateProject", f.before, f.after)
			_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree("index.html", large, "a.js", long("a"), "b.js", "b")})
			if err == nil {
				t.Fatal("acknowledged")
			}
			w.store.Step = nil
			n := w.kept()
			if (n["projects"] == 1) != (f.after != nil) || (n["blobs on disk"] == 2) != f.stays || !f.stays && n["blobs on disk"] != 0 {
				t.Errorf("kept %v", n)
			}
			w.readable(t)
		})
		t.Run("Rearrange/"+name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			id := w.publishMany(by, "index.html", page, "a.js", "a", "b.js", "b").Project.ID
			w.store.Step = on("Rearrange", f.before, f.after)
			if _, err := w.updateMany(by, publish.UpdateInput{Many: publish.Many{Replace: true}}, "index.html", page, "a.js", long("a"), "c.js", "c"); err == nil {
				t.Fatal("acknowledged")
			}
			w.store.Step = nil
			p, err := w.Current(t.Context(), nobody(), id)
			expect.OK(t, err)
			files, err := w.Files(t.Context(), id, p.Version)
			expect.OK(t, err)
			want := []string{"a.js", "b.js", "index.html"}
			if f.after != nil {
				want = []string{"a.js", "c.js", "index.html"}
			}
			expect.Same(t, "files", names(files), want)
			if n := w.onDisk(); (n == 1) != f.stays {
				t.Errorf("%d blobs", n)
			}
		})
		t.Run("SaveUpload/"+name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			w.waits(by, part{id: "x", n: 1, text: page, total: 3})
			w.store.Step = on("SaveUpload", f.before, f.after)
			if _, _, err := w.send(by, part{id: "x", n: 2, text: long("two")}); err == nil {
				t.Fatal("acknowledged")
			}
			w.store.Step = nil
			if n := w.onDisk(); (n == 1) != f.stays {
				t.Errorf("%d blobs", n)
			}
			if f.after == nil {
				w.waits(by, part{id: "x", n: 2, text: long("two")})
			}
			out := w.completes(by, part{id: "x", n: 3, text: "three"})
			expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), page+long("two")+"three")
		})
	}
	t.Run("the completion of an upload: the client sends the last part again and gets the answer", func(t *testing.T) {
		for _, f := range []struct{ before, after error }{{errBroken, nil}, {nil, errBroken}} {
			w := newWorld(t)
			w.waits(nobody(), part{id: longID, n: 1, text: page, total: 2, email: address})
			w.store.Step = on("CreateProject", f.before, f.after)
			if _, _, err := w.send(nobody(), part{id: longID, n: 2, text: long("two")}); !errors.Is(err, errBroken) {
				t.Fatalf("got %v", err)
			}
			w.store.Step = nil
			out := w.completes(nobody(), part{id: longID, n: 2, text: long("two")})
			w.put(w.caller(out.Keys.Account), out.Project.ID, "a", "x")
			expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), page+long("two"))
			if n := w.kept(); n["projects"] != 1 || n["accounts"] != 1 {
				t.Errorf("kept %v", n)
			}
		}
	})
	t.Run("a panic behind a commit loses nothing", func(t *testing.T) {
		w := newWorld(t)
		out := w.publish(nobody(), large)
		w.store.Step = on("PutFile", nil, testworld.ErrPanic)
		func() {
			defer func() { _ = recover() }()
			_, _, _ = w.Update(t.Context(), w.caller(out.Keys.Account), publish.UpdateInput{Filename: "b", Content: w.stage(long("b"))})
			t.Error("no panic")
		}()
		w.store.Step = nil
		expect.Same(t, "content", w.text(out.Project.ID, 2, "b"), long("b"))
		w.put(w.caller(out.Keys.Account), out.Project.ID, "c", "the lock is free again")
	})
}

// readable checks that every file of every project can be read.
func (w *world) readable(t *testing.T) {
	t.Helper()
	e, err := w.db.Publish().Projects(t.Context(), 1, 0, 10)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		t.Fatal(err)
	}
	for _, p := range e {
		expect.Same(t, "content", w.text(p.ID, p.Version, p.Primary), large)
	}
}

func TestAClientThatDisconnects(t *testing.T) {
	t.Parallel()
	t.Run("before the step: nothing of it is there", func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		c := w.stage(large)
		cancel()
		if _, _, err := w.Publish(ctx, nobody(), publish.PublishInput{Email: address, Content: c}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if n := w.kept(); n["projects"] != 0 || n["accounts"] != 0 {
			t.Errorf("kept %v", n)
		}
	})
	t.Run("while it waits for its turn on the project: nothing of it is there, its content neither", func(t *testing.T) {
		w := newWorld(t)
		out := w.publish(nobody(), page)
		by := w.caller(out.Keys.Account)
		ctx, cancel := context.WithCancel(t.Context())
		c := w.stage(large)
		waits := make(chan error, 1)
		w.store.Step = func(step string) (error, error) {
			if step == "PutFile" {
				w.store.Step = nil
				go func() {
					_, _, err := w.Update(ctx, by, publish.UpdateInput{Project: string(out.Project.ID), Filename: "b", Content: c})
					waits <- err
				}()
				cancel()
				if err := <-waits; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			}
			return nil, nil
		}
		w.put(by, out.Project.ID, "a", "x")
		expect.Equal(t, "blobs", w.onDisk(), 0)
	})
	t.Run("once an upload is being completed it does not stop", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		w.waits(by, part{id: "x", n: 1, text: long("one"), total: 2})
		ctx, cancel := context.WithCancel(t.Context())
		w.store.Step = func(step string) (error, error) {
			if step == "CreateProject" {
				cancel()
			}
			return nil, nil
		}
		two := 2
		if _, _, err := w.Publish(ctx, by, publish.PublishInput{Content: w.stage(long("two")), Part: &publish.PartInput{UploadID: "x", N: &two}}); err != nil {
			t.Error(err)
		}
		if n := w.kept(); n["projects"] != 1 {
			t.Errorf("kept %v", n)
		}
	})
}
