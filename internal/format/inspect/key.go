package inspect

import (
	"strings"

	"sandlot/internal/format/names"
)

const (
	keyBody = names.KeyRandom + names.KeySum
	keySize = len(names.AccountPrefix) + keyBody
)

// LooksLikeUploadToken reports whether s has the form and the checksum of an upload_token.
func LooksLikeUploadToken(s string) bool { return looksLike(s, names.UploadPrefix) }

// LooksLikeTicket reports whether s has the form and the checksum of a ticket.
func LooksLikeTicket(s string) bool { return looksLike(s, names.TicketPrefix) }

func looksLike(s, prefix string) bool {
	return len(s) == keySize && s[:len(prefix)] == prefix && names.KeyChecksum(s[:keySize-names.KeySum]) == s[keySize-names.KeySum:]
}

// LooksLikeKey reports whether s has the form and the checksum of a key. It queries no store, so a mistyped key costs
// no look-up.
func LooksLikeKey(s string) bool {
	var b [keySize]byte
	return !strings.HasPrefix(s, names.TicketPrefix) && len(s) == keySize && copy(b[:], s) == keySize && findForm(b[:], 0) == 0 && sumFits(b[:])
}
