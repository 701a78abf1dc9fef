package unpack

import (
	"bufio"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// The supported methods of compression.
const (
	stored   = 0
	deflated = 8
)

// Flags of an entry.
const (
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3 // sizes and checksum stand after the bytes
	flagPatch      = 1 << 5
	flagStrong     = 1 << 6
	flagUTF8       = 1 << 11
	flagMasked     = 1 << 13

	// flagsRead are the flags that change how an entry is read.
	flagsRead = flagEncrypted | flagDescriptor | flagPatch | flagStrong | flagMasked
)

// Kinds of extra fields.
const (
	extraZIP64       = 0x0001
	extraUnicodePath = 0x7075
)

// readDirectory reads the directory, and checks each of its entries.
func (z *ZIPFile) readDirectory(end zipEnd) error {
	r := bufio.NewReaderSize(io.NewSectionReader(z.r, end.at, end.size), 32<<10)
	z.entries = make([]zipEntry, 0, min(int64(end.entries), end.size/centralLength))
	head := make([]byte, centralLength)
	for range end.entries {
		if _, err := io.ReadFull(r, head); err != nil {
			return bad("", Truncated, "the directory of the archive ends too early")
		}
		e, err := z.central(head, r)
		if err != nil {
			return err
		}
		z.entries = append(z.entries, e)
	}
	if _, err := r.ReadByte(); err == nil {
		return bad("", Stray, "the directory of the archive has more entries than its end says")
	}
	return nil
}

// central reads one entry of the directory, whose fixed part is head.
func (z *ZIPFile) central(head []byte, r *bufio.Reader) (zipEntry, error) {
	if u32(head) != centralMark {
		return zipEntry{}, bad("", Damaged, "the directory of the archive is damaged")
	}
	e := zipEntry{
		flags: u16(head[8:]), method: u16(head[10:]), crc: u32(head[16:]),
		packed: int64(u32(head[20:])), size: int64(u32(head[24:])), at: int64(u32(head[42:])),
	}
	rest := make([]byte, int(u16(head[28:]))+int(u16(head[30:])))
	if _, err := io.ReadFull(r, rest); err != nil {
		return e, bad("", Truncated, "the directory of the archive ends too early")
	}
	if _, err := r.Discard(int(u16(head[32:]))); err != nil {
		return e, bad("", Truncated, "the directory of the archive ends too early")
	}
	name, extra := rest[:u16(head[28:])], rest[u16(head[28:]):]
	if err := z.list.entry(); err != nil {
		return e, err
	}
	if err := e.named(name, extra); err != nil {
		return e, err
	}
	if err := z.list.keep(len(e.raw)); err != nil {
		return e, err
	}
	if err := e.large(extra, u16(head[34:])); err != nil {
		return e, err
	}
	if err := e.check(u16(head[4:])>>8, u32(head[38:]), z.list.leavesOut(e.name)); err != nil || e.folder {
		return e, err
	}
	return e, z.list.file(e.name, e.size)
}

// named reads the name. Info-ZIP writes it in UTF-8 beside a conversion to its old alphabet, or ASCII. Valid UTF-8 is
// accepted as it is, for many programs write it without its flag. Any other name is in the original alphabet of the
// format, as far as anybody can know.
func (e *zipEntry) named(raw, extra []byte) (err error) {
	name := string(raw)
	if field, ok := findExtra(extra, extraUnicodePath); ok && len(field) > 5 && field[0] == 1 && u32(field[1:]) == crc32.ChecksumIEEE(raw) {
		other := string(field[5:])
		if name != other && (e.flags&flagUTF8 != 0 || utf8.ValidString(name) && !ascii(name)) {
			return bad(strings.ToValidUTF8(name, "\ufffd"), BadName, "the entry has two names")
		}
		name = other
	}
	if e.flags&flagUTF8 == 0 && !utf8.ValidString(name) {
		e.guessed = true
		if name, err = charmap.CodePage437.NewDecoder().String(name); err != nil {
			return err
		}
	}
	e.raw = string(raw)
	if e.name, e.folder, err = readName(name); err == nil && e.raw == e.name {
		e.raw = e.name // both share one string
	}
	return err
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// large reads the sizes of 64 bits, which are in an extra field if they do not fit.
func (e *zipEntry) large(extra []byte, disk uint16) error {
	field, _ := findExtra(extra, extraZIP64)
	for _, v := range []*int64{&e.size, &e.packed, &e.at} {
		if *v != math.MaxUint32 {
			continue
		}
		if len(field) < 8 {
			return bad(e.name, Damaged, "the sizes of the entry are missing")
		}
		*v, field = int64(u64(field)), field[8:]
		if *v < 0 {
			return bad(e.name, BadSize, "the sizes of the entry make no sense")
		}
	}
	if disk != 0 && (disk != math.MaxUint16 || len(field) < 4 || u32(field) != 0) {
		return bad(e.name, Unsupported, "the archive lies in several pieces")
	}
	return nil
}

// findExtra finds an extra field.
func findExtra(extra []byte, kind uint16) (field []byte, ok bool) {
	for len(extra) >= 4 {
		n := int(u16(extra[2:]))
		if n > len(extra)-4 {
			return nil, false
		}
		if u16(extra) == kind {
			return extra[4 : 4+n], true
		}
		extra = extra[4+n:]
	}
	return nil, false
}

// check refuses an entry that is neither a plain file nor a folder, unless it is left out, and one that cannot be
// unpacked.
func (e *zipEntry) check(system uint16, attributes uint32, leftOut bool) error {
	unix := system == 3 || system == 19                                          // and macOS; elsewhere the kind means nothing
	dos := (system == 0 || system == 11 || system == 14) && attributes&0x10 != 0 // a folder of MS-DOS and Windows
	switch kind := attributes >> 16 & 0o170000; {
	case kind == 0o120000 && !leftOut:
		return bad(e.name, Link, "the entry is a symbolic link")
	case kind == 0o040000 && !unix && !dos && !e.folder:
		return bad(e.name, Mismatch, "the entry is a folder to some programs and a file to others")
	case kind == 0o040000 || dos:
		e.folder = true
	case kind != 0 && kind != 0o100000 && unix && !leftOut:
		return bad(e.name, Device, "the entry is a device, pipe or socket")
	}
	switch {
	case e.flags&(flagEncrypted|flagStrong|flagMasked) != 0:
		return bad(e.name, Encrypted, "the entry is encrypted")
	case e.flags&flagPatch != 0 || e.method != stored && e.method != deflated:
		return bad(e.name, Unsupported, "the entry is packed by the method %d; only stored and deflated entries are read", e.method)
	case e.folder && e.size != 0:
		return bad(e.name, Mismatch, "the entry is a folder, but has bytes")
	case e.method == stored && e.packed != e.size:
		return bad(e.name, BadSize, "the entry says two sizes, though it is not compressed")
	}
	return nil
}

// compare compares an entry's own header, and the descriptor after its bytes, with the directory, and returns where the
// bytes begin.
func (z *ZIPFile) compare(e *zipEntry) (int64, error) {
	head := make([]byte, localLength+len(e.raw))
	if !z.readAt(head, e.at) || u32(head) != localMark {
		return 0, bad(e.name, Mismatch, "the entry is not where the directory says")
	}
	flags, name := u16(head[6:]), string(head[localLength:])
	if flags&flagsRead != e.flags&flagsRead || u16(head[8:]) != e.method || int(u16(head[26:])) != len(e.raw) || name != e.raw {
		return 0, bad(e.name, Mismatch, "the entry says something else of itself than the directory")
	}
	extra := make([]byte, u16(head[28:]))
	at := e.at + int64(len(head)+len(extra))
	if at+e.packed > e.upTo {
		return 0, bad(e.name, Overlap, "the entry shares bytes with another, or with the directory")
	}
	if !z.readAt(extra, at-int64(len(extra))) {
		return 0, bad(e.name, Truncated, "the entry ends too early")
	}
	own := zipEntry{name: e.name, size: int64(u32(head[22:])), packed: int64(u32(head[18:]))}
	if err := own.large(extra, 0); err != nil {
		return 0, err
	}
	later := flags&flagDescriptor != 0
	same := func(said, is int64) bool { return said == is || later && said == 0 }
	if !same(own.size, e.size) || !same(own.packed, e.packed) || !same(int64(u32(head[14:])), int64(e.crc)) {
		return 0, bad(e.name, Mismatch, "the entry says other sizes or another checksum than the directory")
	}
	return at, z.behind(e, at+e.packed)
}

// behind checks the gap between the bytes of an entry, which end at at, and the next entry: it holds nothing, or the
// descriptor.
func (z *ZIPFile) behind(e *zipEntry, at int64) error {
	n := e.upTo - at
	if n == 0 {
		return nil // also with the flag for a descriptor, which some programs leave out of folders
	}
	if e.flags&flagDescriptor == 0 || n > descriptorLength+4+8 {
		return bad(e.name, Stray, "something stands behind the entry that belongs to none")
	}
	d := make([]byte, n)
	if !z.readAt(d, at) {
		return bad(e.name, Truncated, "the entry ends too early")
	}
	if n == descriptorLength+4 || n == descriptorLength+4+8 {
		if u32(d) != descriptorMark {
			return bad(e.name, Mismatch, "what stands behind the entry is not its checksum and sizes")
		}
		d = d[4:]
	}
	said := false
	switch len(d) {
	case descriptorLength:
		said = int64(u32(d[4:])) == e.packed && int64(u32(d[8:])) == e.size
	case descriptorLength + 8:
		said = u64(d[4:]) == uint64(e.packed) && u64(d[12:]) == uint64(e.size)
	}
	if !said || u32(d) != e.crc {
		return bad(e.name, Mismatch, "the entry says other sizes or another checksum behind its bytes than the directory")
	}
	return nil
}
