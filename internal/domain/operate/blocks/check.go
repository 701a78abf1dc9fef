package blocks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
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
	t, err := b.current(ctx)
	if err != nil {
		return 0, err
	}
	now := b.Now()
	if f, kind, err := b.file(ctx, t, v, now); err != nil || kind != "" {
		return 0, orRefusal(err, func() error { return b.takenDown(kind, f) })
	}
	for _, look := range []func() (string, error){
		func() (string, error) { return t.address(v.Email, now), nil },
		func() (string, error) { return t.title(v, now), nil },
		func() (string, error) { return b.network(ctx, t, by, v, now) },
	} {
		if kind, err := look(); err != nil || kind != "" {
			return 0, orRefusal(err, func() error { return b.blocked(kind) })
		}
	}
	return t.generation, nil
}

// Address returns the number of the list that allows an address as that of an account. A blocked one is
// sandlot.CodeBlocked.
func (b *Blocklist) Address(ctx context.Context, address string) (generation int64, err error) {
	t, err := b.current(ctx)
	if err != nil {
		return 0, err
	}
	if kind := t.address(address, b.Now()); kind != "" {
		return 0, b.blocked(kind)
	}
	return t.generation, nil
}

func orRefusal(err error, refuse func() error) error {
	if err != nil {
		return err
	}
	return refuse()
}

// file returns a blocked file, and the kind of its entry; the kind is empty if there is none.
func (b *Blocklist) file(ctx context.Context, t *table, v publish.Screening, now time.Time) (f sandlot.File, kind string, err error) {
	if t.counts[Hash] > 0 {
		for _, files := range [][]sandlot.File{v.New, v.Files} {
			for _, f := range files {
				if t.has(Hash, string(f.Blob.SHA256[:]), now) {
					return f, Hash, nil
				}
			}
		}
	}
	if t.counts[Text] == 0 || v.Read == nil {
		return f, "", nil
	}
	for _, f := range v.New {
		if !f.Blob.Text || f.Blob.Size > MaxText {
			continue
		}
		text, err := v.Read(ctx, f)
		if err != nil {
			return f, "", fmt.Errorf("read %q: %w", f.Name, err)
		}
		sum := TextSum(text)
		if t.has(Text, string(sum[:]), now) {
			return f, Text, nil
		}
	}
	return f, "", nil
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

// address returns the kind of the entry that blocks an address, or "".
func (t *table) address(address string, now time.Time) string {
	if address == "" || t.counts[Mailbox]+t.counts[Domain] == 0 {
		return ""
	}
	mailbox := sandlot.MailboxOf(address)
	if t.has(Mailbox, string(mailbox[:]), now) {
		return Mailbox
	}
	_, domain, _ := strings.Cut(strings.ToLower(address), "@")
	for domain != "" {
		if t.has(Domain, domain, now) {
			return Domain
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return ""
}

// title returns the kind of the entry that blocks a new title, or "".
func (t *table) title(v publish.Screening, now time.Time) string {
	if v.Title == v.Project.Title || t.counts[Word] == 0 {
		return ""
	}
	for _, word := range strings.Fields(names.Searchable(v.Title)) {
		if t.has(Word, word, now) {
			return Word
		}
	}
	return ""
}

// network returns the kind of the entry that blocks the network of a caller, or "". An entry of a publisher blocks callers
// that nobody vouches for.
func (b *Blocklist) network(ctx context.Context, t *table, by sandlot.Caller, v publish.Screening, now time.Time) (string, error) {
	a, err := netip.ParseAddr(by.From.Network)
	if err != nil || by.IsOperator() {
		return "", nil
	}
	if t.counts[Network] > 0 && t.within(a.Unmap().WithZone(""), now) {
		return Network, nil
	}
	if t.counts[Publisher] == 0 || b.Networks == nil || v.Project.Verified {
		return "", nil
	}
	hashes, err := b.Networks.recent(ctx, by.From)
	if err != nil {
		return "", err
	}
	for _, h := range hashes {
		if t.has(Publisher, string(h[:]), now) {
			return b.unlessVouched(ctx, by)
		}
	}
	return "", nil
}

func (b *Blocklist) unlessVouched(ctx context.Context, by sandlot.Caller) (string, error) {
	if by.Account() == 0 {
		return Publisher, nil
	}
	vouched, err := b.Store.Vouched(ctx, by.Account())
	if errors.Is(err, sandlot.ErrNotFound) {
		err = nil // the step finds out that it is gone
	}
	if err != nil || vouched {
		return "", err
	}
	return Publisher, nil
}

// within reports whether an address is in a blocked network.
func (t *table) within(a netip.Addr, now time.Time) bool {
	shift := 0
	if a.Is4() {
		shift = 96
	}
	for bits := range a.BitLen() + 1 {
		if t.bits[bits+shift] && t.has(Network, networkKey(netip.PrefixFrom(a, bits)), now) {
			return true
		}
	}
	return false
}

// takenDown refuses a file that the operator has blocked.
func (b *Blocklist) takenDown(kind string, f sandlot.File) error {
	b.Refused.Add(kind)
	return sandlot.Refuse(sandlot.CodeTakenDown,
		"The operator of this service has taken down the content of the file %q. Nothing was changed.", f.Name).
		Detail("reason", "blocklist").Detail("filename", f.Name).Detail("appeal_url", b.appeal()).
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
