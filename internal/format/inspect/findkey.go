package inspect

import (
	"bytes"
	"hash/crc32"

	"sandlot/internal/format/names"
)

const (
	keyPrefix = len(names.AccountPrefix)
	keySize   = keyPrefix + names.KeyRandom + names.KeySum
)

// FindKey returns the position of the first whole key in text, or -1: of an account's or a project's, of a ticket, a
// token or a one-time code. It passes over the text once and allocates nothing, whatever the text is made of: a key has
// one underscore, so none begins inside another.
func FindKey(text []byte) int {
	for at := 0; at+keySize <= len(text); at++ {
		if text[at+keyPrefix-1] != '_' {
			i := bytes.IndexByte(text[at+keyPrefix:], '_')
			if at += i + 1; i < 0 || at+keySize > len(text) {
				break
			}
		}
		if isKey(text[at : at+keySize]) {
			return at
		}
	}
	return -1
}

// kinds are the third characters of the prefixes that FindKey finds. It never changes.
var kinds = []byte("aptecordf")

// isKey reports whether text has the form and the checksum of a key, or of another secret that FindKey finds.
func isKey(text []byte) bool {
	if text[0] != 's' || text[1] != 'l' || bytes.IndexByte(kinds, text[2]) < 0 {
		return false
	}
	for _, c := range text[keyPrefix:] {
		if c < '0' || c > '9' && c|0x20 < 'a' || c|0x20 > 'z' { // no base62
			return false
		}
	}
	sum := crc32.ChecksumIEEE(text[:keySize-names.KeySum])
	for i := keySize - 1; i >= keySize-names.KeySum; i-- {
		if text[i] != names.Base62[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
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
