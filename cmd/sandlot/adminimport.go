package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"sandlot"
	"sandlot/internal/client/cli"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/sqlstore"
)

type importCommand struct {
	File string `arg:"" placeholder:"FILE" help:"ZIP of an export, of this service or another."`
	acting
	format
	Account     string `required:"" placeholder:"TARGET" help:"Account that gets the projects: @HANDLE or its e-mail address."`
	MaxFileSize size   `default:"1GiB" placeholder:"SIZE" help:"Largest project, and a quarter of the largest export."`
	Reason      string `placeholder:"TEXT" help:"Reason, kept in the audit log. (default: none)"`
}

// Run imports an archive, and prints the result for each project.
func (c *importCommand) Run(ctx context.Context, t *terminal) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	info, err := os.Stat(c.File) // before the open, which would wait for a pipe
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: c.File, Err: errors.New("no plain file")}
	}
	if err != nil {
		return err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.administer(ctx, func(a operator) error {
		to, err := a.Account(ctx, a.by, c.Account)
		if err != nil {
			return err
		}
		service, kept, err := c.transfer(ctx, a.db, int64(c.MaxFileSize), t.err)
		if err != nil {
			return err
		}
		in := transfer.Input{Stored: io.NewSectionReader(f, 0, info.Size()), Account: to.ID, Reason: c.Reason}
		report, err := service.Import(ctx, a.by, in)
		if err = errors.Join(err, kept.Close()); err != nil && ctx.Err() != nil {
			err = errors.New("interrupted; what is told above is here, and the same command brings the rest")
		}
		l := newImportLine(report)
		return errors.Join(c.show(t, l), err, l.refused())
	})
}

// transfer returns the service of an import, beside a running server. maxFile bounds the bytes of a project.
func (s storage) transfer(ctx context.Context, db *sqlstore.DB, maxFile int64, log io.Writer) (*transfer.Service, io.Closer, error) {
	kept, err := s.beside(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	warnings := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg := publish.Config{MaxFile: maxFile, Temporary: s.temporary(), Blocklist: blocklistOf(db, warnings, "")}
	service, err := besideServer(ctx, db, kept, cfg, warnings)
	if err != nil {
		return nil, nil, errors.Join(err, kept.Close())
	}
	covers := cover.New(cover.Config{
		Store: db.Covers(), Content: service.Contents, Projects: service.Reader, Places: service.Places, Temporary: cfg.Temporary, Now: db.Now,
	})
	return transfer.New(transfer.Config{
		Projects: service, Contents: service.Contents, Pictures: covers, Temporary: cfg.Temporary, MaxFile: cfg.MaxFile,
		Lines: linesOf(db, 0),
	}), kept, nil
}

// besideServer returns the service on records and files that a server may use. It makes no links.
func besideServer(ctx context.Context, db *sqlstore.DB, files sandlot.Blobs, cfg publish.Config, log *slog.Logger) (*publish.Service, error) {
	cfg.Places = sandlot.Places{Base: &url.URL{Scheme: "http", Host: "localhost"}}
	stores := publish.Stores{Store: db.Publish(), Management: db.Publish(), Blobs: files}
	return publish.New(ctx, cfg, stores, log, publish.WithClock(db.Now))
}

// contents returns the reader of published bytes, and the function that closes their files.
func (s storage) contents(ctx context.Context, db *sqlstore.DB) (_ *publish.Contents, done func() error, err error) {
	kept, err := s.opened(ctx, db, blob.Options{Existing: true}, cache.Options{}, nil)
	if err != nil {
		return nil, nil, err
	}
	service, err := besideServer(ctx, db, kept, publish.Config{Temporary: s.temporary()}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, errors.Join(err, kept.Close())
	}
	return service.Contents, kept.Close, nil
}

// temporary returns the folder for temporary bytes: with everything elsewhere there may be no data folder.
func (s storage) temporary() string {
	if info, err := os.Stat(s.Data); err == nil && info.IsDir() {
		return s.Data
	}
	return os.TempDir()
}

// beside opens the existing bytes to add some, while a server may use them.
func (s storage) beside(ctx context.Context, db *sqlstore.DB) (blobs, error) {
	if s.BlobURL == "" {
		if err := datafolder.MayWrite(filepath.Join(s.Data, blobsName)); err != nil {
			return nil, err
		}
	}
	return s.opened(ctx, db, blob.Options{}, cache.Options{}, nil)
}

// importLine is the report of an import in its printed form.
type importLine struct {
	Imported int            `json:"imported"`
	Failed   int            `json:"failed"`
	Projects []importedLine `json:"projects"`
	Warnings []string       `json:"warnings,omitempty"`
}

type importedLine struct {
	From      string   `json:"from"`
	ProjectID string   `json:"project_id,omitempty"`
	Title     string   `json:"title"`
	Versions  int      `json:"versions"`
	Files     int      `json:"files"`
	Error     string   `json:"error,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

func newImportLine(r transfer.Report) importLine {
	l := importLine{Projects: []importedLine{}, Warnings: said(r.Warnings)}
	for _, o := range r.Projects {
		id, warnings := string(o.Adopted.Project.ID), said(o.Adopted.Warnings)
		p := importedLine{From: o.From, ProjectID: id, Title: o.Title, Versions: o.Versions, Files: o.Files, Warnings: warnings}
		if l.Imported++; o.Refused != nil {
			p.Error = o.Refused.Message
			l.Imported--
			l.Failed++
		}
		l.Projects = append(l.Projects, p)
	}
	return l
}

func said(list []sandlot.Warning) (texts []string) {
	for _, w := range list {
		texts = append(texts, w.Message)
	}
	return texts
}

// refused returns the error of an import with refused projects.
func (l importLine) refused() error {
	if l.Failed == 0 {
		return nil
	}
	text := "%d of %d projects refused; the others were imported"
	f := &cli.Failure{Message: fmt.Sprintf(text, l.Failed, len(l.Projects)), Exit: cli.ExitPartly}
	if l.Imported == 0 {
		f.Message, f.Exit = "no project was imported", cli.ExitContent
	}
	return f
}
