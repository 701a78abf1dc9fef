package blocks

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/names"
)

// The kinds of entries of the blocklist. Values are as the store keeps them.
const (
	Hash      = "hash"      // SHA-256 of a file's bytes, in hex
	Text      = "text"      // SHA-256 of a text file's bytes without white space, in hex
	Domain    = "domain"    // a mail domain, with its subdomains
	Mailbox   = "mailbox"   // sandlot.MailboxOf an address, in hex
	Network   = "network"   // a prefix, such as 203.0.113.0/24
	Publisher = "publisher" // a hash of a network, as publish.Publisher has it, in hex
	Word      = "word"      // a word of a title, folded
)

// Kinds returns all kinds.
func Kinds() []string { return []string{Hash, Text, Domain, Mailbox, Network, Publisher, Word} }

// The shortest network and word that are blocked without a confirmation.
const (
	leastBits4   = 8
	leastBits6   = 16
	leastLetters = 4
)

// A value is a value in the form of its kind, with the key by which it is looked up. Risk names the honest callers that it would hit beside
// harmful callers; empty: nothing known.
type value struct{ text, key, risk string }

// parse reads a value as people write it. Own are the names of the instance, which a domain must not be by mistake.
func parse(kind, text string, own []string) (v value, err error) {
	text = strings.TrimSpace(text)
	switch kind {
	case Hash, Text, Publisher:
		return parseDigest(text)
	case Domain:
		v, err = parseDomain(text, own)
	case Mailbox:
		return parseMailbox(text)
	case Network:
		v, err = parseNetwork(text)
	case Word:
		v, err = parseWord(text)
	default:
		err = fmt.Errorf("%q is no kind: use %s", kind, strings.Join(Kinds(), ", "))
	}
	if err == nil {
		v.key = keyOf(kind, v.text)
	}
	return v, err
}

func parseDigest(text string) (value, error) {
	var d sandlot.Digest
	if len(text) != hex.EncodedLen(len(d)) {
		return value{}, errNoDigest
	}
	if _, err := hex.Decode(d[:], []byte(text)); err != nil {
		return value{}, errNoDigest
	}
	v := value{text: strings.ToLower(text), key: string(d[:])}
	if d == sandlot.DigestOf(nil) {
		v.risk = "it is that of an empty file, which many projects have"
	}
	return v, nil
}

var errNoDigest = errors.New("it is no SHA-256 in 64 hexadecimal digits")

func parseDomain(text string, own []string) (value, error) {
	address, err := names.Email("a@" + strings.TrimPrefix(strings.TrimPrefix(text, "@"), "*."))
	if err != nil {
		return value{}, errors.New("it is no mail domain such as mail.example")
	}
	v := value{text: strings.TrimPrefix(address, "a@")}
	if i := slices.IndexFunc(own, func(name string) bool { return isWithin(name, v.text) }); i >= 0 {
		v.risk = fmt.Sprintf("%s is a name of this instance", own[i])
	}
	return v, nil
}

// isWithin reports whether a name is a domain, or below it.
func isWithin(name, domain string) bool { return name == domain || strings.HasSuffix(name, "."+domain) }

func parseMailbox(text string) (value, error) {
	address, err := names.Email(text)
	if err != nil {
		return value{}, errors.New("it is no e-mail address")
	}
	of := sandlot.MailboxOf(address)
	return value{text: hex.EncodeToString(of[:]), key: string(of[:])}, nil
}

// local are the networks of no caller from elsewhere.
var local = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"),
}

func parseNetwork(text string) (value, error) {
	p, err := netip.ParsePrefix(text)
	if a, single := netip.ParseAddr(text); single == nil && a.Zone() == "" {
		a = a.Unmap()
		p, err = netip.PrefixFrom(a, min(a.BitLen(), 64)), nil // callers of IPv6 are distinguished by 64 bits
	}
	if err != nil || p.Addr().Is4In6() {
		return value{}, errors.New("it is no network such as 203.0.113.0/24")
	}
	if p = p.Masked(); p.Addr().Is6() && p.Bits() > 64 {
		return value{}, errors.New("callers of IPv6 are distinguished by 64 bits, and it has more")
	}
	v, least := value{text: p.String()}, leastBits4
	if p.Addr().Is6() {
		least = leastBits6
	}
	switch {
	case p.Bits() < least:
		v.risk = fmt.Sprintf("%s is a great part of the internet", p)
	case slices.ContainsFunc(local, p.Overlaps):
		v.risk = fmt.Sprintf("%s has addresses of this machine or of private networks, such as a proxy's", p)
	}
	return v, nil
}

func parseWord(text string) (value, error) {
	words := strings.Fields(names.Searchable(text))
	if len(words) != 1 {
		return value{}, errors.New("it is not one word")
	}
	v := value{text: words[0]}
	if utf8.RuneCountInString(v.text) < leastLetters {
		v.risk = fmt.Sprintf("a word as short as %q is in many titles", v.text)
	}
	return v, nil
}

// width returns the bytes of each key of a kind, or 0 for keys of any length.
func width(kind string) int {
	switch kind {
	case Domain, Word:
		return 0
	case Network:
		return networkWidth
	}
	return len(sandlot.Digest{})
}

// networkWidth is the length of the key of a network: an address of IPv6, and the bits.
const networkWidth = 17

// keyOf returns the form in which a value is looked up.
func keyOf(kind, stored string) string {
	switch kind {
	case Domain, Word:
		return stored
	case Network:
		p, err := netip.ParsePrefix(stored)
		if err != nil {
			return "" // matches nothing
		}
		return networkKey(p)
	}
	raw, _ := hex.DecodeString(stored) // parse made the value in the store
	return string(raw)
}

func networkKey(p netip.Prefix) string {
	a, bits := p.Masked().Addr().As16(), p.Bits()
	if p.Addr().Is4() {
		bits += 96
	}
	return string(append(a[:], byte(bits)))
}
