package unpack

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// The signatures of the records of a ZIP, and their lengths without names, extra fields and comments.
const (
	localMark, localLength           = 0x04034b50, 30
	centralMark, centralLength       = 0x02014b50, 46
	endMark, endLength               = 0x06054b50, 22
	locator64Mark, locator64Length   = 0x07064b50, 20
	end64Mark, end64Length           = 0x06064b50, 56
	descriptorMark, descriptorLength = 0x08074b50, 12
)

// A zipEnd holds the facts about the directory at the end of a ZIP.
type zipEnd struct {
	entries  uint64
	at, size int64
}

var (
	u16 = binary.LittleEndian.Uint16
	u32 = binary.LittleEndian.Uint32
	u64 = binary.LittleEndian.Uint64
)

// findEnd reads the end of the archive, which must be its last bytes.
func (z *ZIPFile) findEnd() (zipEnd, error) {
	tail := make([]byte, min(z.size, endLength+math.MaxUint16))
	if _, err := z.r.ReadAt(tail, z.size-int64(len(tail))); err != nil && err != io.EOF {
		return zipEnd{}, err
	}
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	switch {
	case i < 0 && !z.begins():
		return zipEnd{}, bad("", NotArchive, "this is no ZIP archive")
	case i < 0 || len(tail)-i < endLength:
		return zipEnd{}, bad("", Truncated, "the archive ends before its directory")
	}
	rec := tail[i:]
	switch comment := int(u16(rec[20:])); {
	case endLength+comment > len(rec):
		return zipEnd{}, bad("", Truncated, "the archive ends inside its comment")
	case endLength+comment < len(rec):
		return zipEnd{}, bad("", Stray, "something follows the end of the archive")
	case u16(rec[4:]) == math.MaxUint16 && u16(rec[6:]) == math.MaxUint16: // given by the record of 64 bits
	case u16(rec[4:]) != 0 || u16(rec[6:]) != 0 || u16(rec[8:]) != u16(rec[10:]):
		return zipEnd{}, bad("", Unsupported, "the archive lies in several pieces")
	}
	end := zipEnd{uint64(u16(rec[10:])), int64(u32(rec[16:])), int64(u32(rec[12:]))}
	end, upTo, err := z.end64(end, z.size-int64(len(rec)))
	if err != nil {
		return zipEnd{}, err
	}
	return end, z.checkEnd(end, upTo)
}

// begins reports whether the archive begins with an entry.
func (z *ZIPFile) begins() bool {
	mark := make([]byte, 4)
	return z.readAt(mark, 0) && u32(mark) == localMark
}

// checkEnd checks that the directory lies right before its end.
func (z *ZIPFile) checkEnd(end zipEnd, upTo int64) error {
	switch {
	case end.size < 0 || end.at < 0 || end.at > upTo || end.size > upTo-end.at:
		return bad("", Truncated, "the directory of the archive lies outside of it, so something is missing")
	case end.at+end.size < upTo:
		return bad("", Stray, "something stands before the archive, or behind its directory")
	case end.entries > uint64(z.list.lim.Entries):
		return bad("", TooMany, "the archive has more than %d entries", z.list.lim.Entries)
	}
	return nil
}

// end64 reads the record that large archives have before their end, if there is one.
func (z *ZIPFile) end64(end zipEnd, upTo int64) (zipEnd, int64, error) {
	loc := make([]byte, locator64Length)
	if upTo < locator64Length || !z.readAt(loc, upTo-locator64Length) || u32(loc) != locator64Mark {
		if end.entries == math.MaxUint16 || end.size == math.MaxUint32 || end.at == math.MaxUint32 {
			return zipEnd{}, 0, bad("", Damaged, "the record for large archives is missing")
		}
		return end, upTo, nil
	}
	at := int64(u64(loc[8:]))
	rec := make([]byte, end64Length)
	outside := u32(loc[4:]) != 0 || u32(loc[16:]) > 1 || at < 0 || at > upTo-locator64Length-end64Length
	if outside || !z.readAt(rec, at) || u32(rec) != end64Mark {
		return zipEnd{}, 0, bad("", Damaged, "the record for large archives is not where it should be")
	}
	pieces := u32(rec[16:]) != 0 || u32(rec[20:]) != 0 || u64(rec[24:]) != u64(rec[32:])
	if u64(rec[4:]) != uint64(upTo-locator64Length-at-12) || pieces {
		return zipEnd{}, 0, bad("", Damaged, "the record for large archives makes no sense")
	}
	big := zipEnd{u64(rec[32:]), int64(u64(rec[48:])), int64(u64(rec[40:]))}
	if end.entries != math.MaxUint16 && end.entries != big.entries ||
		end.size != math.MaxUint32 && end.size != big.size || end.at != math.MaxUint32 && end.at != big.at {
		return zipEnd{}, 0, bad("", Mismatch, "the archive says two things of its directory")
	}
	return big, at, nil
}

// readAt fills p, or reports that it cannot.
func (z *ZIPFile) readAt(p []byte, at int64) bool {
	n, _ := z.r.ReadAt(p, at)
	return n == len(p)
}
