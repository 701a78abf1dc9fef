package blocks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
)

// MaxText is the size of the largest file that is compared without its white space.
const MaxText = 1 << 20

// Check implements publish.Blocklist.
func (b *Blocklist) Check(ctx context.Context, by sandlot.Caller, v publish.Screening) (int64, error) {
	t, err := b.now(ctx)
	if err != nil {
		return 0, err
	}
	name, kind, err := t.file(ctx, v)
	if err == nil && kind != "" {
		err = b.takenDown(kind, name)
	}
	if err != nil {
		return 0, err
	}
	if kind = cmp.Or(t.address(v.Email), t.title(v), t.network(by)); kind == "" {
		kind, err = b.publisher(ctx, t, by, v)
	}
	if err == nil && kind != "" {
		err = b.blocked(kind)
	}
	if err != nil {
		return 0, err
	}
	return t.generation, nil
}

// Address returns the number of the list that allows an address as that of an account. A blocked one is
// sandlot.CodeBlocked.
func (b *Blocklist) Address(ctx context.Context, address string) (generation int64, err error) {
	return b.Check(ctx, sandlot.Caller{}, publish.Screening{Email: address})
}

// A moment is a blocklist at one time. Its methods return the kind of the entry that blocks something, or "".
type moment struct {
	*table
	at time.Time
}

func (m moment) has(kind, value string) bool { return m.table.has(kind, value, m.at) }

// file returns the name of a blocked file with the kind.
func (m moment) file(ctx context.Context, v publish.Screening) (name, kind string, err error) {
	for _, f := range slices.Concat(v.New, v.Files) {
		if m.counts[Hash] > 0 && m.has(Hash, f.Blob.SHA256.String()) {
			return f.Name, Hash, nil
		}
	}
	if m.counts[Text] == 0 || v.Read == nil {
		return "", "", nil
	}
	for _, f := range v.New {
		if !f.Blob.Text || f.Blob.Size > MaxText {
			continue
		}
		text, err := v.Read(ctx, f)
		if err != nil {
			return "", "", fmt.Errorf("read %q: %w", f.Name, err)
		}
		if m.has(Text, TextSum(text).String()) {
			return f.Name, Text, nil
		}
	}
	return "", "", nil
}

// TextSum returns the SHA-256 of a text without its white space.
func TextSum(text []byte) sandlot.Digest {
	const space = " \t\n\v\f\r"
	kept := make([]byte, 0, len(text))
	for _, c := range text {
		if strings.IndexByte(space, c) < 0 {
			kept = append(kept, c)
		}
	}
	return sha256.Sum256(kept)
}

func (m moment) address(address string) string {
	if address == "" {
		return ""
	}
	if m.has(Mailbox, sandlot.MailboxOf(address).String()) {
		return Mailbox
	}
	_, domain, _ := strings.Cut(strings.ToLower(address), "@")
	for domain != "" {
		if m.has(Domain, domain) {
			return Domain
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return ""
}

// title looks for the words of a new title.
func (m moment) title(v publish.Screening) string {
	if v.Title == v.Project.Title {
		return ""
	}
	for _, word := range strings.Fields(names.Searchable(v.Title)) {
		if m.has(Word, word) {
			return Word
		}
	}
	return ""
}

func (m moment) network(by sandlot.Caller) string {
	a, err := netip.ParseAddr(by.From.Network)
	if err != nil || by.IsOperator() || m.counts[Network] == 0 {
		return ""
	}
	a = a.Unmap().WithZone("")
	for bits := range min(a.BitLen(), mostBits6) + 1 {
		if m.has(Network, netip.PrefixFrom(a, bits).Masked().String()) {
			return Network
		}
	}
	return ""
}

// publisher looks for the hashes of the network of a caller without a verified address or trust.
func (b *Blocklist) publisher(ctx context.Context, m moment, by sandlot.Caller, v publish.Screening) (string, error) {
	if m.counts[Publisher] == 0 || b.Networks == nil || by.IsOperator() || v.Project.Verified {
		return "", nil
	}
	hashes, err := b.Networks.recent(ctx, by.From)
	if err != nil || !slices.ContainsFunc(hashes, func(h sandlot.Digest) bool { return m.has(Publisher, h.String()) }) {
		return "", err
	}
	if by.Account() != 0 {
		vouched, err := b.Store.Vouched(ctx, by.Account())
		if vouched || err != nil && !errors.Is(err, sandlot.ErrNotFound) { // the step finds out that it is gone
			return "", err
		}
	}
	return Publisher, nil
}

// takenDown refuses a file that the operator has blocked.
func (b *Blocklist) takenDown(kind, filename string) error {
	b.Refused.Add(kind)
	return sandlot.Refuse(sandlot.CodeTakenDown,
		"The operator of this service has taken down the content of the file %q. Nothing was changed.", filename).
		Detail("reason", "blocklist").Detail("filename", filename).Detail("appeal_url", b.appeal()).
		With(sandlot.OpNothing).Note("Publish without this file%s.", b.orAsk())
}

// blocked refuses a call. Its message names no entry, so that nobody learns how to get around it.
func (b *Blocklist) blocked(kind string) error {
	b.Refused.Add(kind)
	return sandlot.Refuse(sandlot.CodeBlocked, "The operator of this service does not accept this call. Nothing was changed.").
		With(sandlot.OpNothing).Note("The reason is not shown. Do not try again%s.", b.orAsk())
}

// appeal returns the URL of the operator's contact; empty: there is none.
func (b *Blocklist) appeal() string {
	if b.Contact == "" || strings.Contains(b.Contact, ":") {
		return b.Contact
	}
	return "mailto:" + b.Contact
}

func (b *Blocklist) orAsk() string {
	if b.Contact == "" {
		return ""
	}
	return "; if it is a mistake, write to the operator: " + b.Contact
}
