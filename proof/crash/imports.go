package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	api "sandlot/internal/client/client"
)

// A brought project is a project of an imported export, with all its versions.
type brought struct {
	title    string
	versions [][]named
}

// brought returns the projects of the export: the first may have hundreds of files, the second has two versions.
func (o *op) brought() (list []brought) {
	for i := range o.Projects {
		each := *o
		each.Many, each.Content.Seed = 3+i, o.Content.Seed+uint64(i)
		if i == 0 && o.Many > 0 {
			each.Many = o.Many
		}
		b := brought{title: fmt.Sprintf("%s project %d", o.Title, i), versions: [][]named{each.tree()}}
		if i == 1 {
			each.Content.Seed += 100
			b.versions = append(b.versions, each.tree()[:2])
		}
		list = append(list, b)
	}
	return list
}

// entry is a file in a manifest.
type entry struct {
	Filename string `json:"filename"`
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
}

// export returns the archive to import: one of another instance, whose ids and plays are ignored here.
func (o *op) export() ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	var projects []map[string]any
	var contents []named
	for i, b := range o.brought() {
		id := fmt.Sprintf("elsewhere-%d", i)
		var versions []map[string]any
		var files []entry
		for n, v := range b.versions {
			files = nil
			for _, f := range v {
				path, what := fmt.Sprintf("%s/%d/%s", id, n, f.name), fileOf(f.bytes())
				files = append(files, entry{f.name, path, what.Size, what.Sum})
				contents = append(contents, named{path, f.content})
			}
			versions = append(versions,
				map[string]any{
					"version": n + 1, "created_at": "2024-01-02T03:04:05Z", "title": b.title, "primary_file": primary,
					"files": files,
				})
		}
		projects = append(projects, map[string]any{
			"project_id": id, "title": b.title, "version": len(versions), "primary_file": primary,
			"created_at": "2024-01-02T03:04:05Z", "updated_at": "2024-01-02T03:04:05Z",
			"stats": map[string]int{"plays": 99, "likes": 9}, "files": files, "versions": versions,
		})
	}
	manifest, err := json.Marshal(map[string]any{"format": 2, "account": map[string]string{"handle": "elsewhere"}, "projects": projects})
	if err == nil {
		err = writeEntry(z, "manifest.json", manifest)
	}
	for _, f := range contents {
		if err == nil {
			err = writeEntry(z, f.name, f.bytes())
		}
	}
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

func writeEntry(z *zip.Writer, name string, data []byte) error {
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// A report is the answer to an import.
type report struct {
	Imported, Replayed, Failed int
	Projects                   []struct {
		From, URL string
		ID        string `json:"project_id"`
	}
}

// sendExport imports the export of the operation.
func (c *client) sendExport(s *shard, o *op) (a api.Answer, err error) {
	body, err := o.export()
	if err != nil {
		return a, err
	}
	req, err := c.post("v1/import", c.keys.get(s.key(o)), "application/zip", bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header.Set("Idempotency-Key", o.Once)
	text, header, err := c.do(req, http.StatusOK)
	if err != nil {
		return a, err
	}
	o.report = report{}
	a.Status, a.FromRecord = http.StatusOK, header.Get("Idempotent-Replayed") == "true"
	return a, json.Unmarshal(text, &o.report)
}

// fitsImport compares the map of ids with the export, and with the projects seen earlier.
func (s *shard) fitsImport(o *op) error {
	r := o.report
	if len(r.Projects) != o.Projects || r.Failed != 0 || r.Imported+r.Replayed != o.Projects || r.Replayed < len(o.seen) {
		return fmt.Errorf("of %d projects, of which %d were there, %d were imported, %d replayed and %d refused", o.Projects,
			len(o.seen), r.Imported, r.Replayed, r.Failed)
	}
	ids := o.report.ids()
	for i, p := range r.Projects {
		if p.From != fmt.Sprintf("elsewhere-%d", i) || p.ID == "" || p.URL == "" || s.find(p.ID) != nil || slices.Index(ids, p.ID) != i {
			return fmt.Errorf("place %d of the map has %s for %s", i, p.ID, p.From)
		}
	}
	if !slices.Equal(ids[:len(o.seen)], o.seen) {
		return fmt.Errorf("the map has %v, and %v were there", ids, o.seen)
	}
	return nil
}

func (r report) ids() (list []string) {
	for _, p := range r.Projects {
		list = append(list, p.ID)
	}
	return list
}

func (r report) urls() (list []string) {
	for _, p := range r.Projects {
		list = append(list, p.URL)
	}
	return list
}

// imported adds the first n projects of an export, with their ids and addresses if known.
func (s *shard) imported(o *op, n int, ids, urls []string) {
	owner := s.Accounts[o.Account]
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return ""
	}
	for i, b := range o.brought()[:n] {
		p := &project{ID: at(ids, i), URL: at(urls, i), Title: b.title, Version: len(b.versions), Changed: o.ID}
		for n, v := range b.versions {
			files := map[string]file{}
			for _, f := range v {
				files[f.name] = fileOf(f.bytes())
			}
			if n > 0 {
				p.Past = append(p.Past, version{Files: p.Files})
			}
			p.Files = files
		}
		owner.Projects = append(owner.Projects, p)
	}
}

// partly finds the projects of an unanswered import that exist: the first ones, each whole. Once seen they must stay.
func (c *checker) partly(o *op) (*shard, error) {
	a := c.shard.Accounts[o.Account]
	who, err := c.api(a.Key).WhoAmI(context.Background(), 1000)
	if err != nil {
		return nil, err
	}
	n := len(who.Projects) - len(a.there())
	if n < len(o.seen) || n > o.Projects {
		return nil, fmt.Errorf("%d of %d projects are there, and %d were", n, o.Projects, len(o.seen))
	}
	var ids []string
	for _, p := range slices.Backward(who.Projects[:n]) {
		ids = append(ids, p.ID)
	}
	if !slices.Equal(ids[:len(o.seen)], o.seen) {
		return nil, fmt.Errorf("%v are there, and %v were", ids, o.seen)
	}
	o.seen = ids
	s := c.shard.copy()
	s.imported(o, n, ids, nil)
	return s, nil
}
