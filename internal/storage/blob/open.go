package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"sandlot"
)

// Open returns the n bytes of a blob from off, or all from off if n is negative. The caller closes the reader.
//
// The first time this process opens a blob, it reads it whole and compares the size and the SHA-256: a difference is
// sandlot.ErrCorrupt, before a byte is yielded. For a range of a blob that comes with its Checkpoints, it reads and
// compares only the MiBs of that range. From then on the file, or those MiBs of it, are trusted while its size,
// modification time and inode stay the same; damage that changes none of them is not noticed until the process starts
// again. Callers that come at once for the same blob wait for one and the same reading; ctx ends it, or the waiting.
//
// A missing blob is sandlot.ErrNotFound. A range that is not within the blob is an error. The reader yields exactly the
// range; it fails with io.ErrUnexpectedEOF if the file was cut after it was opened. A blob deleted meanwhile is still
// read to the end. The reader is an io.WriterTo, so that io.Copy to a socket need not pass the bytes through the
// process.
func (d *Disk) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	rc, err := d.open(ctx, b, off, n)
	if err != nil {
		return nil, fmt.Errorf("open blob %q: %w", b.Ref, err)
	}
	return rc, nil
}

func (d *Disk) open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	n, err := Within(b, off, n)
	if err != nil {
		return nil, err
	}
	f, err := d.verified(ctx, b, scopeOf(b, off, n))
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(off, io.SeekStart); err != nil {
		f.Close()
		return nil, classify(err)
	}
	return &rangeReader{f: f, left: n}, nil
}

// Within returns the number of bytes that an Open of a blob yields: n, or all from off if n is negative. A range that is
// not within the blob is an error, and a name that no blob can have is sandlot.ErrNotFound.
func Within(b sandlot.Blob, off, n int64) (int64, error) {
	if n < 0 {
		n = b.Size - off
	}
	// Not off+n > b.Size, which could overflow.
	if off < 0 || n < 0 || off > b.Size || n > b.Size-off {
		return 0, fmt.Errorf("no %d bytes at %d in %d", n, off, b.Size)
	}
	if !Valid(b.Ref) {
		return 0, sandlot.ErrNotFound
	}
	return n, nil
}

// openFile opens the file of a blob and returns its proof. It detects a wrong size without reading.
func (d *Disk) openFile(b sandlot.Blob) (File, proof, error) {
	f, err := d.fs.Open(Path(b.Ref))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, proof{}, sandlot.ErrNotFound
	}
	if err != nil {
		return nil, proof{}, classify(err)
	}
	fi, err := f.Stat()
	if err == nil && (fi.Size() != b.Size || !fi.Mode().IsRegular()) {
		err = fmt.Errorf("%w: %d bytes instead of %d", sandlot.ErrCorrupt, fi.Size(), b.Size)
	}
	if err != nil {
		f.Close()
		return nil, proof{}, classify(err)
	}
	return f, proof{fi, b.SHA256}, nil
}

// rangeReader yields the next bytes of a file, no more and no fewer than left.
type rangeReader struct {
	f    File
	left int64
}

func (r *rangeReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := r.f.Read(p)
	r.left -= int64(n)
	if err == io.EOF && r.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// WriteTo passes the file itself to w: for a connection the kernel then copies it.
func (r *rangeReader) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, &io.LimitedReader{R: r.f, N: r.left})
	r.left -= n
	if err == nil && r.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (r *rangeReader) Close() error { return r.f.Close() }
