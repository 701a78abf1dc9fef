package unpack

import (
	"bufio"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
)

// ReadZIP calls each once for every regular file of a ZIP of size bytes, in the order of its directory. Folders are
// skipped. The whole directory is checked before the first call, and each entry's own header as it comes. An error of
// each or of r is returned unchanged, and nothing more is read; a fault of the archive is an *Error.
func ReadZIP(r io.ReaderAt, size int64, lim Limits, each Each) error {
	z, err := OpenZIP(r, size, lim)
	if err != nil {
		return err
	}
	for i := range z.entries {
		if err := z.read(&z.entries[i], each); err != nil {
			return err
		}
	}
	return nil
}

// A sourceAt remembers the error of its reader.
type sourceAt struct {
	r   io.ReaderAt
	err error
}

func (s *sourceAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// A zipEntry is an entry of the directory.
type zipEntry struct {
	raw           string // the name's bytes, as in the archive
	name          string
	folder        bool
	guessed       bool
	flags, method uint16
	crc           uint32
	packed, size  int64
	at, upTo      int64 // the beginning of its header, and the offset where it must end
}

func (e *zipEntry) entry() Entry { return Entry{e.name, e.size, e.guessed} }

// check reads the directory, and checks it.
func (z *ZIPFile) check() error {
	end, err := z.findEnd()
	if err != nil {
		return err
	}
	if err := z.readDirectory(end); err != nil {
		return err
	}
	return z.layOut(end.at)
}

// layOut finds where each entry has to end: each byte up to the directory belongs to one.
func (z *ZIPFile) layOut(directory int64) error {
	order := make([]*zipEntry, len(z.entries))
	for i := range z.entries {
		order[i] = &z.entries[i]
	}
	slices.SortFunc(order, func(a, b *zipEntry) int { return cmp.Compare(a.at, b.at) })
	if len(order) == 0 && directory > 0 || len(order) > 0 && order[0].at > 0 {
		return bad("", Stray, "something stands before the first entry of the archive")
	}
	for i, e := range order {
		e.upTo = directory
		if i+1 < len(order) {
			e.upTo = order[i+1].at
		}
		if e.packed > e.upTo-e.at-localLength-int64(len(e.raw)) {
			return bad(e.name, Overlap, "the entry shares bytes with another, or with the directory")
		}
	}
	return nil
}

// entry reads one entry.
func (z *ZIPFile) entry(e *zipEntry, each Each) error {
	at, err := z.compare(e)
	if err != nil || e.folder {
		return err
	}
	file := &zipFile{z: z, e: e, most: z.list.lim.File, at: at}
	if err := each(e.entry(), file); err != nil {
		return err
	}
	if file.err != io.EOF {
		return file.err
	}
	return nil
}

// open returns a reader of the content of an entry at at, and remembers how much of it was read.
func (z *ZIPFile) open(e *zipEntry, at int64) io.Reader {
	section := io.NewSectionReader(z.r, at, e.packed)
	if e.method == stored {
		return section
	}
	if z.buf == nil {
		z.buf = bufio.NewReaderSize(section, 32<<10)
	} else {
		z.buf.Reset(section)
	}
	if z.deflate == nil {
		z.deflate = flate.NewReader(z.buf)
	} else {
		_ = z.deflate.(flate.Resetter).Reset(z.buf, nil) // which never fails
	}
	return z.deflate
}

// A zipFile reads one file.
type zipFile struct {
	z    *ZIPFile
	e    *zipEntry
	at   int64 // of its bytes
	most int64
	r    io.Reader
	sum  uint32
	n    int64
	err  error // its end, or the error that ended it
}

func (f *zipFile) Read(p []byte) (int, error) {
	if f.err != nil || len(p) == 0 {
		return 0, f.err
	}
	if f.r == nil {
		if f.e.size > f.most {
			f.err = bad(f.e.name, TooLarge, "the file is larger than %d bytes", f.most)
			return 0, f.err
		}
		f.r = f.z.open(f.e, f.at)
	}
	// One byte more than expected, to find out whether there is one.
	n, err := f.r.Read(p[:min(int64(len(p)), f.e.size-f.n+1)])
	if f.n += int64(n); f.n > f.e.size {
		f.err = bad(f.e.name, BadSize, "the entry has more bytes than the %d that the archive says", f.e.size)
		return 0, f.err
	}
	f.sum = crc32.Update(f.sum, crc32.IEEETable, p[:n])
	if err != nil {
		f.err = f.ended(err)
	}
	return n, f.err
}

// ended returns the error at the end of a file: io.EOF if it matches the archive.
func (f *zipFile) ended(err error) error {
	left := f.e.method != stored && f.z.unread()
	switch {
	case f.z.r.err != nil:
		return f.z.r.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return bad(f.e.name, Truncated, "the packed bytes of the entry end too early")
	case err != io.EOF:
		return bad(f.e.name, Damaged, "the packed bytes of the entry are damaged")
	case f.n < f.e.size:
		return bad(f.e.name, BadSize, "the entry has %d bytes, but the archive says %d", f.n, f.e.size)
	case left:
		return bad(f.e.name, BadSize, "more packed bytes belong to the entry than it takes")
	case f.sum != f.e.crc:
		return bad(f.e.name, BadChecksum, "the checksum of the entry is wrong")
	}
	return io.EOF
}

// unread reports whether the decoder has left input unread.
func (z *ZIPFile) unread() bool {
	_, err := z.buf.Peek(1)
	return err == nil
}
