package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sandlot"
)

// This file answers calls that were made before: the last call of a completed upload, and any with an idempotency key.
// Of the first answer only the minted keys are kept. The rest is read from the version that the call made, or, if that
// was erased, from the fields of it in the record.

// answers makes the answers to calls that were made before.
type answers struct {
	finder
	warner
	owners
	uploads *uploads
}

// asOf returns a project as one of its versions left it, with that version's files. An erased version is rebuilt from
// left, which has the one file that it brought; without left it is CodeProjectNotFound.
func (s *answers) asOf(ctx context.Context, id sandlot.ProjectID, version int, left []byte) (sandlot.Project, []sandlot.File, error) {
	p, err := s.find(ctx, string(id))
	if err != nil {
		return p, nil, err
	}
	v, err := s.store.Version(ctx, p.ID, version)
	if m, ok := readMade(left); ok && errors.Is(err, sandlot.ErrNotFound) {
		p, files := m.version(p, version)
		return p, files, nil
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return p, nil, sandlot.Refuse(sandlot.CodeProjectNotFound,
			"This succeeded earlier, but version %d of %s is no longer kept.", version, p.ID).
			With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).Note("Read the project for what there is now.")
	}
	if err != nil {
		return p, nil, fmt.Errorf("read version: %w", err)
	}
	files, err := s.store.Files(ctx, p.ID, v.N)
	if err != nil {
		return p, nil, fmt.Errorf("read files: %w", err)
	}
	p.Version, p.Suffix, p.Title, p.Primary, p.UpdatedAt = v.N, v.Suffix, v.Title, v.Primary, v.CreatedAt
	p.Size, p.FileCount = sizeOf(files), len(files)
	return p, files, nil
}

// published rebuilds the answer to a publish, but for the keys it minted.
func (s *answers) published(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, version int, left []byte) (Published, error) {
	p, files, err := s.asOf(ctx, id, version, left)
	if err != nil {
		return Published{}, err
	}
	out := Published{Project: p, Quarantined: s.quarantined(p), Addresses: s.Places.Project(p.ID, p.Version, p.Suffix)}
	for _, f := range files {
		if f.Name == p.Primary {
			out.File = f
		}
	}
	if m, _ := readMade(left); m.Many != nil {
		if out.Many = true; out.File.Blob.ID != 0 {
			out.Files = files
		}
	}
	if !by.Nobody() {
		return out, nil
	}
	a, err := s.store.Account(ctx, p.Account)
	if err != nil {
		return Published{}, fmt.Errorf("read account: %w", err)
	}
	a.EmailVerified = false // as it was
	m, _ := readMade(left)
	out.Account, out.Mailed = &a, s.sends() && a.Email != "" && !m.Unsent
	return out, nil
}

// updated rebuilds the answer to an update.
func (s *answers) updated(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, version int, left []byte) (Updated, error) {
	p, files, err := s.asOf(ctx, id, version, left)
	if err == nil {
		err = sandlot.Authorize(by, sandlot.ActEdit, &p)
	}
	if err != nil {
		return Updated{}, err
	}
	out := Updated{Project: p, Quarantined: s.quarantined(p), Previous: version - 1, Addresses: s.Places.Project(p.ID, p.Version, p.Suffix)}
	m, _ := readMade(left)
	if m.Many != nil {
		out.Many, out.Unchanged, out.Removed = true, m.Many.Unchanged, m.Many.Removed
		out.Files, err = changedIn(ctx, s.store, p, files)
		return out, err
	}
	if f := fileNamed(files, m.Filename); f != nil {
		out.File, out.Created = *f, m.Created
		return out, nil
	}
	return out, fmt.Errorf("version %d of %s did not bring %q: %w", version, id, m.Filename, sandlot.ErrCorrupt)
}

// show adds the keys that a publish answers with; tool: to a tool.
func (out *Published) show(by sandlot.Caller, minted Minted, tool bool) {
	out.Keys = minted
	if !by.Nobody() && !tool {
		out.Keys.Account = accountSecret(by)
	}
}

// completedPublish answers the completing call of an upload that was used before.
func (s *answers) completedPublish(ctx context.Context, by sandlot.Caller, c *completing) (Published, error) {
	done := *c.upload.Done
	out, err := s.published(ctx, by, done.Project, done.Version, done.Made)
	if err != nil {
		return Published{}, err
	}
	if !c.call.completes(done) {
		return Published{}, uploadCompleted(done, out.Addresses.URL)
	}
	keys, err := unsealKeys(s.vault, c.call.sealed(by, done), done.Answer)
	if err != nil {
		return Published{}, uploadCompleted(done, out.Addresses.URL)
	}
	np, mail := c.meta.publish(), EmailSet
	out.show(by, keys, np.Tool)
	if !by.Nobody() {
		if _, mail, err = s.pendingEmail(ctx, by, np.Email, np.Lang, EmailNone); err != nil {
			return Published{}, err
		}
	}
	mail = unsentBefore(done.Made, mail)
	s.tellEmail(&out, np, mail)
	about, kept, err := s.warningsAgain(ctx, out.Project, out.File, out.Files, done.Made, c.call.in.Charge)
	out.Warnings = slices.Concat(np.Warnings, about, s.mailWarnings(by, mail), kept, s.listingWarnings(out.Project))
	return out, err
}

// tellEmail puts the address of the request into the answer about a new account, even if its owner has changed it
// since.
func (s *answers) tellEmail(out *Published, np newProject, mail EmailOutcome) {
	if out.Account != nil && np.Email != "" {
		out.Account.Email, out.Mailed = np.Email, s.sends() && mail != EmailUnsent
	}
}

// unsentBefore returns mail, or EmailUnsent if the step that wrote left sent no message.
func unsentBefore(left []byte, mail EmailOutcome) EmailOutcome {
	if m, _ := readMade(left); m.Unsent {
		return EmailUnsent
	}
	return mail
}

// completedUpdate answers the completing call of an upload that was used before.
func (s *answers) completedUpdate(ctx context.Context, by sandlot.Caller, c *completing) (Updated, error) {
	done := *c.upload.Done
	out, err := s.updated(ctx, by, done.Project, done.Version, done.Made)
	if err != nil {
		return Updated{}, err
	}
	if !c.call.completes(done) {
		return Updated{}, uploadCompleted(done, out.Addresses.URL)
	}
	nf := c.meta.update()
	_, mail, err := s.pendingEmail(ctx, by, nf.Email, nf.Lang, EmailNone)
	if err != nil {
		return Updated{}, err
	}
	mail = unsentBefore(done.Made, mail)
	about, kept, err := s.warningsAgain(ctx, out.Project, out.File, out.Files, done.Made, c.call.in.Charge)
	out.Warnings = slices.Concat(nf.Warnings, about, s.mailWarnings(by, mail), kept, s.titleWarnings(out.Project))
	return out, err
}

// recordedPublish answers a publish that was made before.
func (s *answers) recordedPublish(ctx context.Context, by sandlot.Caller, in PublishInput, np newProject,
	rec IdempotencyRecord, keys Minted,
) (Published, error) {
	out, err := s.published(ctx, by, rec.Project, rec.Version, rec.Made)
	if err != nil {
		return Published{}, err
	}
	out.show(by, keys, in.Tool)
	if in.Part != nil {
		m, err := s.uploads.firstSaid(ctx, publishCall(by, in, &np))
		if err != nil {
			return Published{}, err
		}
		np = m.publish()
	}
	s.tellEmail(&out, np, rec.Email)
	about, kept, err := s.warningsAgain(ctx, out.Project, out.File, out.Files, rec.Made, in.Part.charge())
	out.Warnings, out.FromRecord = slices.Concat(np.Warnings, about, s.mailWarnings(by, rec.Email), kept,
		s.listingWarnings(out.Project)), true
	return out, err
}

// recordedUpdate answers an update that was made before.
func (s *answers) recordedUpdate(ctx context.Context, by sandlot.Caller, in UpdateInput, nf newFile,
	rec IdempotencyRecord,
) (Updated, error) {
	if in.FormToken != "" {
		if p, err := s.find(ctx, string(rec.Project)); err != nil || p.Version != rec.Version {
			return Updated{}, cmp.Or(err, error(FormUsedError{rec.Version}))
		}
	}
	out, err := s.updated(ctx, by, rec.Project, rec.Version, rec.Made)
	if err != nil {
		return Updated{}, err
	}
	if in.Part != nil {
		m, err := s.uploads.firstSaid(ctx, updateCall(s.places, by, in, &nf))
		if err != nil {
			return Updated{}, err
		}
		nf = m.update()
	}
	about, kept, err := s.warningsAgain(ctx, out.Project, out.File, out.Files, rec.Made, in.Part.charge())
	out.Warnings = slices.Concat(nf.Warnings, about, s.mailWarnings(by, rec.Email), kept, s.titleWarnings(out.Project))
	out.FromRecord = true
	return out, err
}

// warningsAgain returns the warnings about the files of a call, for an answer from its record, and those about the
// version that it made. Warnings about each of many files are in the record, all others are made anew. charge takes the
// bytes that are read: a call whose bytes were all charged has none.
func (s *answers) warningsAgain(ctx context.Context, p sandlot.Project, one sandlot.File, many []sandlot.File,
	left []byte, charge sandlot.Charge,
) (about, kept []sandlot.Warning, err error) {
	m, _ := readMade(left)
	changed := []sandlot.File{one}
	switch {
	case m.Many != nil:
		about, changed = m.Many.Warnings, many
	case one.Blob.ID == 0:
		return nil, nil, nil // its bytes were erased: there is nothing to look at
	default:
		if about, err = s.fileWarnings(ctx, one, one.Name == p.Primary, charge); err != nil {
			return nil, nil, err
		}
		about = append(m.Warnings, about...)
	}
	files, err := s.store.Files(ctx, p.ID, p.Version)
	if errors.Is(err, sandlot.ErrNotFound) { // it was erased
		return about, nil, nil
	}
	if err == nil {
		kept, err = s.versionWarnings(ctx, p, changed, files, charge)
		kept = append(s.heldAgain(ctx, p, files), kept...)
	}
	return about, kept, err
}

// publish returns the publish that part 1 requested.
func (m uploadMeta) publish() newProject {
	if m.Publish == nil {
		return newProject{}
	}
	return *m.Publish
}

// update returns the update that part 1 requested.
func (m uploadMeta) update() newFile {
	if m.Update == nil {
		return newFile{}
	}
	return *m.Update
}

// recordedDelete answers a deletion that was made before.
func (s *answers) recordedDelete(ctx context.Context, by sandlot.Caller, name string, rec IdempotencyRecord) (Deleted, error) {
	p, files, err := s.asOf(ctx, rec.Project, rec.Version, nil)
	if err == nil {
		err = sandlot.Authorize(by, sandlot.ActEdit, &p)
	}
	if err != nil {
		return Deleted{}, err
	}
	return Deleted{
		Project: p, Addresses: s.Places.Project(p.ID, p.Version, p.Suffix), Previous: rec.Version - 1, Filename: name,
		Warnings: slices.Concat(s.mailWarnings(by, rec.Email), s.heldAgain(ctx, p, files), s.lacking(ctx, p, files)), FromRecord: true,
	}, nil
}

// recordedSignup answers a signup that was made before, with the address of that request, even if its owner has changed
// it since.
func (s *answers) recordedSignup(ctx context.Context, email string, rec IdempotencyRecord, keys Minted) (SignedUp, error) {
	a, err := s.store.Account(ctx, rec.Account)
	if errors.Is(err, sandlot.ErrNotFound) {
		return SignedUp{}, sandlot.Refuse(sandlot.CodeNotFound,
			"This succeeded earlier, but the account was deleted since.").With(sandlot.OpSignup).
			Note("Make another one, under a fresh idempotency key.")
	}
	a.Email, a.EmailVerified = email, false
	out := SignedUp{Account: a, Key: keys.Account, Connect: keys.Connect, FromRecord: true, email: rec.Email}
	if email != "" && rec.Email != EmailUnsent {
		out.email = EmailSet
	}
	return out, err
}

// A made holds the fields of a version for an answer from the record: that version, and the one before, may be erased
// meanwhile.
type made struct {
	Title    string
	Suffix   string
	At       time.Time
	Filename string // of the file in the call
	Created  bool   // whether the file was new
	Size     int64
	SHA256   sandlot.Digest
	Text     bool
	Warnings []sandlot.Warning `json:",omitempty"` // warnings that nothing else reveals
	Unsent   bool              `json:",omitempty"` // whether no message was sent to the address in the call
	// of a call with many files; an update has these instead of Filename and the fields after it
	Many *madeOfMany `json:",omitempty"`
}

// madeOf describes the version that a step makes, with the file of the call.
func madeOf(title, suffix string, at time.Time, f sandlot.File, created bool) made {
	return made{
		Title: title, Suffix: suffix, At: at, Filename: f.Name, Created: created, Size: f.Blob.Size,
		SHA256: f.Blob.SHA256, Text: f.Blob.Text,
	}
}

// encode writes m for a record.
func (m made) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("describe the version: %w", err)
	}
	return text, nil
}

// readMade reads the output of encode. ok is false for empty and unreadable records; the oldest ones are empty.
func readMade(text []byte) (m made, ok bool) {
	return m, len(text) > 0 && json.Unmarshal(text, &m) == nil
}

// version returns a project as the step left it, and its file, which is the primary one if there were many.
func (m made) version(p sandlot.Project, n int) (sandlot.Project, []sandlot.File) {
	p.Version, p.Suffix, p.Title, p.UpdatedAt = n, m.Suffix, m.Title, m.At
	switch {
	case m.Many == nil && n == 1:
		p.Primary = m.Filename
	case m.Many != nil:
		p.Primary, p.FileCount, p.Size = cmp.Or(m.Many.Primary, m.Filename), m.Many.FileCount, m.Many.Size
	}
	if m.Filename == "" {
		return p, nil
	}
	return p, []sandlot.File{{Name: m.Filename, Blob: sandlot.Blob{Size: m.Size, SHA256: m.SHA256, Text: m.Text}}}
}

// sealKeys encrypts minted keys, so that only a caller who repeats the call can read them.
func sealKeys(v *sandlot.Vault, k sandlot.Seal, keys Minted) ([]byte, error) {
	plain, err := json.Marshal([4]string{keys.Account.Reveal(), keys.Project.Reveal(), keys.Edit.Reveal(), keys.Connect.Reveal()})
	if err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	return v.SealFor(k, plain)
}

// unsealKeys decrypts the keys. Another caller gets an error.
func unsealKeys(v *sandlot.Vault, k sandlot.Seal, answer []byte) (Minted, error) {
	plain, err := v.UnsealFor(k, answer)
	if err != nil {
		return Minted{}, err
	}
	var keys [4]sandlot.Secret // of a record of v0.1.0 there are two
	err = json.Unmarshal(plain, &keys)
	return Minted{keys[0], keys[1], keys[2], keys[3]}, err
}
