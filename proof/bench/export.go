package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore"
	"sandlot/proof/bench/rig"
)

const (
	exportFiles   = 10_000 // the limit of files in a project
	exportFile    = 8 << 10
	exportClients = 32
	squeezeWait   = 15 * time.Minute // for 10,000 files, compressed by one worker
)

// export compares the archive of an account with a plain copy of the stored, compressed bytes of its files.
func export(ctx context.Context, b *bench) ([]line, error) {
	s, err := b.Service(ctx, "")
	if err != nil {
		return nil, err
	}
	key, err := publishMany(ctx, s)
	if err != nil {
		return nil, err
	}
	bytes, err := storedBytes(ctx, s.Data)
	if err != nil {
		return nil, err
	}
	copying, err := b.startOwn(ctx, "copy", s.Data)
	if err != nil {
		return nil, err
	}
	defer copying.Kill()
	wait := s.Profile("export", int(b.limit.Seconds()))
	p, err := b.pairs(
		func() (float64, error) {
			return drain(ctx, s.Addr, rig.Get("/v1/export", s.Addr, "Authorization: Bearer "+key+"\r\n"), bytes)
		},
		func() (float64, error) { return drain(ctx, copying.Addr, rig.Get("/", copying.Addr, ""), bytes) })
	if err := errors.Join(err, wait()); err != nil {
		return nil, err
	}
	return []line{p.line("export of 10,000 files of text, of the stored bytes", "MB/s", 0.7)}, s.Remove()
}

// drain returns the MB in a second at which stored bytes arrived, in any form.
func drain(ctx context.Context, addr string, request []byte, bytes int64) (float64, error) {
	l, err := rig.NewLane(ctx, addr)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	began := time.Now()
	n, err := l.Drain(request)
	if err == nil && n < bytes {
		err = fmt.Errorf("%d bytes came, and %d are stored", n, bytes)
	}
	return float64(bytes) / 1e6 / time.Since(began).Seconds(), err
}

// publishMany makes a project of many files and waits until all are compressed.
func publishMany(ctx context.Context, s *rig.Service) (key string, err error) {
	if key, err = s.Signup(ctx, "export@example.com"); err != nil {
		return "", err
	}
	project, err := s.Publish(ctx, key, text(exportFile))
	if err != nil {
		return "", err
	}
	page := text(exportFile)
	_, err = rig.Crowd(ctx, s.Addr, exportClients, exportFiles/exportClients, time.Hour, func(l *rig.Lane, c, i int) error {
		content := fmt.Appendf(nil, "// file %d of client %d\n", i, c)
		content = append(content, page[len(content):]...)
		body := fmt.Sprintf(`{"project_id":%q,"filename":"level-%02d/part-%04d.js","content":%q}`, project, c, i, encoded(content))
		_, err := l.Want(http.StatusOK, rig.Post("/v1/update", s.Addr, "application/json", key, []byte(body)))
		return err
	})
	if err != nil {
		return "", err
	}
	return key, squeezed(ctx, s.Data)
}

// squeezed waits until every file has its compressed forms.
func squeezed(ctx context.Context, data string) error {
	ctx, cancel := context.WithTimeout(ctx, squeezeWait)
	defer cancel()
	// Files claimed by the server count as not compressed: by this clock its claims have lapsed.
	later := func() time.Time { return time.Now().Add(sandlot.SqueezeLeaseMax) }
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(data, "sandlot.db"), sqlstore.Options{Now: later})
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		left, err := db.Variants().Unsqueezed(ctx, nil, 1)
		if err != nil || len(left) == 0 {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// storedBytes returns the number of bytes to copy.
func storedBytes(ctx context.Context, data string) (n int64, err error) {
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(data, "sandlot.db"), sqlstore.Options{})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	forms, err := storedForms(ctx, db)
	for _, b := range forms {
		n += b.Size
	}
	return n, err
}

// storedForms returns the stored form of each file of the first account's project.
func storedForms(ctx context.Context, db *sqlstore.DB) ([]sandlot.Blob, error) {
	projects, err := db.Publish().Projects(ctx, 1, 0, 1)
	if err != nil || len(projects) != 1 {
		return nil, fmt.Errorf("the first account has %d projects, %w", len(projects), err)
	}
	files, err := db.Publish().Files(ctx, projects[0].ID, projects[0].Version)
	var forms []sandlot.Blob
	for _, f := range files {
		forms = append(forms, storedForm(f))
	}
	return forms, err
}

// storedForm returns the blob that an export copies.
func storedForm(f sandlot.File) sandlot.Blob {
	for _, v := range f.Variants {
		if v.Encoding == "gzip" {
			return v.Blob
		}
	}
	return f.Blob
}
