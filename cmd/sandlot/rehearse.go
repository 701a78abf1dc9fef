package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore"
)

// rehearseCommand starts the service on a copy of a backup, reads some projects as a visitor does, and compares them
// with their hashes. The copy listens on this machine alone, sends no mail, and is removed afterwards.
type rehearseCommand struct {
	Folder string `arg:"" type:"path" help:"Folder that sandlot backup made."`
	storage
	Projects  int    `default:"100" placeholder:"N" help:"Number of projects to read, drawn at random."`
	Temporary string `type:"path" placeholder:"FOLDER" help:"Where the copy lies meanwhile. (default: beside the backup, where files are linked)"`
}

// Run rehearses, and records its time for the metrics of the backup's service.
func (c *rehearseCommand) Run(ctx context.Context, t *terminal) error {
	if c.Projects < 1 {
		return usageError{fmt.Errorf("--projects %d is less than 1", c.Projects)}
	}
	if err := c.check(); err != nil {
		return usageError{err}
	}
	r := &rehearsal{from: filepath.Clean(c.Folder), projects: c.Projects, t: t}
	if err := r.run(ctx, c.Temporary); err != nil {
		return fmt.Errorf("rehearse: %w", err)
	}
	counts, err := c.leave(ctx, t, r)
	fmt.Fprintf(t.out, "%s: started, and read %d of %s, %s, %s in %v: %d damaged%s\n", r.from, r.read, amount(r.all, "project"),
		amount(r.files, "file"), amount(r.bytes, "byte"), r.took.Round(time.Millisecond), r.damaged, counts)
	if r.damaged > 0 {
		err = errors.Join(fmt.Errorf("%s in the backup %s: sandlot verify --data %s lists all", damage(r.damaged), r.from, r.from), err)
	}
	return err
}

// leave records the run in the data of the backup's service, and returns a remark for the report if there is none.
func (c *rehearseCommand) leave(ctx context.Context, t *terminal, r *rehearsal) (remark string, err error) {
	if _, err := os.Stat(filepath.Join(c.Data, databaseName)); c.DatabaseURL == "" && errors.Is(err, fs.ErrNotExist) {
		return "\nThe data of the service are not here, so its metrics do not show this run.", nil
	}
	db, err := c.records(ctx)
	if err != nil {
		return "", err
	}
	ours, err := secretOf(ctx, db)
	if err == nil && !bytes.Equal(ours, r.identity) {
		remark = fmt.Sprintf("\nThe backup is of another installation than %s, so its metrics do not show this run.", c.storage)
	} else if err == nil {
		leave(ctx, db, operate.RunRehearse, r.damaged, t.err)
	}
	return remark, errors.Join(err, db.Close())
}

// secretOf returns the secret that every installation has from its first start on, and no other has.
func secretOf(ctx context.Context, db *sqlstore.DB) ([]byte, error) {
	return db.Publish().KnownSecret(ctx, "service")
}

// A rehearsal is one run of the command.
type rehearsal struct {
	from     string // the backup
	projects int    // to read
	t        *terminal
	identity []byte // of the installation

	all, files, bytes, damaged int64
	read                       int
	took                       time.Duration
}

func (r *rehearsal) run(ctx context.Context, temporary string) (err error) {
	copied, err := newBackupCopy(r.from, temporary)
	if err != nil {
		return err
	}
	defer func() {
		if ctx.Err() != nil {
			err = errors.New("interrupted") // and not its consequence
		}
		err = errors.Join(err, copied.remove())
	}()
	drawn, err := r.prepare(ctx, copied)
	if err != nil {
		return err
	}
	began := time.Now()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	err = rehearsed(copied.dir).serve(serving, newLogger(r.t.err, "text", "error"), func(ctx context.Context, p sandlot.Places, addr string) error {
		defer stop()
		return r.readAll(ctx, copied, drawn, clientOf("tcp", addr), p)
	})
	r.took = time.Since(began)
	return err
}

// rehearsed returns the settings of a service that nobody outside of this machine reaches, and that sends nothing.
func rehearsed(dir string) settings {
	return settings{
		Listen: "127.0.0.1:0", storage: storage{Data: dir}, PathForm: "auto", Quarantine: "auto", InlineMax: 64 << 10,
		MaxFileSize: 1 << 30, BlobCache: 1 << 30, LogFormat: "text", AccessLog: "off", LogLevel: "error",
		limitSettings: limitSettings{Limits: "off", Publish: string(sandlot.Closed)},
	}
}

// prepare brings the copied records up to date, gives them their files, and draws projects.
func (r *rehearsal) prepare(ctx context.Context, c backupCopy) (drawn []sandlot.ProjectID, err error) {
	db, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := c.link(ctx, db); err != nil {
		return nil, err
	}
	if r.identity, err = secretOf(ctx, db); err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return nil, err
	}
	return r.draw(ctx, db)
}

// projectsPage is the number of projects that are listed at a time.
const projectsPage = 1000

// draw draws projects that visitors can see, each with the same chance (a reservoir).
func (r *rehearsal) draw(ctx context.Context, db *sqlstore.DB) (drawn []sandlot.ProjectID, err error) {
	for q := (operate.ProjectQuery{Limit: projectsPage}); ; {
		page, err := db.Operate().ListProjects(ctx, q)
		if err != nil || len(page) == 0 {
			return drawn, err
		}
		q.After = page[len(page)-1].Number
		for _, p := range page {
			if p.Suspended {
				continue
			}
			r.all++
			if len(drawn) < r.projects {
				drawn = append(drawn, p.ID)
			} else if i := rand.Int64N(r.all); i < int64(r.projects) {
				drawn[i] = p.ID
			}
		}
	}
}

// readAll reads every file of the drawn projects.
func (r *rehearsal) readAll(ctx context.Context, c backupCopy, drawn []sandlot.ProjectID, from *http.Client, p sandlot.Places) (err error) {
	db, err := sqlstore.OpenSQLite(ctx, c.database(), sqlstore.Options{Existing: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, id := range drawn {
		project, err := db.Publish().Project(ctx, id)
		if err != nil {
			return err
		}
		files, err := db.Publish().Files(ctx, id, project.Version)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := r.readFile(ctx, from, p.Origin(string(id)), project, f); err != nil {
				return err
			}
		}
		r.read++
	}
	return nil
}

// readFile reads a file as a visitor does, and compares it with its hash.
func (r *rehearsal) readFile(ctx context.Context, from *http.Client, origin string, p sandlot.Project, f sandlot.File) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/"+(&url.URL{Path: f.Name}).EscapedPath(), nil)
	if err != nil {
		return err
	}
	resp, err := from.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, resp.Body)
	r.files, r.bytes = r.files+1, r.bytes+n
	if err == nil && resp.StatusCode == http.StatusOK && sandlot.Digest(hash.Sum(nil)) == f.Blob.SHA256 {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.damaged++
	_, err = fmt.Fprintln(r.t.out, findingLine(operate.Finding{
		Kind: operate.FoundDamaged, Project: p.ID, Filename: f.Name, Version: p.Version, Blob: string(f.Blob.Ref),
		Detail: fmt.Sprintf("a visitor gets status %d and %d bytes instead of the %d that were published", resp.StatusCode, n, f.Blob.Size),
	}))
	return err
}

// clientOf returns a client whose connections all go to an address.
func clientOf(network, addr string) *http.Client {
	dialer := &net.Dialer{}
	return &http.Client{Transport: &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, addr)
	}}}
}
