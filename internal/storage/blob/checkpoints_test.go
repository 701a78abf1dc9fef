package blob

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const mebi = checkpoint.Step

// putPointed stores data and describes it as the record would, with its Checkpoints.
func putPointed(tb testing.TB, d *Disk, data []byte) sandlot.Blob {
	tb.Helper()
	b := put(tb, d, data)
	h := checkpoint.New()
	h.Write(data)
	b.Checkpoints = h.Points()
	return b
}

// readRange opens a range and reads it to its end.
func readRange(t *testing.T, d *Disk, b sandlot.Blob, off, n int64) ([]byte, error) {
	t.Helper()
	rc, err := d.Open(t.Context(), b, off, n)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	return io.ReadAll(rc)
}

func TestADamagedMiBIsNotYieldedAndTheOthersAre(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	d := openAt(t, dir, Options{})
	data := noise(3*mebi + mebi/2)
	b := putPointed(t, d, data)
	bad := bytes.Clone(data)
	bad[mebi+mebi/2] ^= 1 // in the second MiB
	expect.OK(t, os.WriteFile(filepath.Join(dir, Path(b.Ref)), bad, 0o600))
	for range 2 {
		for _, r := range [][2]int64{{0, 1}, {0, mebi}, {mebi - 1, 1}, {2 * mebi, mebi}, {2 * mebi, -1}, {3 * mebi, 5}, {int64(len(data)) - 1, 1}} {
			want := data[r[0]:]
			if r[1] >= 0 {
				want = want[:r[1]]
			}
			if got, err := readRange(t, d, b, r[0], r[1]); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d from %d: %d bytes, %v", r[1], r[0], len(got), err)
			}
		}
		for _, r := range [][2]int64{{mebi, 1}, {2*mebi - 1, 1}, {0, mebi + 1}, {mebi - 1, 2}, {2*mebi - 1, 2}, {1, -1}, {0, -1}, {0, 0}, {3 * mebi, 0}} {
			if rc, err := d.Open(t.Context(), b, r[0], r[1]); !errors.Is(err, sandlot.ErrCorrupt) || rc != nil {
				t.Errorf("%d from %d: %v, %v, want ErrCorrupt", r[1], r[0], rc, err)
			}
		}
	}
}

func TestARangeReadsItsMiBsOnceAndNoOthers(t *testing.T) {
	t.Parallel()
	d, f, dir := openFaulty(t)
	b := putPointed(t, d, noise(12*mebi-10))
	read := func(what string, off, n, want int64) {
		t.Helper()
		f.read = 0
		rc, err := d.Open(t.Context(), b, off, n)
		expect.OK(t, err, what)
		rc.Close()
		if got := int64(f.read); got != want {
			t.Errorf("%s: %d bytes read, want %d", what, got, want)
		}
	}
	read("the last MiB", 11*mebi, -1, mebi-10)
	read("a part of it", 11*mebi+5, 1, 0)
	read("a range that lies in two others", 5*mebi-1, 2, 2*mebi)
	read("both of them", 4*mebi, 2*mebi, 0)
	read("one of them and the next", 5*mebi, mebi+1, mebi)
	for n := int64(3); n >= 0; n-- {
		read("one MiB more each time, as somebody asks who wants all read again and again", n*mebi, 6*mebi-n*mebi, mebi)
	}
	expect.OK(t, later(filepath.Join(dir, Path(b.Ref))))
	read("the last MiB, when the file has another time", 11*mebi, -1, mebi-10)
	read("the whole", 0, -1, b.Size)
	read("any range after the whole", 7*mebi, 3*mebi, 0)
	b.Checkpoints = ""
	read("any range after the whole, without checkpoints", 7*mebi, 3*mebi, 0)
}

func TestABlobWithoutCheckpointsIsReadWholeBeforeARange(t *testing.T) {
	t.Parallel()
	d, f, _ := openFaulty(t)
	b := put(t, d, noise(3*mebi))
	if _, err := readRange(t, d, b, mebi, 1); err != nil || int64(f.read) != b.Size+1 {
		t.Errorf("%d bytes read, %v", f.read, err)
	}
}

func TestWrongCheckpointsAreDamage(t *testing.T) {
	t.Parallel()
	d := openTemp(t)
	data := noise(3*mebi + 5)
	right := putPointed(t, d, data).Checkpoints
	changed := bytes.Clone(data)
	changed[mebi+5] ^= 1
	other := putPointed(t, d, changed).Checkpoints
	for what, points := range map[string]string{
		"cut": right[:64], "cut amid one": right[:90], "one too many": right + right[:32], "of another blob": other, "no bytes but a list": "x",
		"a changed bit": right[:40] + string(right[40]^1) + right[41:],
	} {
		b := put(t, d, data)
		b.Checkpoints = points
		for _, r := range [][2]int64{{mebi + 1, 5}, {0, -1}} {
			if got, err := readRange(t, d, b, r[0], r[1]); !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 {
				t.Errorf("%s, %d from %d: %d bytes, %v", what, r[1], r[0], len(got), err)
			}
		}
		b.Checkpoints = ""
		if got, err := readRange(t, d, b, 0, -1); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s, then without them: %d bytes, %v", what, len(got), err)
		}
	}
}
