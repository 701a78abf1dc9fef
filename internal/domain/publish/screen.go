package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/lure"
)

// A Blocklist refuses contents, words and callers that the operator has blocked. It may be used concurrently.
type Blocklist interface {
	// Check returns the number of the list that allows v. A blocked file is sandlot.CodeTakenDown, anything else that is
	// blocked sandlot.CodeBlocked.
	Check(ctx context.Context, by sandlot.Caller, v Screening) (generation int64, err error)
	// Moved has the next Check read the list again: a step was sandlot.ErrBlocksMoved.
	Moved()
}

// NetworkHashes hashes the network of a caller, so that it can be compared and not read. It may be used concurrently.
type NetworkHashes interface {
	Of(ctx context.Context, from sandlot.Sender) (Publisher, error)
}

// Publisher holds the hashes of a caller's network under a key that changes each month. The zero Publisher is unknown.
type Publisher struct {
	Network sandlot.Digest // of an IPv4 address, or an IPv6 network of 64 bits
	Wide    sandlot.Digest // of the network of 24 or 48 bits around it
}

// Screening is a version that is about to be recorded, with the words of its call.
type Screening struct {
	Project sandlot.Project   // as it is; zero for a new one
	Owner   sandlot.AccountID // of a new project; 0: a new account
	ID      sandlot.ProjectID // of a new project; empty in a dry run
	Primary string            // the primary file of a new project, or another one of an existing project; empty: as it is
	Title   string            // empty: as it is
	Email   string            // the address that the call brings; empty: none
	Files   []sandlot.File    // all files of the version; nil where nothing but New counts
	New     []sandlot.File    // those of them that the call brings
	// Read returns the bytes of a file of at most 1 MiB.
	Read func(ctx context.Context, f sandlot.File) ([]byte, error)
}

// Screened is the outcome of a Screening, for the step that records the version.
type Screened struct {
	Blocks    int64        // the number of the blocklist that allows it: with another one the step is sandlot.ErrBlocksMoved; 0: none
	Hold      sandlot.Rule // HeldFields where others must not see the version; else a hold of that rule ends with the step
	Signs     []lure.Sign  // the reasons for that hold; they are not recorded
	Publisher Publisher    // recorded for an account without a verified address
}

// screen checks a version before its step.
func (s *Service) screen(ctx context.Context, by sandlot.Caller, v Screening) (out Screened, err error) {
	v.Read = func(ctx context.Context, f sandlot.File) ([]byte, error) {
		return s.piece(ctx, f.Blob, 0, f.Blob.Size, nil)
	}
	if out.Blocks, err = s.unblocked(ctx, by, v); err != nil {
		return out, err
	}
	vouched, err := vouched(ctx, s, v)
	if err != nil || vouched {
		return out, err
	}
	if s.Networks != nil {
		if out.Publisher, err = s.Networks.Of(ctx, by.From); err != nil {
			return out, fmt.Errorf("hash the network: %w", err)
		}
	}
	if !s.Public {
		return out, nil
	}
	out.Signs, err = s.signs(ctx, cmp.Or(v.Project.ID, v.ID), cmp.Or(v.Primary, v.Project.Primary), v.Files)
	if len(out.Signs) > 0 {
		out.Hold = sandlot.HeldFields
	}
	return out, err
}

// vouched reports whether the owner of a version has a verified address, or is trusted.
func vouched(ctx context.Context, s *Service, v Screening) (bool, error) {
	if v.Project.ID != "" || v.Owner == 0 {
		return v.Project.Verified, nil
	}
	a, err := s.store.Account(ctx, v.Owner)
	return a.Vouched(), err
}

// foresee sets the hold that a dry run's version would have.
func (out Screened) foresee(p *sandlot.Project) {
	if p.Held.Rule == sandlot.NotHeld || p.Held.Rule == sandlot.HeldFields {
		p.Held = sandlot.Hold{Rule: out.Hold, At: p.UpdatedAt}
	}
}

// nextFiles returns all files of a version, for its Screening. They are read only where they count.
func nextFiles(ctx context.Context, s *Service, p sandlot.Project, put []sandlot.File, drop ...string) ([]sandlot.File, error) {
	if !s.Public || p.Verified {
		return nil, nil
	}
	current, err := s.store.FilesWith(ctx, p.ID, p.Version, "")
	if err != nil {
		return nil, fmt.Errorf("read files: %w", err)
	}
	for _, f := range put {
		drop = append(drop, f.Name)
	}
	return without(current, drop, put), nil
}

// without returns files without those of the names, and with others.
func without(files []sandlot.File, drop []string, put []sandlot.File) []sandlot.File {
	gone := make(map[string]bool, len(drop))
	for _, name := range drop {
		gone[name] = true
	}
	left := make([]sandlot.File, 0, len(files)+len(put))
	for _, f := range files {
		if !gone[f.Name] {
			left = append(left, f)
		}
	}
	return append(left, put...)
}

// signs looks through the texts of a version, in the order of firstRead.
func (s *warner) signs(ctx context.Context, id sandlot.ProjectID, primary string, files []sandlot.File) ([]lure.Sign, error) {
	l, room := lure.Look{Brands: s.Brands}, int64(lure.Most)
	if at, err := url.Parse(s.Places.Project(id, 0, "").URL); err == nil {
		l.Own = at.Host
	}
	for _, f := range firstRead(primary, files) {
		n := min(f.Blob.Size, room)
		text, err := s.piece(ctx, f.Blob, 0, n, nil)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", f.Name, err)
		}
		l.Read(f.Name, text)
		if room -= n; room == 0 {
			break
		}
	}
	left := mostScans
	for _, f := range files {
		if left == 0 || !l.Scans(f.Name, f.Blob.Size) {
			continue
		}
		picture, err := s.piece(ctx, f.Blob, 0, f.Blob.Size, nil)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", f.Name, err)
		}
		l.Scan(f.Name, picture)
		left--
	}
	return l.Signs(), nil
}

// mostScans is how many pictures of a version are searched for a QR code: a page that is one picture has one.
const mostScans = 2

// firstRead returns the first mostLooks texts of a version: the primary file, then pages, scripts and the rest, small ones before
// large ones: padding hides a lure only in its own page.
func firstRead(primary string, files []sandlot.File) (texts []sandlot.File) {
	turn := func(f sandlot.File) int {
		switch {
		case f.Name == primary:
			return 0
		case inspect.IsHTML(f.Name):
			return 1
		case lure.Reads(f.Name):
			return 2
		}
		return 3
	}
	for _, f := range files {
		if lure.Reads(f.Name) || f.Blob.Text {
			texts = append(texts, f)
		}
	}
	slices.SortStableFunc(texts, func(a, b sandlot.File) int {
		return cmp.Or(turn(a)-turn(b), cmp.Compare(a.Blob.Size, b.Blob.Size))
	})
	return texts[:min(len(texts), mostLooks)]
}

// heldAgain is heldWarnings for a version that no screening of this call looked at: its files are read for them.
func (s *warner) heldAgain(ctx context.Context, p sandlot.Project, files []sandlot.File) []sandlot.Warning {
	if p.Held.Rule != sandlot.HeldFields {
		return heldWarnings(p, nil)
	}
	signs, err := s.signs(ctx, p.ID, p.Primary, files)
	s.untold(err)
	return heldWarnings(p, signs)
}

// signWords has the words for each kind of sign. It never changes.
var signWords = map[string]string{
	lure.Password: "a field for a password", lure.Card: "a field for a card number",
	lure.Seed: "a field for a recovery phrase", lure.Sends: "a form that sends to another host",
	lure.Leads: "nothing but a way to another host", lure.Hides: "nothing but a page that its script writes, of a text that cannot be read",
}

// describeSigns describes signs in a sentence.
func describeSigns(signs []lure.Sign) string {
	found := make([]string, 0, len(signs))
	for _, sign := range signs {
		found = append(found, sign.File+" has "+cmp.Or(signWords[sign.Kind], sign.Kind))
	}
	return strings.Join(found, ", ")
}

// MostViews is the number of networks that may view a version of a held project at the version's address.
const MostViews = 3

// heldWarnings warns the owner of a held project, and names the acts that end the hold. signs are those of its version.
func heldWarnings(p sandlot.Project, signs []lure.Sign) []sandlot.Warning {
	if p.Held.Rule == sandlot.NotHeld || p.Suspended {
		return nil
	}
	why, hint := p.Held.Rule.Why(), "It ends by "+p.Held.Rule.Ends()+"."
	if p.Held.Rule == sandlot.HeldFields {
		if len(signs) > 0 {
			why = "nobody has verified the email address of its account, and " + describeSigns(signs)
		}
		hint = "Opening the link in the message to that address, and pressing its button, ends it at once for all projects of the account. " +
			"Without the message, send email with the account's api_key, or log in on the website. " +
			"A version without that ends it, too, and so can the operator."
	}
	return []sandlot.Warning{sandlot.Warn("held", fmt.Sprintf("The project is held: others do not see it, because %s. "+
		"Its version_url shows it to its owner, and to at most %d networks.", why, MostViews), hint)}
}

// refused returns the refusal of a call by others about a project that is suspended or held; nil for one that they may see.
// Its owner sees a held one.
func refused(by sandlot.Caller, p sandlot.Project) error {
	switch {
	case p.Suspended:
		return sandlot.TakenDown(p)
	case p.Held.Rule != sandlot.NotHeld && sandlot.Authorize(by, sandlot.ActReadFiles, &p) != nil:
		return sandlot.Held(p)
	}
	return nil
}

// View lets the caller's network view a held project at the address of a version, which AtVersion returned with the
// refusal. Once MostViews networks have, any other gets that refusal.
func (s *Reader) View(ctx context.Context, by sandlot.Caller, p sandlot.Project) error {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return err
	}
	if p.Held.Rule == sandlot.NotHeld {
		return nil
	}
	if by.From.Shared { // it could be anybody
		return sandlot.Held(p)
	}
	err := s.management.ViewHeld(ctx, HeldView{
		Project: p.ID, Version: p.Version, Network: s.vault.Keyed("held view "+string(p.ID), by.From.Network), Most: MostViews, At: s.now().UTC(),
	})
	if errors.Is(err, sandlot.ErrTooOften) {
		return sandlot.Held(p)
	}
	return err
}

// unblocked returns the number of the blocklist that allows v. Without v.Read texts are compared by all their bytes alone.
func (c Config) unblocked(ctx context.Context, by sandlot.Caller, v Screening) (int64, error) {
	if c.Blocklist == nil {
		return 0, nil
	}
	n, err := c.Blocklist.Check(ctx, by, v)
	if err != nil {
		return 0, fmt.Errorf("check the blocklist: %w", err)
	}
	return n, nil
}

// address returns the address that a step sets; a nil NewEmail sets none.
func (e *NewEmail) address() string {
	if e == nil {
		return ""
	}
	return e.Address
}
