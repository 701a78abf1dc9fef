package operate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"sandlot"
)

// VerifyStore shows all records, in pieces, under the same promises as a publish.Store.
type VerifyStore interface {
	// Content returns the bytes of a blob that is kept in its record.
	Content(ctx context.Context, blobID int64) ([]byte, error)
	// Checkpoints is that of publish.Store.
	Checkpoints(ctx context.Context, blobID int64) (string, error)
	// Unknown returns those of the names that no record has.
	Unknown(ctx context.Context, refs []sandlot.BlobRef) ([]sandlot.BlobRef, error)
	// BlobsAfter returns blobs with an ID above after, in the order of their IDs, at most limit.
	BlobsAfter(ctx context.Context, after int64, limit int) ([]sandlot.Blob, error)
	// BlobUses returns the uses of a blob, at most limit, the oldest version first. A blob without a record is
	// ErrNotFound.
	BlobUses(ctx context.Context, id int64, limit int) ([]BlobUse, error)
	// Mistakes compares the next projects, at most limit, after the one with this Number, with their files and
	// versions. It returns the number of projects that it read, and the last one's Number; none is the end.
	Mistakes(ctx context.Context, after int64, limit int) (found []Mistake, seen int, last int64, err error)
	// AccountMistakes is Mistakes for accounts, by their IDs: their totals and handles.
	AccountMistakes(ctx context.Context, after int64, limit int) (found []Mistake, seen int, last int64, err error)
	// Damage reads all records and describes the damage of their storage, in at most limit sentences.
	Damage(ctx context.Context, limit int) ([]string, error)
}

// BlobUse is a reference to a blob: by a file of a project, a compressed form of one, a part of an upload, or a
// picture.
type BlobUse struct {
	Project  sandlot.ProjectID
	Filename string
	Version  int               // the first that has the file
	Encoding string            // of a compressed form
	Upload   bool              // a part; then all else is empty
	Picture  sandlot.PictureID // of Project, or of Account; then nothing else is set
	Account  string
}

// Mistake is a contradiction between the records of a project or an account and other records.
type Mistake struct {
	Handle   string // if it is about an account
	Project  sandlot.ProjectID
	Filename string // if it is about one file
	Detail   string
}

// VerifyBlobs stores the bytes that a Verifier reads.
type VerifyBlobs interface {
	// Open is that of publish.Blobs, and reads the whole blob before it returns; checkpoints of the blob are compared,
	// too.
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	// List is that of publish.Blobs.
	List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error]
}

// The kinds of a Finding. All but FoundStray are damage.
const (
	FoundMissing  = "missing"    // recorded bytes do not exist
	FoundDamaged  = "damaged"    // bytes are not those that were stored: cut, longer, or changed
	FoundUnread   = "unreadable" // bytes cannot be read from the disk
	FoundMistake  = "mistake"    // records contradict each other
	FoundDatabase = "database"   // the database itself is damaged
	FoundStray    = "stray"      // nothing refers to it; the Collector deletes it
)

// Finding is a fault that a Verifier reports. Empty fields do not apply.
type Finding struct {
	Kind     string            `json:"kind"`
	Handle   string            `json:"handle,omitempty"` // of an account
	Project  sandlot.ProjectID `json:"project_id,omitempty"`
	Filename string            `json:"filename,omitempty"`
	Version  int               `json:"version,omitempty"`  // the first that has the file
	Encoding string            `json:"encoding,omitempty"` // of a compressed form; the plain file is not concerned
	Blob     string            `json:"blob,omitempty"`     // its name, or "record 12"
	Detail   string            `json:"detail"`
}

// Verified holds the counts of a Verifier.
type Verified struct {
	Projects int64 `json:"projects"`
	Blobs    int64 `json:"blobs"`
	Bytes    int64 `json:"bytes"`
	Damaged  int64 `json:"damaged"` // findings that are damage
	Strays   int64 `json:"strays"`
}

// Limits of a Verifier.
const (
	verifyPage  = 500 // records held at once
	usesShown   = 10  // of one damaged blob
	damageShown = 100 // sentences about the database
)

// A Verifier compares every blob with its hash, and every record with the records and bytes that it refers to. It holds
// some hundred records at a time, and may run beside a running server. A Verifier is for one Run.
type Verifier struct {
	Records VerifyStore
	Blobs   VerifyBlobs
	Now     func() time.Time
	Report  func(Finding) error // called with each finding as it is found; its error ends the run

	seen Verified
}

// Run verifies everything once and returns its counts. Findings are no error: an error means that not everything could
// be verified.
func (v *Verifier) Run(ctx context.Context) (Verified, error) {
	accounts := func(ctx context.Context) error {
		_, err := v.mistakes(ctx, v.Records.AccountMistakes)
		return err
	}
	projects := func(ctx context.Context) (err error) {
		v.seen.Projects, err = v.mistakes(ctx, v.Records.Mistakes)
		return err
	}
	for _, part := range []func(context.Context) error{v.database, accounts, projects, v.blobs, v.strays} {
		if err := part(ctx); err != nil {
			return v.seen, fmt.Errorf("verify: %w", err)
		}
	}
	return v.seen, nil
}

// found counts and reports a finding.
func (v *Verifier) found(f Finding) error {
	if f.Kind == FoundStray {
		v.seen.Strays++
	} else {
		v.seen.Damaged++
	}
	return v.Report(f)
}

// database verifies the database itself.
func (v *Verifier) database(ctx context.Context) error {
	list, err := v.Records.Damage(ctx, damageShown)
	for _, detail := range list {
		if err := v.found(Finding{Kind: FoundDatabase, Detail: detail}); err != nil {
			return err
		}
	}
	return err
}

type readMistakes func(ctx context.Context, after int64, limit int) (found []Mistake, seen int, last int64, err error)

// mistakes reads page after page, reports the mistakes, and returns the number of records it read.
func (v *Verifier) mistakes(ctx context.Context, read readMistakes) (all int64, err error) {
	for last := int64(0); ; {
		found, seen, next, err := read(ctx, last, verifyPage)
		if err != nil || seen == 0 {
			return all, err
		}
		last = next
		all += int64(seen)
		for _, m := range found {
			f := Finding{Kind: FoundMistake, Handle: m.Handle, Project: m.Project, Filename: m.Filename, Detail: m.Detail}
			if err := v.found(f); err != nil {
				return all, err
			}
		}
	}
}

// blobs verifies the bytes of all blobs that have a record.
func (v *Verifier) blobs(ctx context.Context) error {
	for last := int64(0); ; {
		page, err := v.Records.BlobsAfter(ctx, last, verifyPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, b := range page {
			last = b.ID
			if err := v.blob(ctx, b); err != nil {
				return err
			}
			v.seen.Blobs++
			v.seen.Bytes += b.Size
		}
	}
}

// blob verifies the bytes of one blob.
func (v *Verifier) blob(ctx context.Context, b sandlot.Blob) (err error) {
	if b.Checkpoints, err = v.Records.Checkpoints(ctx, b.ID); err != nil {
		return err
	}
	err = v.read(ctx, b)
	kind := FoundDamaged
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sandlot.ErrNotFound):
		kind = FoundMissing
	case ctx.Err() != nil || b.Ref == "" && !errors.Is(err, sandlot.ErrCorrupt):
		return err // the records cannot be read
	case !errors.Is(err, sandlot.ErrCorrupt):
		kind = FoundUnread
	}
	uses, useErr := v.Records.BlobUses(ctx, b.ID, usesShown)
	if errors.Is(useErr, sandlot.ErrNotFound) {
		return nil // collected since its record was read
	}
	if useErr != nil {
		return useErr
	}
	return v.bad(b, kind, err.Error(), uses)
}

// read reads a whole blob. Blobs compares those in files with their hashes; read compares those in records.
func (v *Verifier) read(ctx context.Context, b sandlot.Blob) error {
	if b.Ref == "" {
		bytes, err := v.Records.Content(ctx, b.ID)
		switch {
		case err != nil:
			return err
		case int64(len(bytes)) != b.Size:
			return fmt.Errorf("%w: %d bytes instead of %d", sandlot.ErrCorrupt, len(bytes), b.Size)
		case sha256.Sum256(bytes) != b.SHA256:
			return fmt.Errorf("%w: other bytes", sandlot.ErrCorrupt)
		}
		return nil
	}
	r, err := v.Blobs.Open(ctx, b, 0, 0) // no byte of it: then all is compared before it is open
	if err != nil {
		return err
	}
	return r.Close()
}

// bad reports a damaged blob, once for each file that has it.
func (v *Verifier) bad(b sandlot.Blob, kind, detail string, uses []BlobUse) error {
	f := Finding{Kind: kind, Blob: string(b.Ref), Detail: detail}
	if b.Ref == "" {
		f.Blob = fmt.Sprintf("record %d", b.ID)
	}
	if len(uses) == 0 {
		f.Kind, f.Detail = FoundStray, "nothing refers to it any more; "+detail
		return v.found(f)
	}
	for _, u := range uses {
		of := f
		of.Project, of.Filename, of.Version, of.Encoding = u.Project, u.Filename, u.Version, u.Encoding
		if u.Picture != "" {
			of.Handle, of.Detail = u.Account, "the picture "+string(u.Picture)+"; "+detail
		}
		if u.Upload {
			of.Detail = "a part of an upload that is not complete; " + detail
		}
		if err := v.found(of); err != nil {
			return err
		}
	}
	return nil
}

const strayDetail = "no record refers to it; the collector will delete it within an hour. " +
	"One that stays cannot be deleted: the log says why"

// strays reports blobs that the Collector should have deleted.
func (v *Verifier) strays(ctx context.Context) error {
	batch := make([]sandlot.BlobRef, 0, verifyPage)
	flush := func() error {
		unknown, err := v.Records.Unknown(ctx, batch)
		batch = batch[:0]
		for _, ref := range unknown {
			if err := v.found(Finding{Kind: FoundStray, Blob: string(ref), Detail: strayDetail}); err != nil {
				return err
			}
		}
		return err
	}
	var unread error
	for ref, err := range v.Blobs.List(ctx, v.Now().Add(-Grace)) {
		if unread = err; err != nil {
			break
		}
		if batch = append(batch, ref); len(batch) == verifyPage {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(flush(), unread)
}
