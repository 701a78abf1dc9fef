package spool_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/base/spool"
	"sandlot/internal/testkit/expect"
)

var errFull, errFailed = errors.New("full"), errors.New("failed")

func TestWhatWasWrittenIsReadWhereverItLies(t *testing.T) {
	t.Parallel()
	s, all := spool.New(t.TempDir(), errFull, errFailed), []byte(nil)
	defer s.Close()
	draw := rand.New(rand.NewPCG(1, 2))
	for s.Size() < 2*spool.Memory {
		piece := make([]byte, draw.IntN(200_000))
		for i := range piece {
			piece[i] = byte(draw.Uint32())
		}
		_, err := s.Write(piece)
		expect.OK(t, err)
		all = append(all, piece...)
	}
	expect.Same(t, "size", s.Size(), int64(len(all)))
	for range 1000 {
		off := draw.IntN(len(all))
		got := make([]byte, draw.IntN(100_000))
		n, err := s.ReadAt(got, int64(off))
		if want := all[off:min(len(all), off+len(got))]; !bytes.Equal(got[:n], want) || (n < len(got)) != (err == io.EOF) {
			t.Fatalf("at %d: %d bytes, %v", off, n, err)
		}
	}
}

func TestItsFileHasNoName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := spool.New(dir, errFull, errFailed)
	_, err := s.Write(make([]byte, spool.Memory+1))
	expect.OK(t, err)
	list, err := os.ReadDir(dir)
	expect.OK(t, err)
	if len(list) > 0 {
		t.Errorf("%v is there", list)
	}
	expect.OK(t, s.Close())
	expect.OK(t, s.Close())
}

func TestLittleNeedsNoFile(t *testing.T) {
	t.Parallel()
	s := spool.New(filepath.Join(t.TempDir(), "none"), errFull, errFailed)
	_, err := s.Write(make([]byte, spool.Memory))
	expect.OK(t, err)
	_, err = s.Write([]byte("x"))
	if !errors.Is(err, errFailed) || !errors.Is(err, os.ErrNotExist) || s.Size() != spool.Memory {
		t.Errorf("%v, with %d bytes", err, s.Size())
	}
}
