package publish_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/testkit/expect"
)

// noise is n bytes that no compression makes fewer.
func noise(n int) string {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(data)
	return string(data)
}

func checkpointsOf(text string) string {
	h := checkpoint.New()
	io.WriteString(h, text)
	return h.Points()
}

// file returns a file of a project's version.
func (w *world) file(id sandlot.ProjectID, version int, name string) sandlot.File {
	w.t.Helper()
	files, err := w.Files(w.t.Context(), id, version)
	expect.OK(w.t, err)
	for _, f := range files {
		if f.Name == name {
			return f
		}
	}
	w.t.Fatalf("no %s", name)
	return sandlot.File{}
}

// checkpoints are those that are recorded with a blob.
func (w *world) checkpoints(b sandlot.Blob) string {
	w.t.Helper()
	points, err := w.db.Publish().Checkpoints(w.t.Context(), b.ID)
	expect.OK(w.t, err)
	return points
}

func TestFilesOfMoreThanOneMiBAreRecordedWithTheirCheckpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	id := w.publish(by, page).Project.ID
	for version, text := range []string{noise(checkpoint.Step), noise(checkpoint.Step + 1), noise(3 << 20)} {
		w.put(by, id, "a.bin", text)
		b := w.file(id, version+2, "a.bin").Blob
		expect.Same(t, "the checkpoints", w.checkpoints(b), checkpointsOf(text))
		expect.Same(t, "what comes with a list", b.Checkpoints, "")
	}
	expect.Same(t, "rows", w.in.Query("SELECT count(*) FROM checkpoints"), []string{"2"})

	text := noise(2<<20 + 3)
	half := len(text) / 2
	_, _, err := w.send(by, part{id: "checkpoints", n: 1, text: text[:half], total: 2})
	expect.OK(t, err)
	out, pending, err := w.send(by, part{id: "checkpoints", n: 2, text: text[half:], total: 2})
	if err != nil || pending != nil {
		t.Fatal(pending, err)
	}
	expect.Same(t, "assembled from parts", w.checkpoints(w.file(out.Project.ID, 1, out.Project.Primary).Blob), checkpointsOf(text))

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, text)
	z.Close()
	c, err := w.Unpack(t.Context(), w.stage(packed.String()), 4<<20, nil)
	if err != nil || c.Checkpoints != checkpointsOf(text) {
		t.Errorf("unpacked: %d bytes of checkpoints, %v", len(c.Checkpoints), err)
	}
}

// ranges are the errors of reading the first byte of each MiB of a blob, which are otherwise as they were published.
func (w *world) ranges(b sandlot.Blob, text string) (errs []error) {
	w.t.Helper()
	for off := 0; off < len(text); off += checkpoint.Step {
		r, err := w.Open(w.t.Context(), b, int64(off), 1)
		if err == nil {
			var got []byte
			got, err = io.ReadAll(r)
			expect.Same(w.t, "read", string(got), text[off:off+1])
			r.Close()
		}
		errs = append(errs, err)
	}
	return errs
}

func TestARangeIsCheckedByTheRecordedCheckpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	id := w.publish(by, page).Project.ID
	text := noise(3 << 20)
	w.put(by, id, "a.bin", text)
	b := w.file(id, 2, "a.bin").Blob
	w.damage(b, checkpoint.Step+5)
	if errs := w.ranges(b, text); errs[0] != nil || !errors.Is(errs[1], sandlot.ErrCorrupt) || errs[2] != nil {
		t.Errorf("errors of the three MiB, of which the second is damaged: %v", errs)
	}
	_, err := w.Open(t.Context(), b, 0, -1)
	expect.Is(t, "the whole", err, sandlot.ErrCorrupt)
}

// damage flips a bit of a blob's file.
func (w *world) damage(b sandlot.Blob, at int64) {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, "blobs", "*", string(b.Ref)))
	if err != nil || len(found) != 1 {
		w.t.Fatal(found, err)
	}
	data, err := os.ReadFile(found[0])
	expect.OK(w.t, err)
	data[at] ^= 1
	expect.OK(w.t, os.WriteFile(found[0], data, 0))
}
