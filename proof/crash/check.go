package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	api "sandlot/internal/client/client"
)

// A checker compares the answers of the program with a shard.
type checker struct {
	*client
	shard *shard
	bytes int64 // compared so far
}

// account compares an account and those of its projects for which touched returns true. With whole it compares the
// export, too.
func (c *checker) account(a *account, touched func(*project) bool, whole bool) error {
	who, err := c.api(a.Key).WhoAmI(context.Background(), 1000)
	if err != nil {
		return fmt.Errorf("the account %s: %w", a.Handle, err)
	}
	if who.Handle != a.Handle || who.Email != a.Email {
		return fmt.Errorf("the account %s is shown as %s, its address %q, not %q", a.Handle, who.Handle, who.Email, a.Email)
	}
	want := a.there()
	slices.Reverse(want) // of projects made by one operation, the last is the newest
	slices.SortStableFunc(want, func(p, q *project) int { return cmp.Compare(q.Changed, p.Changed) })
	if len(who.Projects) != len(want) {
		return fmt.Errorf("the account %s has %d projects, not %d", a.Handle, len(who.Projects), len(want))
	}
	for i, p := range want {
		if err := same(p, who.Projects[i]); err != nil {
			return fmt.Errorf("whoami of %s, place %d: %w", a.Handle, i, err)
		}
		if touched(p) {
			if err := c.project(a, p); err != nil {
				return fmt.Errorf("the project %s: %w", p.ID, err)
			}
		}
	}
	for _, p := range a.Projects {
		if p.Deleted && touched(p) {
			if err := c.gone(a, p); err != nil {
				return err
			}
		}
	}
	if whole {
		return c.export(a)
	}
	return nil
}

// gone checks that a deleted project is not served.
func (c *checker) gone(a *account, p *project) error {
	_, err := c.api(a.Key).Project(context.Background(), p.ID, "none")
	if refused := (*api.Error)(nil); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		return fmt.Errorf("the project %s was deleted, and is answered %w", p.ID, err)
	}
	if p.URL == "" {
		return nil // its address was never answered
	}
	status, _, err := c.get(p.URL)
	if err == nil && status != http.StatusNotFound {
		err = fmt.Errorf("%s was deleted, and is answered %d", p.URL, status)
	}
	return err
}

// same compares the fields that every view of a project has.
func same(p *project, v api.Project) error {
	var size int64
	for _, f := range p.Files {
		size += f.Size
	}
	if v.ID != p.ID || v.Version != p.Version || v.Title != p.Title || v.Size != size || v.FileCount != len(p.Files) {
		return fmt.Errorf("it shows %s %q, version %d, %d bytes in %d files; it is %s %q, version %d, %d bytes in %d files",
			v.ID, v.Title, v.Version, v.Size, v.FileCount, p.ID, p.Title, p.Version, size, len(p.Files))
	}
	if v.Stats != (api.Stats{}) {
		return fmt.Errorf("it was never played, and shows %+v", v.Stats)
	}
	return nil
}

// project compares all views of a project.
func (c *checker) project(a *account, p *project) error {
	v, err := c.api(a.Key).Project(context.Background(), p.ID, "small")
	if err != nil {
		return err
	}
	if err := cmp.Or(same(p, v), sameFiles(p.Files, v.Files)); err != nil {
		return err
	}
	if p.URL != "" && v.URL != p.URL || p.VersionURL != "" && v.VersionURL != p.VersionURL || v.Handle != a.Handle {
		return fmt.Errorf("its addresses are %s and %s, and %s and %s were answered", v.URL, v.VersionURL, p.URL, p.VersionURL)
	}
	for i, f := range v.Files {
		if len(v.Files) > 2*manyFiles && i%16 != p.Version%16 && f.Content != nil {
			if fileOf(f.Content) != p.Files[f.Filename] { // opening hundreds of files takes long; the export has them all
				return fmt.Errorf("the content of %s in the list: %d wrong bytes", f.Filename, len(f.Content))
			}
			continue
		}
		if err := c.file(p.Files[f.Filename], f); err != nil {
			return err
		}
	}
	if err := c.versions(p, v); err != nil {
		return err
	}
	return cmp.Or(c.scoped(p), c.players(p))
}

// file compares the bytes at a file's address, and those in the list.
func (c *checker) file(want file, f api.File) error {
	if err := c.serves(f.URL, want); err != nil {
		return err
	}
	// Content too large for the list is nil.
	if f.Content != nil && fileOf(f.Content) != want {
		return fmt.Errorf("the content of %s in the list: %d wrong bytes", f.Filename, len(f.Content))
	}
	return nil
}

// serves compares the bytes at an address.
func (c *checker) serves(url string, want file) error {
	status, served, err := c.get(url)
	if err != nil {
		return err
	}
	if status != http.StatusOK || served != want {
		return fmt.Errorf("%s serves %d with %d bytes, not %d", url, status, served.Size, want.Size)
	}
	c.bytes += served.Size
	return nil
}

// versions compares the addresses of the current version and the one before; older ones were compared when they were
// that.
func (c *checker) versions(p *project, v api.Project) error {
	if err := c.serves(v.VersionURL, p.Files[primary]); err != nil {
		return err
	}
	if n := len(p.Past); n > 0 && p.Past[n-1].URL != "" {
		return c.serves(p.Past[n-1].URL, p.Past[n-1].Files[primary])
	}
	return nil
}

// scoped checks the project's own key.
func (c *checker) scoped(p *project) error {
	if p.Key == "" {
		return nil // not answered yet
	}
	who, err := c.api(p.Key).WhoAmI(context.Background(), 100)
	if err != nil {
		return err
	}
	if len(who.Projects) != 1 || who.Projects[0].ID != p.ID || who.Email != "" {
		return fmt.Errorf("its key shows %d projects", len(who.Projects))
	}
	return nil
}

// export compares an account's export, list and bytes.
func (c *checker) export(a *account) error {
	answer, err := c.api(a.Key).Export(context.Background(), false)
	if err != nil {
		return fmt.Errorf("the export of %s: %w", a.Handle, err)
	}
	body, err := readAll(answer)
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return fmt.Errorf("the export of %s: %w", a.Handle, err)
	}
	entries := map[string]*zip.File{}
	for _, f := range z.File {
		entries[f.Name] = f
	}
	var manifest struct{ Projects []api.Project }
	var text []byte
	list, err := unzip(entries["manifest.json"])
	if err == nil {
		text, err = io.ReadAll(list)
		err = errors.Join(err, list.Close())
	}
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return fmt.Errorf("the export of %s: %w", a.Handle, err)
	}
	if err := c.exported(a, manifest.Projects, entries); err != nil {
		return fmt.Errorf("the export of %s: %w", a.Handle, err)
	}
	return nil
}

func (c *checker) exported(a *account, list []api.Project, entries map[string]*zip.File) error {
	shown, files := map[string]api.Project{}, 1
	for _, v := range list {
		shown[v.ID] = v
	}
	for _, p := range a.there() {
		v := shown[p.ID]
		if err := sameFiles(p.Files, v.Files); err != nil || v.Version != p.Version {
			return fmt.Errorf("%s, version %d, not %d: %w", p.ID, v.Version, p.Version, err)
		}
		for name, want := range p.Files {
			var got file
			data, err := unzip(entries[p.ID+"/"+name])
			if err == nil {
				got, err = readFile(data)
				err = errors.Join(err, data.Close())
			}
			if err != nil || got != want {
				return fmt.Errorf("%s/%s has %d bytes, not %d: %w", p.ID, name, got.Size, want.Size, err)
			}
			c.bytes += want.Size
		}
		files += len(p.Files)
		if entries[p.ID+".boards.ndjson"] != nil {
			files++
		} else if p.scored() {
			return fmt.Errorf("%s has no entry for its board", p.ID)
		}
	}
	if len(list) != len(a.there()) || len(entries) != files {
		return fmt.Errorf("%d projects in %d entries, not %d in %d", len(list), len(entries), len(a.there()), files)
	}
	return nil
}

func unzip(f *zip.File) (io.ReadCloser, error) {
	if f == nil {
		return nil, fmt.Errorf("an entry is missing")
	}
	return f.Open()
}
