package unpack

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sandlot/internal/format/content"
)

const (
	// maxZstdWindow is the window of zstd -19, and all the unpacked bytes that memory has to hold.
	maxZstdWindow = 8 << 20
	// maxPadding is how many zeros may follow the end of a tar, which programs fill up to whole records: usually 10
	// KiB.
	maxPadding = 1 << 20
)

// ReadTar calls each once for every regular file of a tar, in the archive's order, as it streams. Folders are skipped.
// An error of each or of r is returned unchanged, and so is one of lim.Through; nothing more is read then. A fault of
// the archive is an *Error.
func ReadTar(r io.Reader, f Format, lim Limits, each Each) error {
	t := &tarball{src: &content.Source{Reader: r}, list: newList(lim), each: each}
	plain, done, err := decompress(t.src, f)
	if err != nil {
		return err
	}
	defer done()
	t.inner = &content.Source{Reader: plain}
	t.outer = &content.Source{Reader: t.inner}
	if lim.Through != nil {
		t.outer.Reader = lim.Through(t.inner)
	}
	t.plain = &ending{r: t.outer, most: lim.Total + int64(lim.Entries)*roomForHeaders + maxPadding}
	t.r = tar.NewReader(t.plain)
	for {
		h, err := t.r.Next()
		if err == io.EOF {
			return t.end()
		}
		if err != nil {
			return t.explain("", err)
		}
		if err := t.entry(h); err != nil {
			return err
		}
	}
}

// decompress opens the compressed stream around the tar.
func decompress(src io.Reader, f Format) (r io.Reader, done func(), err error) {
	switch f {
	case Tar:
		return src, func() {}, nil
	case TarGzip:
		return &gunzip{src: src}, func() {}, nil
	case TarZstd:
		z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return nil, nil, bad("", Unsupported, "archives of the format %q are not read", f)
}

// A gunzip opens its stream at the first read, so that its errors are explained like any other.
type gunzip struct {
	src io.Reader
	z   *gzip.Reader
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.z == nil {
		z, err := gzip.NewReader(g.src)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // an empty stream is no gzip
		}
		if err != nil {
			return 0, err
		}
		g.z = z
	}
	return g.z.Read(p)
}

// roomForHeaders is how much the headers of an entry, its extensions and its padding may take on average. Otherwise
// headers that belong to no entry would cost as much as the packed bytes can become.
const roomForHeaders = 4 << 10

// An ending records whether its reader was read past its end, and yields no more than most.
type ending struct {
	r       io.Reader
	n, most int64
	ended   bool
}

func (e *ending) Read(p []byte) (int, error) {
	if e.n >= e.most {
		return 0, errMost
	}
	n, err := e.r.Read(p)
	e.n += int64(n)
	if err == io.EOF && n > 0 {
		return n, nil
	}
	e.ended = e.ended || err == io.EOF
	return n, err
}

// A tarball is the state of reading one tar.
type tarball struct {
	src   *content.Source
	inner *content.Source // the unpacked bytes
	outer *content.Source // the same, read through Limits.Through
	plain *ending
	r     *tar.Reader
	list  *list
	each  Each
}

// entry reads one entry.
func (t *tarball) entry(h *tar.Header) error {
	if err := t.list.entry(); err != nil {
		return err
	}
	if h.Typeflag == tar.TypeXGlobalHeader {
		return globalHeader(h)
	}
	name, folder, err := readName(h.Name)
	if err != nil {
		return err
	}
	if err := tarKind(h, name); err != nil {
		if t.list.leavesOut(name) {
			return t.each(Entry{Name: name}, strings.NewReader(""))
		}
		return err
	}
	if folder || h.Typeflag == tar.TypeDir {
		if h.Size > 0 && h.Typeflag != tar.TypeDir {
			return bad(name, Mismatch, "the entry is called like a folder, but has bytes")
		}
		return nil
	}
	if err := t.list.file(name, h.Size); err != nil {
		return err
	}
	file := &tarFile{t: t, name: name, size: h.Size, most: t.list.lim.File}
	if err := t.each(Entry{Name: name, Size: h.Size}, file); err != nil {
		return err
	}
	return file.failed
}

// globalHeader refuses a header with facts about all files; git archive puts one without them in front.
func globalHeader(h *tar.Header) error {
	for _, key := range []string{"path", "linkpath", "size", "hdrcharset"} {
		if _, ok := h.PAXRecords[key]; ok {
			return bad("", Unsupported, "the archive tells one %s for all of its entries", key)
		}
	}
	return nil
}

// tarKind refuses an entry that is neither a plain file nor a folder.
func tarKind(h *tar.Header, name string) error {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return bad(name, Unsupported, "the entry is a sparse file")
		}
	}
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir, tar.TypeCont:
		return nil
	case tar.TypeSymlink, tar.TypeLink:
		return bad(name, Link, "the entry is a symbolic or hard link")
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return bad(name, Device, "the entry is a device or pipe")
	case tar.TypeGNUSparse:
		return bad(name, Unsupported, "the entry is a sparse file")
	}
	return bad(name, Unsupported, "the entry is of a kind that is not read")
}

// end checks the bytes after the last entry.
func (t *tarball) end() error {
	switch {
	case t.plain.n == 0:
		return bad("", NotArchive, "there is no archive: it has no bytes")
	case t.plain.ended:
		return bad("", Truncated, "the archive ends without the mark of its end")
	}
	buf := make([]byte, 32<<10)
	for left := maxPadding; ; {
		n, err := t.plain.Read(buf)
		if left -= n; left < 0 || len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return bad("", Stray, "something follows the end of the archive")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return t.explain("", err)
		}
	}
}

// explain converts an error of a decoder to one of this package.
func (t *tarball) explain(name string, err error) error {
	switch {
	case t.src.Err != nil:
		return t.src.Err
	case t.outer.Err != nil && t.inner.Err == nil:
		return t.outer.Err
	case errors.Is(err, errMost):
		return bad("", TotalLarge, "the archive becomes more than %d bytes", t.plain.most)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return bad(name, Unsupported,
			"the archive was packed with a window of more than %d MiB, as zstd takes one with --long or --ultra", maxZstdWindow>>20)
	case errors.Is(err, io.ErrUnexpectedEOF) && t.plain.ended && t.plain.n < 512:
		return bad("", NotArchive, "there is no tar in it")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return bad(name, Truncated, "the archive ends too early")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return bad(name, BadChecksum, "the archive is damaged: its checksum is wrong")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		if t.plain.n == 0 {
			return bad("", NotArchive, "this is no archive of the kind that was said")
		}
		return bad("", Stray, "something follows the end of the archive")
	case errors.Is(err, tar.ErrHeader) && t.plain.n <= 1024:
		return bad("", NotArchive, "there is no tar in it")
	}
	return bad(name, Damaged, "the archive is damaged")
}

// A tarFile reads one file.
type tarFile struct {
	t          *tarball
	name       string
	size, most int64
	failed     error // the fault of the archive that ended it
}

func (f *tarFile) Read(p []byte) (int, error) {
	switch {
	case f.failed != nil:
		return 0, f.failed
	case f.size > f.most:
		f.failed = bad(f.name, TooLarge, "the file is larger than %d bytes", f.most)
		return 0, f.failed
	}
	n, err := f.t.r.Read(p)
	if err != nil && err != io.EOF {
		f.failed = f.t.explain(f.name, err)
		err = f.failed
	}
	return n, err
}

// errMost ends a tar that goes beyond all limits.
var errMost = errors.New("unpack: more than the limits allow")
