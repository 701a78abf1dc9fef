package names

import (
	"hash/crc32"
)

// The form of keys, tickets, tokens and one-time codes: a prefix of four characters, random ones, and their
// checksum.
const (
	Base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	KeyRandom = 30 // base62 characters: 178 bits
	KeySum    = 6  // base62 characters hold a CRC-32
)

// Prefixes of keys, tickets, tokens and one-time codes.
const (
	AccountPrefix = "sla_"
	ProjectPrefix = "slp_"
	UploadPrefix  = "slu_"
	TicketPrefix  = "slt_"
	EditPrefix    = "sle_" // an edit_token: one project, for tools alone
	ConnectPrefix = "slc_" // a code that takes an account's projects into another account
	AccessPrefix  = "slo_" // an access token of a program with a grant
	RefreshPrefix = "slr_" // the token that gets the next access token
	DevicePrefix  = "sld_" // a device_code, which waits for a grant
	FlagPrefix    = "slf_" // the token of a trusted reporter: it reports projects, and does nothing else
)

// KeyChecksum returns the checksum of s, a prefix with random characters.
func KeyChecksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	out := make([]byte, KeySum)
	for i := KeySum - 1; i >= 0; i-- {
		out[i] = Base62[sum%62]
		sum /= 62
	}
	return string(out)
}
