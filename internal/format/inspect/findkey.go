package inspect

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"sandlot/internal/format/names"
)

// A key is a prefix, sla_ or slp_, and a body of base62 characters; so is a ticket, which is searched with them, after
// slt_. A body holds no underscore: no two begin in one word, and the search goes from word to word.

// holdsKeyForm reports whether text holds a text in the form of a key, whatever its checksum. Its cost grows with the
// length of the text alone.
func holdsKeyForm(text string) bool { return findForm([]byte(text), 0) >= 0 }

// FindKey returns the position of the first whole key in text, or -1. It passes
// over the text once and allocates nothing, whatever the text is made of.
func FindKey(text []byte) int {
	for at := 0; ; {
		if at = findForm(text, at); at < 0 || sumFits(text[at:]) {
			return at
		}
		at = afterWord(text, at+keySize) - len("sla_") // the end of that word may be the underscore of the next key
	}
}

// findForm returns the offset of the first text in the form of a key, at from or later, or -1.
//
// It tests the place of a body from its end: the next body can begin only after the last character there that is no
// base62. So it skips text in long steps, and tests hardly any byte twice.
func findForm(p []byte, from int) int {
	const prefix = len("sla_")
	good := 0                                      // p[i:good] is base62
	for i := from + prefix; i+keyBody <= len(p); { // i: where a body may begin
		end := i + keyBody
		if bad := notBase62(load(p[end-8:])); bad != 0 {
			i = end - 8 + last(bad) + 1
			continue
		}
		if good < end-8 {
			if bad := lastNotBase62((*[keyBody - 8]byte)(p[i:])); bad >= 0 {
				i, good = i+bad+1, end
				continue
			}
		}
		if p[i-1] == '_' && p[i-4] == 's' && p[i-3] == 'l' && (p[i-2] == 'a' || p[i-2] == 'p' || p[i-2] == 't') {
			return i - prefix
		}
		i = afterWord(p, end)
	}
	return -1
}

// afterWord returns the index after the first byte from i on that is no base62 character, or an index so far that no
// body fits.
func afterWord(p []byte, i int) int {
	for ; i+8 <= len(p); i += 8 {
		if bad := notBase62(load(p[i:])); bad != 0 {
			return i + bits.TrailingZeros64(bad)/8 + 1
		}
	}
	return i
}

// lastNotBase62 returns the index of the last byte that is no base62 character, or -1.
func lastNotBase62(p *[keyBody - 8]byte) int {
	const w = 8
	c, b, a := notBase62(load(p[len(p)-w:])), notBase62(load(p[len(p)-2*w:])), notBase62(load(p[len(p)-3*w:]))
	first := notBase62(load(p[:]))
	switch {
	case a|b|c|first == 0: // first, for it is the most expensive case
		return -1
	case c != 0:
		return len(p) - w + last(c)
	case b != 0:
		return len(p) - 2*w + last(b)
	case a != 0:
		return len(p) - 3*w + last(a)
	}
	return last(first)
}

func load(p []byte) uint64 { return binary.LittleEndian.Uint64(p) }

// last returns the index of the last of eight bytes that is marked.
func last(marks uint64) int { return (bits.Len64(marks) - 1) / 8 }

// notBase62 sets the highest bit of each byte of x that is no base62 character.
func notBase62(x uint64) uint64 {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
	)
	low := x &^ high // so that no sum carries into the next byte
	lower := low | 0x20*each
	letter := (lower + (0x80-'a')*each) &^ (lower + (0x7f-'z')*each)
	digit := (low + (0x80-'0')*each) &^ (low + (0x7f-'9')*each)
	return (x | ^(letter | digit)) & high
}

// sumFits reports whether a text in the form of a key also has its checksum.
func sumFits(p []byte) bool {
	key, s := (*[keySize]byte)(p), keySums
	sum := s.account
	switch key[2] {
	case 'p':
		sum = s.project
	case 't':
		sum = s.ticket
	}
	body := (*[keyBody]byte)(key[len("sla_"):])
	for i := 0; i < 32; i += 8 {
		b, of := body[i:i+8], &s.of[i/8]
		sum ^= of[0][b[0]] ^ of[1][b[1]] ^ of[2][b[2]] ^ of[3][b[3]] ^ of[4][b[4]] ^ of[5][b[5]] ^ of[6][b[6]] ^ of[7][b[7]]
	}
	d := func(i int) uint64 { return uint64(s.digit[body[names.KeyRandom+i]]) }
	return uint64(sum) == (d(0)*62+d(1))*62*62*62*62+(d(2)*62+d(3))*62*62+d(4)*62+d(5)
}

// keySums are the parts of the checksums of keys. A CRC is linear: it is the exclusive or of the contributions of each
// character at its place. Adding them takes a third of the time of going from one character to the next.
var keySums = makeKeySums()

type keySumParts struct {
	account, project, ticket uint32            // of the prefix, before random characters that are all zero
	of                       [4][8][256]uint32 // the last two are of the checksum itself, and zero
	digit                    [256]uint8        // of the base62 characters
}

func makeKeySums() *keySumParts {
	var s keySumParts
	zero := make([]byte, keySize-names.KeySum)
	copy(zero, "slp_")
	s.project = crc32.ChecksumIEEE(zero)
	copy(zero, names.TicketPrefix)
	s.ticket = crc32.ChecksumIEEE(zero)
	copy(zero, "sla_")
	s.account = crc32.ChecksumIEEE(zero)
	random := zero[len("sla_"):]
	for i := range random {
		for c := range 256 {
			random[i] = byte(c)
			s.of[i/8][i%8][c] = crc32.ChecksumIEEE(zero) ^ s.account
		}
		random[i] = 0
	}
	for i := range len(names.Base62) {
		s.digit[names.Base62[i]] = uint8(i)
	}
	return &s
}

// keySearch finds a key in bytes that come in pieces.
type keySearch struct {
	at   int64                   // the offset of the first key, -1 if none was found yet
	seen int64                   // bytes that came before
	n    int                     // how many of them are kept: the last, where a key may have begun
	seam [2 * (keySize - 1)]byte // the kept bytes, and room for the bytes that follow
}

func (k *keySearch) write(p []byte) {
	if k.at >= 0 {
		return
	}
	both := k.seam[:k.n+copy(k.seam[k.n:], p[:min(len(p), keySize-1)])]
	if at := FindKey(both); at >= 0 {
		k.at = k.seen - int64(k.n) + int64(at)
	} else if at := FindKey(p); at >= 0 {
		k.at = k.seen + int64(at)
	}
	if len(p) >= keySize-1 {
		both = p
	}
	k.n = copy(k.seam[:], both[max(0, len(both)-keySize+1):])
	k.seen += int64(len(p))
}
