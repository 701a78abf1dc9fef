package inspect

import (
	"hash/crc32"
	"strings"
)

// The form of keys, tickets and upload_tokens: a prefix of four characters, random ones, and their
// checksum.
const (
	Base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	KeyRandom = 30 // base62 characters: 178 bits
	KeySum    = 6  // base62 characters hold a CRC-32
)

// Prefixes of keys, tickets and upload_tokens.
const (
	AccountPrefix = "sla_"
	ProjectPrefix = "slp_"
	UploadPrefix  = "slu_"
	TicketPrefix  = "slt_"
)

const (
	keyBody = KeyRandom + KeySum
	keySize = len(AccountPrefix) + keyBody
)

// Checksum is what follows the random characters of s, a prefix and them.
func Checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	out := make([]byte, KeySum)
	for i := KeySum - 1; i >= 0; i-- {
		out[i] = Base62[sum%62]
		sum /= 62
	}
	return string(out)
}

// LooksLikeUploadToken reports whether s has the form and the checksum of an upload_token.
func LooksLikeUploadToken(s string) bool { return looksLike(s, UploadPrefix) }

// LooksLikeTicket reports whether s has the form and the checksum of a ticket.
func LooksLikeTicket(s string) bool { return looksLike(s, TicketPrefix) }

func looksLike(s, prefix string) bool {
	return len(s) == keySize && s[:len(prefix)] == prefix && Checksum(s[:keySize-KeySum]) == s[keySize-KeySum:]
}

// LooksLikeKey reports whether s has the form and the checksum of a key. It asks
// nobody, so a mistyped key costs no look-up.
func LooksLikeKey(s string) bool {
	var b [keySize]byte
	return !strings.HasPrefix(s, TicketPrefix) && len(s) == keySize && copy(b[:], s) == keySize && findForm(b[:], 0) == 0 && sumFits(b[:])
}
