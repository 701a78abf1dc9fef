package transfer

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"sandlot"
)

// entryName returns the path of a file in the archive. Project ids and filenames are such that it unpacks on every
// system.
func entryName(p sandlot.Project, f sandlot.File) string { return string(p.ID) + "/" + f.Name }

// Files are opened a handful ahead: looking up small content takes longer than writing it. Content in the database is
// read when it is opened, so three handfuls of it are in memory at most.
const handfulFiles, handfulBytes = 16, 64 << 10

// opened is a file at the beginning of the bytes for its entry: the deflate stream of its gzip variant, or its own
// bytes.
type opened struct {
	file     sandlot.File
	variant  sandlot.Variant
	deflated bool
	from     io.ReadCloser
	err      error // then there is nothing to close
}

// openAhead calls write with each file, in their order, and opens the next ones meanwhile. The first error of write, or
// the end of ctx, ends it. write closes each file.
func openAhead(ctx context.Context, files []sandlot.File, src Source, write func(opened) error) error {
	opening, stop := context.WithCancel(ctx)
	defer stop()
	next := make(chan []opened, 1)
	go func() {
		defer close(next)
		for len(files) > 0 && opening.Err() == nil {
			handful := openSome(opening, files, src)
			files = files[len(handful):]
			next <- handful
		}
	}()
	var err error
	for handful := range next {
		for _, o := range handful {
			if err == nil {
				err = write(o)
			} else if o.err == nil {
				o.from.Close()
			}
		}
		if err != nil {
			stop()
		}
	}
	return cmp.Or(err, ctx.Err())
}

// openSome opens the first files, at least one.
func openSome(ctx context.Context, files []sandlot.File, src Source) (handful []opened) {
	bytes := int64(0)
	for _, f := range files[:min(len(files), handfulFiles)] {
		o := openOne(ctx, f, src)
		handful = append(handful, o)
		if bytes += cmp.Or(o.variant.Blob.Size, f.Blob.Size); bytes >= handfulBytes {
			break
		}
	}
	return handful
}

func openOne(ctx context.Context, f sandlot.File, src Source) (o opened) {
	o.file = f
	if o.from, o.variant, o.err = deflated(ctx, f, src); o.err != nil {
		return o
	}
	if o.deflated = o.from != nil; !o.deflated {
		o.from, o.err = src.Open(ctx, f.Blob, 0, -1)
	}
	return o
}

// writeOpened writes the entry of a file and closes the file.
func writeOpened(z *zip.Writer, path string, at time.Time, o opened) error {
	if o.err != nil {
		return o.err
	}
	defer o.from.Close()
	h := &zip.FileHeader{Name: path, Method: zip.Deflate, Flags: utf8Name, Modified: at.UTC()}
	h.SetMode(0o644)
	if o.deflated {
		return copyDeflated(z, h, o.file, o.variant, o.from)
	}
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	return copyWhole(w, o.from, o.file.Blob.Size)
}

// packed is the encoding of the copied variants.
const packed = "gzip"

// A gzip member as the service makes it has a header of 10 bytes and a trailer of 8 around the deflate stream (RFC 1952,
// section 2.3).
const gzipHeader, gzipTrailer = 10, 8

// deflated opens the file's gzip variant and returns it at the beginning of the deflate stream; nil if there is no
// usable one. Every fault of it that can be found is found here, while the entry can still be written from the plain
// bytes.
func deflated(ctx context.Context, f sandlot.File, src Source) (io.ReadCloser, sandlot.Variant, error) {
	for _, v := range f.Variants {
		if v.Encoding != packed || v.Blob.Size <= gzipHeader+gzipTrailer {
			continue
		}
		r, err := src.Open(ctx, v.Blob, 0, -1)
		if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
			return nil, v, nil
		}
		if err != nil {
			return nil, v, err
		}
		if err := skipHeader(r); err != nil {
			r.Close()
			return nil, v, nil
		}
		return r, v, nil
	}
	return nil, sandlot.Variant{}, nil
}

// skipHeader reads a gzip header without the optional fields, which would make it longer.
func skipHeader(r io.Reader) error {
	var h [gzipHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return err
	}
	if [4]byte(h[:4]) != [4]byte{0x1f, 0x8b, 8, 0} {
		return fmt.Errorf("a gzip header that begins %x", h[:4])
	}
	return nil
}

func copyDeflated(z *zip.Writer, h *zip.FileHeader, f sandlot.File, v sandlot.Variant, stream io.Reader) error {
	h.CRC32 = v.CRC32
	h.UncompressedSize64 = uint64(f.Blob.Size)
	h.CompressedSize64 = uint64(v.Blob.Size - gzipHeader - gzipTrailer)
	complete(h)
	w, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	size := int64(h.CompressedSize64)
	return copyWhole(w, io.LimitReader(stream, size), size)
}

// copyWhole copies size bytes. An entry that has already announced its size must not end early.
func copyWhole(w io.Writer, r io.Reader, size int64) error {
	n, err := io.Copy(w, r)
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes instead of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	return err
}

// Of the ZIP format (APPNOTE.TXT): the flag of a name in UTF-8 (4.4.4), version
// 2.0, which deflate needs (4.4.3), and the number of the extra field with a
// Unix time, which Info-ZIP defines.
const (
	utf8Name   = 0x800
	zipVersion = 20
	unixTime   = 0x5455
)

// complete sets the fields that CreateHeader would set and CreateRaw does not, so that all entries look alike.
func complete(h *zip.FileHeader) {
	at := h.Modified
	h.CreatorVersion |= zipVersion
	h.ReaderVersion = zipVersion
	//lint:ignore SA1019 CreateRaw writes the fields of MS-DOS as they are, and this sets them.
	h.SetModTime(at)
	h.Extra = extendedTime(at)
}

// extendedTime returns the time in seconds since 1970, with the mark that it is the only one.
func extendedTime(at time.Time) []byte {
	b := binary.LittleEndian.AppendUint16(nil, unixTime)
	b = binary.LittleEndian.AppendUint16(b, 5)
	b = append(b, 1)
	return binary.LittleEndian.AppendUint32(b, uint32(at.Unix()))
}
