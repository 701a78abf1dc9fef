package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/storage/sqlstore/postgres"
)

// moveCommand moves everything to another place while the server runs. It can be cut short
// at any moment and run again, which goes on where it was.
type moveCommand struct {
	From            string `type:"path" placeholder:"FOLDER" help:"Data folder to move from, where a server may be running; none is needed with both URLs. (default: none)"`
	FromDatabaseURL string `name:"from-database-url" placeholder:"URL" secret:"" help:"PostgreSQL database to move from, if the records are in one. (default: SQLite in the folder --from)"`
	FromBlobURL     string `name:"from-blob-url" placeholder:"URL" help:"S3-compatible store to move from, if the files are in one, as --blob-url of serve. (default: the folder --from)"`
	To              string `type:"path" placeholder:"FOLDER" help:"Data folder to move to, which must have no records or files; none is needed with both URLs. (default: none)"`
	ToDatabaseURL   string `name:"to-database-url" placeholder:"URL" secret:"" help:"PostgreSQL database to move to, which must be empty. (default: SQLite in the folder --to)"`
	ToBlobURL       string `name:"to-blob-url" placeholder:"URL" help:"S3-compatible store to move to, which must hold no files; with the one to move from, the files stay. (default: the folder --to)"`
	AllowDamaged    bool   `help:"Move although files are damaged: they are listed, and their bytes stay behind. (default: stop before the switch)"`
	Abandon         bool   `help:"End a move that is not finished: --from then serves as before. (default: move)"`
	Force           bool   `help:"With --abandon: let --from take changes again, although it has been moved. What changed at its target since is not in it. (default: refuse)"`
	format
}

// A side is one of the two places.
type side struct {
	storage
	flag string // that names its folder
}

func (c *moveCommand) sides(t *terminal) (from, to side) {
	return side{storage{Data: c.From, DatabaseURL: c.FromDatabaseURL, BlobURL: c.FromBlobURL, variables: t.lookup}, "--from"},
		side{storage{Data: c.To, DatabaseURL: c.ToDatabaseURL, BlobURL: c.ToBlobURL, variables: t.lookup}, "--to"}
}

// check refuses a side that cannot be meant.
func (s side) check() error {
	if s.Data == "" && !s.elsewhere() {
		return fmt.Errorf("%s is needed: name a data folder, or both %s-database-url and %s-blob-url", s.flag, s.flag, s.flag)
	}
	if err := s.storage.check(); err != nil {
		return fmt.Errorf("%s: %w", s.flag, err)
	}
	return nil
}

// String is what people call the place, without a password.
func (s side) String() string {
	var parts []string
	if u, err := url.Parse(s.DatabaseURL); err == nil && s.DatabaseURL != "" {
		parts = append(parts, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String())
	}
	if at, err := s3.ParseURL(s.BlobURL); err == nil && s.BlobURL != "" {
		parts = append(parts, at.String())
	}
	if !s.elsewhere() {
		parts = append(parts, s.Data)
	}
	return strings.Join(parts, " and ")
}

// Run moves, or abandons a move.
func (c *moveCommand) Run(ctx context.Context, t *terminal) error {
	from, to := c.sides(t)
	if c.Abandon {
		return c.abandon(ctx, t, from)
	}
	if c.Force {
		return usageError{errors.New("--force belongs to --abandon")}
	}
	if err := errors.Join(from.check(), to.check()); err != nil {
		return usageError{err}
	}
	m := &moving{command: c, from: from, to: to, t: t}
	defer m.close()
	if err := m.open(ctx); err != nil {
		return err
	}
	seen, err := m.run(ctx)
	if errors.Is(err, operate.ErrMoveDamaged) {
		return fmt.Errorf("%w: %s serves as before. Mend them (sandlot verify says how) and run this again, or leave them behind with --allow-damaged", err, from)
	}
	if err != nil && errors.Is(err, sqlstore.ErrUnfit) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w\nNothing is lost: run the same again to go on, or with --abandon to give it up", err)
	}
	return m.done(seen)
}

func (c *moveCommand) abandon(ctx context.Context, t *terminal, from side) error {
	if err := from.check(); err != nil {
		return usageError{err}
	}
	db, err := from.evenFull(ctx)
	if err != nil {
		return err
	}
	abandon := func() error { return db.Abandon(ctx, c.Force) }
	if err := errors.Join(sandlot.EvenFull(from.spend(), abandon), db.Close()); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s serves as before. What its target holds is of no use: delete it.\n", from)
	return nil
}

// moving is one run.
type moving struct {
	command  *moveCommand
	from, to side
	t        *terminal

	records [2]*sqlstore.DB
	blobs   [2]movedBlobs
	stay    bool // the files do
	lock    interface{ Close() error }
	told    time.Time
}

// movedBlobs are the bytes of a side.
type movedBlobs interface {
	operate.MoveBlobs
	List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error]
	Close() error
}

// open opens both sides.
func (m *moving) open(ctx context.Context) (err error) {
	sameFolder := samePlace(m.from.Data, m.to.Data)
	m.stay = m.from.BlobURL == m.to.BlobURL && (sameFolder || m.from.BlobURL != "")
	if sameFolder && m.from.DatabaseURL == "" && m.to.DatabaseURL == "" {
		return usageError{fmt.Errorf("--from and --to are the same folder %s", m.from.Data)}
	}
	if m.records[0], err = m.from.records(ctx); err != nil {
		return err
	}
	if m.to.Data != "" && !sameFolder { // the server of the source holds that lock
		if m.lock, err = lockFolder(m.to.Data); err != nil {
			return err
		}
	}
	if m.blobs[0], err = m.source(ctx); err != nil {
		return err
	}
	if !m.stay {
		if m.blobs[1], err = m.destination(ctx); err != nil {
			return err
		}
	}
	m.records[1], err = m.target(ctx)
	return err
}

// source opens the bytes that there are.
func (m *moving) source(ctx context.Context) (movedBlobs, error) {
	if m.from.BlobURL != "" {
		return m.bucket(ctx, m.from, true)
	}
	b, err := blob.OpenDisk(filepath.Join(m.from.Data, blobsName), blob.Options{Existing: true})
	if err != nil {
		return nil, fmt.Errorf("the folder of files cannot be read: %w", err)
	}
	return b, nil
}

// destination opens the place that the bytes go to.
func (m *moving) destination(ctx context.Context) (movedBlobs, error) {
	if m.to.BlobURL != "" {
		return m.bucket(ctx, m.to, false)
	}
	b, err := blob.OpenDisk(filepath.Join(m.to.Data, blobsName), blob.Options{})
	if err != nil {
		return nil, fmt.Errorf("the folder of files cannot be used: %w", err)
	}
	return b, nil
}

// bucket opens a bucket without a cache: bytes are compared, and read once. It is that of
// the installation, whose id moves with its secrets.
func (m *moving) bucket(ctx context.Context, s side, existing bool) (movedBlobs, error) {
	id, err := installation(ctx, m.records[0], "instance")
	if err != nil {
		return nil, err
	}
	store, err := s.bucket(ctx, s3.Options{Instance: hex.EncodeToString(id), Existing: existing})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.flag, err)
	}
	return cached{cache.New(store, cache.Options{}), store}, nil
}

// target opens the records of the side that is filled, and makes them if there are none.
func (m *moving) target(ctx context.Context) (*sqlstore.DB, error) {
	if m.to.DatabaseURL != "" {
		return sqlstore.OpenPostgres(ctx, m.to.DatabaseURL, postgres.Options{Filling: true})
	}
	return sqlstore.OpenSQLite(ctx, filepath.Join(m.to.Data, databaseName), sqlstore.Options{Filling: true})
}

// samePlace reports whether two names are those of one folder.
func samePlace(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (m *moving) close() {
	for _, db := range m.records {
		if db != nil {
			_ = db.Close() // what was done is durable
		}
	}
	for _, b := range m.blobs {
		if b != nil {
			_ = b.Close()
		}
	}
	if m.lock != nil {
		_ = m.lock.Close()
	}
}

func (m *moving) run(ctx context.Context) (operate.Moved, error) {
	records := sqlstore.NewMove(m.records[0], m.records[1], m.from.String(), m.to.String())
	mover := operate.Mover{
		Records: records, From: m.blobs[0], To: m.blobs[1], Stay: m.stay, Anyway: m.command.AllowDamaged, Now: time.Now,
		Finding: func(f operate.Finding) error {
			return m.command.print(m.t, f, func() { fmt.Fprintln(m.t.out, findingLine(f)) })
		},
		Progress: m.progress,
	}
	if !m.stay {
		records.Empty = m.empty
	}
	return mover.Run(ctx)
}

// empty refuses a target that has files already.
func (m *moving) empty(ctx context.Context) error {
	for _, err := range m.blobs[1].List(ctx, always()) {
		if err != nil {
			return err
		}
		return fmt.Errorf("%s is not empty (there are files in it); nothing was changed: name an empty one", m.to)
	}
	return nil
}

// tellEvery is how often a table that takes long says how far it is.
const tellEvery = 10 * time.Second

// progress tells of each table that is done, and now and then of one that is not.
func (m *moving) progress(phase string, p operate.MoveProgress) error {
	if p.Table == "" || !p.Done && time.Since(m.told) < tellEvery {
		return nil
	}
	m.told = time.Now()
	said := struct {
		Kind  string `json:"kind"`
		Table string `json:"table"`
		Rows  int64  `json:"rows"`
		Done  bool   `json:"done"`
	}{phase, p.Table, p.Rows, p.Done}
	return m.command.print(m.t, said, func() {
		more := ""
		if !p.Done {
			more = " so far"
		}
		fmt.Fprintf(m.t.out, "%s %s: %s%s\n", phase, p.Table, amount(p.Rows, "row"), more)
	})
}

// done tells what was moved, and what to do now.
func (m *moving) done(seen operate.Moved) error {
	left := []string{}
	if m.from.Data != "" && m.to.Data != "" && !samePlace(m.from.Data, m.to.Data) {
		if err := m.salt(); err != nil {
			left = append(left, fmt.Sprintf("Today's salt was not copied (%v): visitors of today count once more.", err))
		}
		if entries, err := os.ReadDir(filepath.Join(m.from.Data, mailName)); err == nil && len(entries) > 0 {
			left = append(left, fmt.Sprintf("Messages that were saved as files stay in %s.", filepath.Join(m.from.Data, mailName)))
		}
	}
	summary := struct {
		Kind string `json:"kind"`
		operate.Moved
		ReadOnly float64  `json:"read_only_seconds"`
		Left     []string `json:"left"`
	}{"summary", seen, seen.ReadOnly.Seconds(), left}
	return m.command.print(m.t, summary, func() {
		fmt.Fprintf(m.t.out, "moved to %s: %s, %s, %s copied and compared; changes were held up for %.1f s\n",
			m.to, amount(seen.Rows, "row"), amount(seen.Blobs, "blob"), amount(seen.Bytes, "byte"), seen.ReadOnly.Seconds())
		for _, s := range left {
			fmt.Fprintln(m.t.out, s)
		}
		fmt.Fprintf(m.t.out, "%s only serves reads now: stop its server, and start one on %s.\n", m.from, m.to)
	})
}

// salt copies what tells the visitors of today apart.
func (m *moving) salt() error {
	kept, err := os.ReadFile(filepath.Join(m.from.Data, saltName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cause(err)
	}
	return saltFile{name: filepath.Join(m.to.Data, saltName)}.write(kept)
}
