package testworld

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
)

// ErrPanic, as an error after a step, makes the step panic after it happened.
var ErrPanic = errors.New("panic")

// Faults make steps of the stores fail. Step is asked at each step that Store and Management name, by the name of the method: an error
// before
// keeps the step from happening, an error after is returned although it happened, as when a connection breaks. It must not be set while
// calls are under way; nil means no faults.
type Faults struct {
	Step func(step string) (before, after error)
}

// Around does a step with the faults that it is to have.
func (f *Faults) Around(step string, do func() error) error {
	var before, after error
	if f.Step != nil {
		before, after = f.Step(step)
	}
	if before != nil {
		return before
	}
	if err := do(); err != nil {
		return err
	}
	if errors.Is(after, ErrPanic) {
		panic(after)
	}
	return after
}

// with is Around for a call that returns something.
func with[T any](f *Faults, step string, do func() (T, error)) (out T, err error) {
	err = f.Around(step, func() error { out, err = do(); return err })
	return out, err
}

// faulty is a store whose steps have faults that the Service which observes it sees as those of the database.
type faulty struct {
	db     *sqlstore.DB
	faults *Faults
	around publish.Around
}

// stepOf does a step of s with its faults.
func stepOf[T any](s *faulty, name string, do func(sqlstore.Publish) (T, error)) (T, error) {
	db := *s.db
	db.Publish().Observe(func(step func() (sandlot.Changed, error), blobs []sandlot.Blob) error {
		return s.around(func() (changed sandlot.Changed, err error) {
			err = s.faults.Around(name, func() error { changed, err = step(); return err })
			return changed, err
		}, blobs)
	})
	return do(db.Publish())
}

// Store is a store with faults.
type Store struct {
	publish.Store
	faulty *faulty
}

// Observe implements publish.Store.
func (s Store) Observe(around publish.Around) {
	s.faulty.around = around
	s.Store.Observe(around)
}

func (s Store) CreateAccount(ctx context.Context, na publish.NewAccount) (sandlot.Account, error) {
	return stepOf(s.faulty, "CreateAccount",
		func(db sqlstore.Publish) (sandlot.Account, error) { return db.CreateAccount(ctx, na) })
}

func (s Store) CreateProject(ctx context.Context, np publish.NewProject) (sandlot.Project, error) {
	return stepOf(s.faulty, "CreateProject",
		func(db sqlstore.Publish) (sandlot.Project, error) { return db.CreateProject(ctx, np) })
}

func (s Store) PutFile(
	ctx context.Context, id sandlot.ProjectID, f sandlot.File, at publish.Edit,
) (sandlot.Project, error) {
	return stepOf(s.faulty, "PutFile",
		func(db sqlstore.Publish) (sandlot.Project, error) { return db.PutFile(ctx, id, f, at) })
}

func (s Store) DeleteFile(
	ctx context.Context, id sandlot.ProjectID, name string, at publish.Edit,
) (sandlot.Project, error) {
	return stepOf(s.faulty, "DeleteFile",
		func(db sqlstore.Publish) (sandlot.Project, error) { return db.DeleteFile(ctx, id, name, at) })
}

func (s Store) SaveUpload(
	ctx context.Context, u publish.Upload, part *publish.Part, within publish.UploadQuota,
) (int64, error) {
	return stepOf(s.faulty, "SaveUpload",
		func(db sqlstore.Publish) (int64, error) { return db.SaveUpload(ctx, u, part, within) })
}

func (s Store) IdempotencyRecord(ctx context.Context, key sandlot.Digest, now time.Time,
	or ...sandlot.Digest,
) (publish.IdempotencyRecord, error) {
	return with(s.faulty.faults, "IdempotencyRecord",
		func() (publish.IdempotencyRecord, error) { return s.Store.IdempotencyRecord(ctx, key, now, or...) })
}

func (s Store) Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	return with(s.faulty.faults, "Project", func() (sandlot.Project, error) { return s.Store.Project(ctx, id) })
}

func (s Store) Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error) {
	return with(s.faulty.faults, "Files", func() ([]sandlot.File, error) { return s.Store.Files(ctx, id, version) })
}

func (s Store) FilesNear(ctx context.Context, id sandlot.ProjectID, folded string) ([]sandlot.File, error) {
	return with(s.faulty.faults, "FilesNear", func() ([]sandlot.File, error) { return s.Store.FilesNear(ctx, id, folded) })
}

// Counts is a store of counts with faults.
type Counts struct {
	gallery.CountStore
	Faults *Faults
}

func (s Counts) AddCounts(ctx context.Context, counts map[sandlot.ProjectID]gallery.Counts) ([]gallery.Load, error) {
	return with(s.Faults, "AddCounts", func() ([]gallery.Load, error) { return s.CountStore.AddCounts(ctx, counts) })
}

func (s Counts) Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	return with(s.Faults, "Project", func() (sandlot.Project, error) { return s.CountStore.Project(ctx, id) })
}

// Management is a store of what owners do by hand, with faults.
type Management struct {
	publish.ManagementStore
	faulty *faulty
}

func (s Management) Rearrange(
	ctx context.Context, id sandlot.ProjectID, c publish.Change, at publish.Edit,
) (sandlot.Project, error) {
	return stepOf(s.faulty, "Rearrange",
		func(db sqlstore.Publish) (sandlot.Project, error) { return db.Rearrange(ctx, id, c, at) })
}

func (s Management) SetDetails(ctx context.Context, id sandlot.ProjectID, d publish.DetailsChange) error {
	_, err := stepOf(s.faulty, "SetDetails",
		func(db sqlstore.Publish) (_ struct{}, err error) { return struct{}{}, db.SetDetails(ctx, id, d) })
	return err
}

// Blobs fail in the calls that its fields name. The fields must not be set while calls are under way.
type Blobs struct {
	sandlot.Blobs
	BeforePut  error // nothing is stored
	AfterPut   error // returned although the blob is stored
	FailDelete error
	// Opening stands around Open, which open calls; nil means no faults.
	Opening func(ctx context.Context, b sandlot.Blob, open func() (io.ReadCloser, error)) (io.ReadCloser, error)
}

func (b *Blobs) Open(ctx context.Context, blob sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	open := func() (io.ReadCloser, error) { return b.Blobs.Open(ctx, blob, off, n) }
	if b.Opening == nil {
		return open()
	}
	return b.Opening(ctx, blob, open)
}

func (b *Blobs) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	if b.BeforePut != nil {
		return sandlot.Blob{}, b.BeforePut
	}
	out, err := b.Blobs.Put(ctx, ref, r)
	if err == nil && b.AfterPut != nil {
		return sandlot.Blob{}, b.AfterPut
	}
	return out, err
}

func (b *Blobs) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	if b.FailDelete != nil {
		return b.FailDelete
	}
	return b.Blobs.Delete(ctx, ref)
}

// AllBlobs lists every blob of b, whatever its age: files are dated by the machine's clock, not by a world's.
func AllBlobs(b sandlot.Blobs) sandlot.Blobs { return allBlobs{b} }

type allBlobs struct{ sandlot.Blobs }

func (b allBlobs) List(ctx context.Context, _ time.Time) iter.Seq2[sandlot.BlobRef, error] {
	return b.Blobs.List(ctx, time.Now().Add(time.Hour))
}
