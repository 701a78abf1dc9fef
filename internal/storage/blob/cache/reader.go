package cache

import (
	"errors"
	"fmt"
	"io"
	"os"

	"sandlot"
	"sandlot/internal/base/checkpoint"
)

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.at == r.end {
		return 0, io.EOF
	}
	w, err := r.window()
	if err != nil {
		return 0, err
	}
	n := copy(p, w)
	r.at += int64(n)
	return n, nil
}

// WriteTo implements io.WriterTo, without another buffer.
func (r *reader) WriteTo(w io.Writer) (written int64, err error) {
	for r.at < r.end {
		p, err := r.window()
		if err != nil {
			return written, err
		}
		n, err := w.Write(p)
		r.at, written = r.at+int64(n), written+int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Close implements io.Closer. It must not be called while another method runs.
func (r *reader) Close() error {
	r.drop()
	r.leave()
	r.at = r.end
	return nil
}

// window is some of the next bytes, which match.
func (r *reader) window() ([]byte, error) {
	var err error
	for range 2 { // a file that was damaged under the reader is fetched again
		if r.chunk == nil || r.at < r.from || r.at-r.from >= checkpoint.Step {
			if err := r.next(); err != nil {
				return nil, fmt.Errorf("read blob %q: %w", r.of.Ref, err)
			}
		}
		var w []byte
		if w, err = r.chunk.window(r.at - r.from); err == nil {
			return w[:min(int64(len(w)), r.end-r.at)], nil
		}
		r.blobs.files.doubt(id{r.of.Ref, r.at / checkpoint.Step})
		r.drop()
	}
	return nil, fmt.Errorf("read blob %q: %w: the file in the cache: %w", r.of.Ref, sandlot.ErrCorrupt, err)
}

// next loads the piece that the next byte lies in, and begins with the one after it.
func (r *reader) next() error {
	r.drop()
	n := r.at / checkpoint.Step
	k, err := r.blobs.load(r.ctx, pieceOf(r.of, n))
	r.leave()
	if err != nil {
		return err
	}
	r.chunk, r.from = k, n*checkpoint.Step
	if r.from+checkpoint.Step < r.end {
		r.coming = r.blobs.ahead(r.ctx, pieceOf(r.of, n+1))
	}
	return nil
}

func (r *reader) drop() {
	if r.chunk != nil {
		r.chunk.Close()
		r.chunk = nil
	}
}

// leave gives up what was begun ahead; who waits for it goes on.
func (r *reader) leave() {
	if r.coming != nil {
		r.blobs.flying.leave(r.coming)
		r.coming = nil
	}
}

// A chunk is a piece that matched: in memory, or a file with a sum of each of its blocks, so that what is sent
// is what was compared, whoever wrote into the file meanwhile.
type chunk struct {
	data  []byte
	close func()

	file  *os.File
	sums  *sums
	size  int64
	block []byte // the one that was read last
	has   int    // which that is, counted from 1
}

var errChanged = errors.New("it has changed since it was compared")

// window is what the block has that a byte lies in, from that byte on.
func (k *chunk) window(off int64) ([]byte, error) {
	if k.file == nil {
		return k.data[off:], nil
	}
	n := int(off / blockSize)
	if k.has != n+1 {
		if k.block == nil {
			k.block = make([]byte, blockSize)
		}
		k.has, k.block = 0, k.block[:min(k.size-int64(n)*blockSize, blockSize)]
		if got, err := k.file.ReadAt(k.block, int64(n)*blockSize); got < len(k.block) {
			return nil, err
		}
		if sumOf(k.block) != k.sums[n] {
			return nil, errChanged
		}
		k.has = n + 1
	}
	return k.block[off-int64(n)*blockSize:], nil
}

// Close lets go of it.
func (k *chunk) Close() {
	if k.file != nil {
		k.file.Close()
	}
	if k.close != nil {
		k.close()
	}
}
