package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
)

// named is a file of an operation, with its name.
type named struct {
	name string
	content
}

// tree returns the files of an operation with many, the page first. Some of the others share names and bytes with the
// files of another operation.
func (o *op) tree() []named {
	list := []named{{primary, content{Seed: o.Content.Seed, Size: 100 + int(o.Content.Seed%4000), HTML: true}}}
	for i := range o.Many - 1 {
		n := (int(o.Content.Seed%treeNames) + i) % treeNames
		c := content{Seed: o.Content.Seed + uint64(i), Size: 20 + n}
		if n%3 == 0 {
			c.Seed = uint64(n)
		}
		if n == 7 {
			c.Size = 90_000
		}
		list = append(list, named{fmt.Sprintf("tree/%d/%03d.js", n%9, n), c})
	}
	return list
}

// files returns all files of the operation.
func (o *op) files() map[string]file {
	if o.Many == 0 {
		name := o.Filename
		if o.Kind == publish {
			name = primary
		}
		return map[string]file{name: o.file()}
	}
	if o.madeMany == nil {
		o.madeMany = map[string]file{}
		for _, f := range o.tree() {
			o.madeMany[f.name] = fileOf(f.bytes())
		}
	}
	return o.madeMany
}

// manyBody returns the files in one of four forms of the same request.
func manyBody(o *op, wire int, fields map[string]any) (contentType string, body []byte, err error) {
	var out bytes.Buffer
	switch wire {
	case urlJSON:
		fields["archive_format"] = "tar.gz"
		if err = writeTar(&out, o.tree()); err != nil {
			return "", nil, err
		}
		fields["archive"] = base64.StdEncoding.EncodeToString(out.Bytes())
	case gzipJSON:
		var list []map[string]string
		for _, f := range o.tree() {
			list = append(list, map[string]string{"filename": f.name, "text": string(f.bytes())})
		}
		fields["files"] = list
	default:
		contentType, err = writeForm(&out, o.tree(), fields, wire == form)
		return contentType, out.Bytes(), err
	}
	body, err = json.Marshal(fields)
	return "application/json", body, err
}

// writeTar writes a tar.gz.
func writeTar(to io.Writer, files []named) (err error) {
	z := gzip.NewWriter(to)
	w := tar.NewWriter(z)
	for _, f := range files {
		data := f.bytes()
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(data)), Mode: 0o644})
		}
		if err == nil {
			_, err = w.Write(data)
		}
	}
	return errors.Join(err, w.Close(), z.Close())
}

// writeForm writes a form with a part for each file, or with a ZIP of them.
func writeForm(to io.Writer, files []named, fields map[string]any, each bool) (contentType string, err error) {
	m := multipart.NewWriter(to)
	for name, value := range fields {
		err = errors.Join(err, m.WriteField(name, fmt.Sprint(value)))
	}
	create, end := func(name string) (io.Writer, error) { return m.CreateFormFile("file", name) }, func() error { return nil }
	if !each && err == nil {
		var part io.Writer
		if part, err = m.CreateFormFile("archive", "site.zip"); err != nil {
			return "", err
		}
		z := zip.NewWriter(part)
		create, end = z.Create, z.Close
	}
	for _, f := range files {
		w, made := create(f.name)
		if err = errors.Join(err, made); err != nil {
			return "", err
		}
		if _, err = w.Write(f.bytes()); err != nil {
			return "", err
		}
	}
	return m.FormDataContentType(), errors.Join(err, end(), m.Close())
}
