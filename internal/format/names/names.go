// Package names brings every name and address that people choose into the one form in which the service keeps it.
//
// There are five kinds. A filename is kept as it was written, in Unicode NFC, or refused with a usable name and the
// reason, because a silently changed name is a link that breaks. A handle, a title and a language are decoration: they
// are normalized and never refuse a publish. A project id and the labels of a host are made here, and only their exact
// form is read back. An e-mail address is accepted as it is or refused.
//
// All functions are pure and may be called concurrently. Randomness is an argument, so a test can choose it.
package names

import "strings"

// A Rand returns a uniform number in [0,n), for n from 1 to 1,000,000. The random part of a name keeps addresses
// distinct and unguessable, so outside tests it draws on crypto/rand.
type Rand func(n int) int

// crockford is the alphabet of Crockford's base32 in lower case: without i, l, o and u, which are misread or spell
// words.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// Random returns n random characters of Crockford's base32 in lower case, five bits each.
func Random(n int, r Rand) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = crockford[r(len(crockford))]
	}
	return string(b)
}

// IsRandom reports whether s could be Random(n, r).
func IsRandom(s string, n int) bool {
	return len(s) == n && onlyOf(s, crockford)
}

// onlyOf reports whether every character of s is in set, which is ASCII.
func onlyOf(s, set string) bool {
	for i := range len(s) {
		if strings.IndexByte(set, s[i]) < 0 {
			return false
		}
	}
	return true
}

const digits = "0123456789"
