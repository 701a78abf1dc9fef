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

// The shortest network and word that are blocked without a confirmation, and the longest network of IPv6.
const (
	leastBits4   = 8
	leastBits6   = 16
	leastLetters = 4
	mostBits6    = 64
)

// parse returns a value in the form of its kind. Risk names the honest callers that it would hit beside harmful ones; empty:
// nothing known. Own are the names of the instance, which a domain must not be by mistake.
func parse(kind, text string, own []string) (value, risk string, err error) {
	text = strings.TrimSpace(text)
	switch kind {
	case Hash, Text:
		return parseDigest(text)
	case Domain:
		return parseDomain(text, own)
	case Mailbox:
		value, err = parseMailbox(text)
	case Network:
		return parseNetwork(text)
	case Publisher:
		err = errors.New("hashes of networks come from a project: use --network-of PROJECT")
	case Word:
		return parseWord(text)
	default:
		err = fmt.Errorf("%q is no kind: use %s", kind, strings.Join(Kinds(), ", "))
	}
	return value, "", err
}

// A RiskError is a value that hits more than harmful callers, and was not confirmed.
type RiskError string

// Error implements error.
func (e RiskError) Error() string { return string(e) + ": confirm it with --yes" }

// accept returns a value in the form of its kind. A risk that is not confirmed is a RiskError.
func (s *Service) accept(kind, text string, confirmed bool) (string, error) {
	value, risk, err := parse(kind, text, s.Own)
	if err == nil && risk != "" && !confirmed {
		err = RiskError(risk)
	}
	return value, err
}

func parseDigest(text string) (value, risk string, err error) {
	d, err := hex.DecodeString(text)
	if err != nil || len(d) != len(sandlot.Digest{}) {
		return "", "", errors.New("it is no SHA-256 in 64 hexadecimal digits")
	}
	if sandlot.Digest(d) == sandlot.DigestOf(nil) {
		risk = "it is that of an empty file, which many projects have"
	}
	return strings.ToLower(text), risk, nil
}

func parseDomain(text string, own []string) (value, risk string, err error) {
	address, err := names.Email("a@" + strings.TrimPrefix(strings.TrimPrefix(text, "@"), "*."))
	if err != nil {
		return "", "", errors.New("it is no mail domain such as mail.example")
	}
	value = strings.TrimPrefix(address, "a@")
	for _, name := range own {
		if name == value || strings.HasSuffix(name, "."+value) {
			return value, fmt.Sprintf("%s is a name of this instance", name), nil
		}
	}
	return value, "", nil
}

func parseMailbox(text string) (string, error) {
	address, err := names.Email(text)
	if err != nil {
		return "", errors.New("it is no e-mail address")
	}
	return sandlot.MailboxOf(address).String(), nil
}

// local are the networks of no caller from elsewhere.
var local = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"),
}

func parseNetwork(text string) (value, risk string, err error) {
	p, err := netip.ParsePrefix(text)
	if a, single := netip.ParseAddr(text); single == nil && a.Zone() == "" {
		a = a.Unmap()
		p, err = netip.PrefixFrom(a, min(a.BitLen(), mostBits6)), nil
	}
	if err != nil || p.Addr().Is4In6() {
		return "", "", errors.New("it is no network such as 203.0.113.0/24")
	}
	least := leastBits4
	if p = p.Masked(); p.Addr().Is6() {
		least = leastBits6
	}
	switch {
	case p.Bits() > mostBits6:
		return "", "", errors.New("callers of IPv6 are distinguished by 64 bits, and it has more")
	case p.Bits() < least:
		risk = fmt.Sprintf("%s is a great part of the internet", p)
	case slices.ContainsFunc(local, p.Overlaps):
		risk = fmt.Sprintf("%s has addresses of this machine or of private networks, such as a proxy's", p)
	}
	return p.String(), risk, nil
}

func parseWord(text string) (value, risk string, err error) {
	words := strings.Fields(names.Searchable(text))
	if len(words) != 1 {
		return "", "", errors.New("it is not one word")
	}
	if utf8.RuneCountInString(words[0]) < leastLetters {
		risk = fmt.Sprintf("a word as short as %q is in many titles", words[0])
	}
	return words[0], risk, nil
}
