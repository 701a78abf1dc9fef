package cli

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// packFormat is the archive that folders are sent as: it needs no index at its end, so it is read as it comes.
const packFormat = "tar.zst"

// packWindow is how far back the compression looks, in bytes: both sides keep so much in memory.
const packWindow = 4 << 20

// packed is the archive of a tree's files, made while it is read. The same files are the same bytes. A file that has changed since
// it was listed is an error.
func (t *tree) packed() io.ReadCloser {
	r, w := io.Pipe()
	go func() { w.CloseWithError(t.pack(w)) }()
	return r
}

func (t *tree) pack(w io.Writer) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow))
	if err != nil {
		return err
	}
	archive := tar.NewWriter(z)
	for _, f := range t.files {
		if err := t.packFile(archive, f); err != nil {
			return errors.Join(err, z.Close())
		}
	}
	return errors.Join(archive.Close(), z.Close())
}

func (t *tree) packFile(archive *tar.Writer, f localFile) error {
	file, err := t.root.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := archive.WriteHeader(&tar.Header{Name: f.name, Size: f.size, Mode: 0o644, ModTime: time.Unix(0, 0)}); err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(archive, io.TeeReader(io.LimitReader(file, f.size), h))
	if err != nil || hex.EncodeToString(h.Sum(nil)) != f.sha256 {
		return errors.Join(err, fmt.Errorf("%w: %s", errChanging, clean(f.path)))
	}
	return nil
}

// errChanging means that somebody writes what is being sent.
var errChanging = errors.New("it changed while it was sent, so nothing was; give the command again when it is done")
