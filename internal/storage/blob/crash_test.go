package blob_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/crashfs"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// crashes is how many crashes each place is tried with: enough that unsynced data is both lost and kept there. The soak
// has more of them.
const crashes = 4

// machine is one on which a Disk runs until its power goes.
type machine struct {
	t      *testing.T
	fs     *crashfs.FS
	faulty func(blob.FS) blob.FS // between the Disk and its file system; may be nil
	disk   *blob.Disk
	acked  map[sandlot.BlobRef][]byte
	tried  map[sandlot.Digest]bool // of the bytes sent, acknowledged or not
	rnd    *rand.Rand
}

func newMachine(t *testing.T, seed uint64, faulty func(blob.FS) blob.FS) *machine {
	return &machine{
		t: t, fs: crashfs.New(time.Now), faulty: faulty, rnd: rand.New(rand.NewPCG(seed, 0)),
		acked: map[sandlot.BlobRef][]byte{}, tried: map[sandlot.Digest]bool{},
	}
}

// open starts the Disk. It fails only if the power goes.
func (m *machine) open() {
	m.t.Helper()
	var under blob.FS = m.fs
	if m.faulty != nil {
		under = m.faulty(m.fs)
	}
	var err error
	if m.disk, err = blob.OpenOn(under, blob.Options{Alone: true}); err != nil && !errors.Is(err, crashfs.ErrPower) {
		m.t.Fatal(err)
	}
}

// put stores bytes, and remembers the promise about them.
func (m *machine) put(size int) {
	data := bytes.Repeat([]byte{byte(m.rnd.Uint32()), byte(m.rnd.Uint32()), 1}, size/3+1)[:size]
	m.tried[sum(data)] = true
	if b, err := m.disk.Put(m.t.Context(), m.disk.Name(), bytes.NewReader(data)); err == nil {
		m.acked[b.Ref] = data
	}
}

// crash cuts the power, starts again, and returns a broken promise as an error.
func (m *machine) crash() error {
	m.fs = m.fs.Crash(m.rnd)
	m.open()
	for ref, data := range m.acked {
		got, err := m.read(ref, data)
		if err != nil || !bytes.Equal(got, data) {
			return fmt.Errorf("acknowledged bytes are not there: %d of %d, %w", len(got), len(data), err)
		}
	}
	for ref, err := range m.disk.List(m.t.Context(), time.Now().Add(time.Hour)) {
		if err != nil {
			return err
		}
		if got := m.raw(string(ref[:2]) + "/" + string(ref)); !m.tried[sum(got)] {
			return fmt.Errorf("there is a blob of %d bytes that is not whole", len(got))
		}
	}
	if dir := m.entries("tmp"); len(dir) > 0 {
		return fmt.Errorf("temporary files are left: %v", dir)
	}
	return nil
}

func (m *machine) read(ref sandlot.BlobRef, data []byte) ([]byte, error) {
	b := sandlot.Blob{Ref: ref, Size: int64(len(data)), SHA256: sum(data)}
	r, err := m.disk.Open(m.t.Context(), b, 0, -1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// raw reads a file past the Disk.
func (m *machine) raw(name string) []byte {
	f, err := m.fs.Open(name)
	expect.OK(m.t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	expect.OK(m.t, err)
	return data
}

func (m *machine) entries(folder string) []fs.DirEntry {
	f, err := m.fs.Open(folder)
	expect.OK(m.t, err)
	defer f.Close()
	all, err := f.ReadDir(-1)
	expect.OK(m.t, err)
	return all
}

// several is a size that takes more than one write.
const several = 300_000

// TestPowerLoss: wherever the power goes, each blob that Put acknowledged is there byte for byte, and of the others
// there is a whole blob or none.
func TestPowerLoss(t *testing.T) { losePower(t, crashes, 29) }

// TestSoakPowerLoss does the same with more crashes in each place, and in more places while the folders are made.
func TestSoakPowerLoss(t *testing.T) { losePower(t, 16, 7) }

// losePower cuts the power in each step, so many times, and while the folders are made in each step of that many.
func losePower(t *testing.T, crashes uint64, each int) {
	testenv.Unraced(t)
	for name, during := range map[string]func(m *machine){
		"during a Put": func(m *machine) { m.put(several) },
		"during Puts and a Delete": func(m *machine) {
			m.put(several)
			m.put(1)
			for ref := range m.acked {
				delete(m.acked, ref) // it may come back, whole, as garbage
				m.disk.Delete(m.t.Context(), ref)
				break
			}
			m.put(5000)
		},
		"during Ping": func(m *machine) { m.disk.Ping(m.t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for after := 0; ; after++ {
				for seed := range crashes {
					m := newMachine(t, seed, nil)
					m.open()
					m.put(several)
					m.put(10)
					m.fs.CutAfter(after)
					before := m.fs.Steps()
					during(m)
					if m.fs.Steps()-before <= after {
						return // it was over before the power went
					}
					expect.OK(t, m.crash(), "cut after", after, "steps, seed", seed)
				}
			}
		})
	}
	t.Run("while the folders are made", func(t *testing.T) {
		t.Parallel()
		for after := 0; after < 300; after += each {
			m := newMachine(t, uint64(after), nil)
			m.fs.CutAfter(after)
			m.open()
			expect.OK(t, m.crash(), "cut after", after, "steps")
			m.put(several)
			if err := m.crash(); err != nil || len(m.acked) != 1 {
				t.Fatalf("cut after %d steps, and once more after a Put of which %d are acknowledged: %v", after, len(m.acked), err)
			}
		}
	})
}

// TestPowerLossIsNoticed: each of the syncs is needed, and TestPowerLoss notices if it is missing.
func TestPowerLossIsNoticed(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(blob.FS) blob.FS{
		"the file's sync":              func(f blob.FS) blob.FS { return unsyncedFiles{f} },
		"the folder's sync":            func(f blob.FS) blob.FS { return unsyncedFolder{f, false} },
		"the sync of the first folder": func(f blob.FS) blob.FS { return unsyncedFolder{f, true} },
	} {
		t.Run("without "+name, func(t *testing.T) {
			lost := 0
			for seed := range uint64(16) {
				m := newMachine(t, seed, f)
				m.open()
				m.put(several)
				if err := m.crash(); err != nil {
					lost++
				}
			}
			if lost == 0 {
				t.Errorf("nothing was lost in 16 crashes")
			}
		})
	}
}

// unsyncedFiles leaves out the sync of every file.
type unsyncedFiles struct{ blob.FS }

func (u unsyncedFiles) Create(name string) (blob.TempFile, error) {
	f, err := u.FS.Create(name)
	return unsyncedFile{f}, err
}

type unsyncedFile struct{ blob.TempFile }

func (unsyncedFile) Sync() error { return nil }

// unsyncedFolder leaves out the sync of the root, or of all other folders.
type unsyncedFolder struct {
	blob.FS
	root bool
}

func (u unsyncedFolder) SyncDir(name string) error {
	if (name == ".") == u.root {
		return nil
	}
	return u.FS.SyncDir(name)
}

func sum(data []byte) sandlot.Digest { return sha256.Sum256(data) }
