package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"sandlot/internal/blob"
	"sandlot/internal/operate"
	"sandlot/internal/sqlstore"
	"sandlot/internal/sqlstore/postgres"
)

// moveCommand moves everything to another place while the server runs. It can be cut short
// at any moment and run again, which goes on where it was.
type moveCommand struct {
	From            string `type:"path" placeholder:"FOLDER" help:"Data folder to move from, where a server may be running. (default: none)"`
	FromDatabaseURL string `name:"from-database-url" placeholder:"URL" secret:"" help:"PostgreSQL database to move from, if the records are in one. (default: SQLite in the folder --from)"`
	To              string `type:"path" placeholder:"FOLDER" help:"Data folder to move to, which must have no records or files. (default: none)"`
	ToDatabaseURL   string `name:"to-database-url" placeholder:"URL" secret:"" help:"PostgreSQL database to move to, which must be empty. (default: SQLite in the folder --to)"`
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

func (c *moveCommand) sides() (from, to side) {
	return side{storage{Data: c.From, DatabaseURL: c.FromDatabaseURL}, "--from"}, side{storage{Data: c.To, DatabaseURL: c.ToDatabaseURL}, "--to"}
}

// check refuses a side that cannot be meant.
func (s side) check() error {
	if s.Data == "" {
		return fmt.Errorf("%s is needed: name a data folder", s.flag)
	}
	if s.DatabaseURL == "" {
		return nil
	}
	if err := postgres.CheckURL(s.DatabaseURL); err != nil {
		return fmt.Errorf("%s-database-url: %w", s.flag, err)
	}
	return nil
}

// String is what people call the place, without a password.
func (s side) String() string {
	if s.DatabaseURL == "" {
		return s.Data
	}
	u, err := url.Parse(s.DatabaseURL)
	if err != nil {
		return "PostgreSQL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Run moves, or abandons a move.
func (c *moveCommand) Run(ctx context.Context, t *terminal) error {
	from, to := c.sides()
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
	if err != nil {
		return fmt.Errorf("%w\nNothing is lost: run the same again to go on, or with --abandon to give it up", err)
	}
	return m.done(seen)
}

func (c *moveCommand) abandon(ctx context.Context, t *terminal, from side) error {
	if err := from.check(); err != nil {
		return usageError{err}
	}
	db, err := from.records(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(db.Abandon(ctx, c.Force), db.Close()); err != nil {
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
	blobs   [2]*blob.Disk
	stay    bool // the files do
	lock    interface{ Close() error }
	told    time.Time
}

// open opens both sides.
func (m *moving) open(ctx context.Context) (err error) {
	m.stay = samePlace(m.from.Data, m.to.Data)
	if m.stay && m.from.DatabaseURL == "" && m.to.DatabaseURL == "" {
		return usageError{fmt.Errorf("--from and --to are the same folder %s", m.from.Data)}
	}
	if m.records[0], err = m.from.records(ctx); err != nil {
		return err
	}
	if m.blobs[0], err = blob.OpenDisk(filepath.Join(m.from.Data, blobsName), blob.Options{Existing: true}); err != nil {
		return fmt.Errorf("the folder of files cannot be read: %w", err)
	}
	if !m.stay { // the server of the source holds that lock
		if m.lock, err = lockFolder(m.to.Data); err != nil {
			return err
		}
		if m.blobs[1], err = blob.OpenDisk(filepath.Join(m.to.Data, blobsName), blob.Options{}); err != nil {
			return fmt.Errorf("the folder of files cannot be used: %w", err)
		}
	}
	m.records[1], err = m.target(ctx)
	return err
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
		return fmt.Errorf("%s is not empty (there are files in %s); nothing was changed: name an empty one", m.to.Data, blobsName)
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
	if !m.stay {
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
