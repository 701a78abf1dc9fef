package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/storage/sqlstore/postgres"
)

// moveCommand copies everything to another place while no server runs. It can be interrupted at any moment and run
// again.
type moveCommand struct {
	From            string `type:"path" placeholder:"FOLDER" help:"Data folder to move from; not needed with both URLs. (default: none)"`
	FromDatabaseURL string `name:"from-database-url" placeholder:"URL" secret:"" help:"PostgreSQL to move from. (default: SQLite)"`
	FromBlobURL     string `name:"from-blob-url" placeholder:"URL" help:"S3-compatible store to move from. (default: the folder --from)"`
	To              string `type:"path" placeholder:"FOLDER" help:"Empty data folder to move to, unless both URLs are set. (default: none)"`
	ToDatabaseURL   string `name:"to-database-url" placeholder:"URL" secret:"" help:"Empty PostgreSQL to move to. (default: SQLite)"`
	ToBlobURL       string `name:"to-blob-url" placeholder:"URL" help:"Empty S3-compatible store, or the same. (default: the folder --to)"`
	AllowDamaged    bool   `help:"Move without lost bytes, and list them. (default: stop before the records)"`
}

// A side is the source or the target of a move.
type side struct {
	storage
	flag string // the flag that names its folder
}

// check refuses an incomplete side.
func (s side) check() error {
	if s.Data == "" && !s.elsewhere() {
		return fmt.Errorf("%s is needed: name a data folder, or both %s-database-url and %s-blob-url", s.flag, s.flag, s.flag)
	}
	if err := s.storage.check(); err != nil {
		return fmt.Errorf("%s: %w", s.flag, err)
	}
	return nil
}

// Run moves everything.
func (c *moveCommand) Run(ctx context.Context, t *terminal) error {
	m := &moving{
		command: c, t: t,
		from: side{storage{Data: c.From, DatabaseURL: c.FromDatabaseURL, BlobURL: c.FromBlobURL, variables: t.lookup}, "--from"},
		to:   side{storage{Data: c.To, DatabaseURL: c.ToDatabaseURL, BlobURL: c.ToBlobURL, variables: t.lookup}, "--to"},
	}
	defer m.close()
	if err := m.open(ctx); err != nil {
		return err
	}
	if err := m.run(ctx); err != nil {
		return fmt.Errorf("%w\nNothing is lost, and %s is as it was: run the same again", err, m.from)
	}
	return m.done()
}

// moving is one run of the command.
type moving struct {
	command  *moveCommand
	t        *terminal
	from, to side

	sameFolder bool
	records    sqlstore.Move
	source     verifiable
	target     fillable // nil if the files stay where they are
	opened     []io.Closer

	rows int64
	seen operate.Verified
}

// fillable are the bytes at the target of a move.
type fillable interface {
	verifiable
	taker
}

// A filledBucket is a bucket that takes files as a folder does.
type filledBucket struct{ cached }

// TakeFrom stores a blob, and may replace the same one.
func (f filledBucket) TakeFrom(ctx context.Context, ref sandlot.BlobRef, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = f.Put(ctx, ref, r)
	return err
}

// open opens both sides, and refuses those that cannot be moved.
func (m *moving) open(ctx context.Context) error {
	if err := errors.Join(m.from.check(), m.to.check()); err != nil {
		return usageError{err}
	}
	m.sameFolder = samePlace(m.from.Data, m.to.Data)
	if m.sameFolder && m.from.DatabaseURL == m.to.DatabaseURL && (m.from.DatabaseURL == "" || m.from.BlobURL == m.to.BlobURL) {
		return usageError{fmt.Errorf("--from and --to are the same folder %s", m.from.Data)}
	}
	for _, open := range []func(context.Context) error{m.openSource, m.claim, m.openRecords, m.openTarget} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *moving) openSource(ctx context.Context) (err error) {
	if m.records.From, err = m.from.existingRecords(ctx, true); err != nil {
		return err
	}
	m.opened = append(m.opened, m.records.From)
	if err := m.lock(m.from); err != nil {
		return err
	}
	if m.source, err = m.from.existing(ctx, m.records.From); err == nil {
		m.opened = append(m.opened, m.source)
	}
	return err
}

// lock keeps servers out of the folder of a side.
func (m *moving) lock(s side) error {
	if s.Data == "" {
		return nil
	}
	l, err := datafolder.Lock(context.Background(), s.Data, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", s.flag, err)
	}
	m.opened = append(m.opened, l)
	return nil
}

// claim marks the target folder as unfinished, so that no server starts on it before the end.
func (m *moving) claim(context.Context) error {
	if m.sameFolder || m.to.Data == "" {
		return nil
	}
	if err := m.lock(m.to); err != nil {
		return err
	}
	if m.to.finished() != nil {
		return nil // an earlier run was interrupted
	}
	entries, err := os.ReadDir(m.to.Data)
	if err == nil && len(entries) > 1 { // the folder holds the lock
		err = fmt.Errorf("%s is not empty; nothing was changed: name an empty folder, or none", m.to.Data)
	}
	if err == nil {
		err = os.WriteFile(m.mark(), []byte(m.from.String()), 0o600)
	}
	return errors.Join(err, durable.Sync(os.Open(m.to.Data)))
}

func (m *moving) mark() string { return filepath.Join(m.to.Data, unfinishedName) }

// openRecords opens the target database, and makes it if it is missing.
func (m *moving) openRecords(ctx context.Context) (err error) {
	if m.to.DatabaseURL != "" {
		m.records.To, err = sqlstore.OpenPostgres(ctx, m.to.DatabaseURL, postgres.Options{})
	} else {
		m.records.To, err = sqlstore.OpenSQLite(ctx, filepath.Join(m.to.Data, databaseName), sqlstore.Options{})
	}
	if err != nil {
		return err
	}
	m.opened = append(m.opened, m.records.To)
	m.records.Progress = m.progress
	if err = m.records.Fits(ctx); errors.Is(err, sqlstore.ErrNotEmpty) {
		err = fmt.Errorf("%s cannot be moved to: %w; nothing was changed", m.to, err)
	}
	return err
}

// openTarget opens the target of the bytes, unless they stay.
func (m *moving) openTarget(ctx context.Context) (err error) {
	if m.from.BlobURL == m.to.BlobURL && (m.sameFolder || m.from.BlobURL != "") {
		return nil
	}
	if m.to.BlobURL == "" {
		m.target, err = blob.OpenDisk(filepath.Join(m.to.Data, blobsName), blob.Options{})
	} else {
		m.target, err = m.bucket(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.to.flag, err)
	}
	m.opened = append(m.opened, m.target)
	return nil
}

// bucket opens a bucket that belongs, or will belong, to the installation, whose id moves with its secrets.
func (m *moving) bucket(ctx context.Context) (fillable, error) {
	id, err := installation(ctx, m.records.From, "instance")
	if err != nil {
		return nil, err
	}
	store, err := m.to.bucket(ctx, s3.Options{Instance: hex.EncodeToString(id)})
	if err != nil {
		return nil, err
	}
	return filledBucket{cached{cache.New(store, cache.Options{}), store}}, nil
}

// samePlace reports whether two names are those of one folder.
func samePlace(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (m *moving) close() {
	for _, c := range m.opened {
		_ = c.Close() // all finished steps are durable
	}
}

// run copies and verifies the files, then copies and compares the records.
func (m *moving) run(ctx context.Context) error {
	verified := m.source
	if m.target != nil {
		verified = m.target
		take := func(ctx context.Context, b sandlot.Blob) error { return fetchBlob(ctx, m.source, m.target, b) }
		if err := takeAll(ctx, m.records.From, take); err != nil {
			return err
		}
	}
	v := operate.Verifier{Records: m.records.From.Upkeep(), Blobs: verified, Now: time.Now, Report: func(f operate.Finding) error {
		_, err := fmt.Fprintln(m.t.out, findingLine(f))
		return err
	}}
	var err error
	if m.seen, err = v.Run(ctx); err != nil {
		return err
	}
	if m.seen.Damaged > 0 && !m.command.AllowDamaged {
		return fmt.Errorf("%s: sandlot verify says how to mend them; --allow-damaged leaves lost bytes behind", damage(m.seen.Damaged))
	}
	return m.records.Run(ctx)
}

// progress prints a line for each table.
func (m *moving) progress(done, table string, rows int64) error {
	if done == "compared" {
		m.rows += rows
	}
	_, err := fmt.Fprintf(m.t.out, "%s %s: %s\n", done, table, amount(rows, "row"))
	return err
}

// done releases the target folder, and prints the totals.
func (m *moving) done() error {
	left := ""
	if m.to.Data != "" && !m.sameFolder {
		if err := errors.Join(os.Remove(m.mark()), durable.Sync(os.Open(m.to.Data))); err != nil {
			return err
		}
		mails := filepath.Join(m.from.Data, mailName)
		if entries, err := os.ReadDir(mails); err == nil && len(entries) > 0 && m.from.Data != "" {
			left = "Messages that were saved as files stay in " + mails + ".\n"
		}
	}
	_, err := fmt.Fprintf(m.t.out, "moved to %s: %s, %s, %s copied and compared\n%sStart a server on it, and none on %s any more.\n",
		m.to, amount(m.rows, "row"), amount(m.seen.Blobs, "blob"), amount(m.seen.Bytes, "byte"), left, m.from)
	return err
}
