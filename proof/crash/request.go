package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"strings"

	api "sandlot/internal/client/client"
)

// The forms of the same request.
const (
	plainJSON = iota
	urlJSON
	gzipJSON
	form
	wires
)

// request returns the request of an operation. times counts how often it was sent before: each repetition has another
// form.
func (s *shard) request(o *op, times int) (api.Request, error) {
	wire, kind, fields := (o.Wire+times)%wires, o.Kind, s.fields(o)
	if o.Kind == part {
		kind = s.uploadOf(o).Kind
		wire = plainJSON // parts of one upload have one encoding
		if s.uploadOf(o).Gzip {
			wire = gzipJSON
		}
	}
	contentType, body, err := requestBody(o, wire, fields)
	if o.Many > 0 {
		contentType, body, err = manyBody(o, wire, fields)
	}
	return api.Request{Call: string(kind), ContentType: contentType, IdempotencyKey: o.Once, Body: bytes.NewReader(body)}, err
}

func requestBody(o *op, wire int, fields map[string]any) (contentType string, body []byte, err error) {
	if wire == form && o.Content.Size > 0 {
		return multipartBody(fields, o.Content.bytes())
	}
	if err := encodeContent(fields, o, wire); err != nil {
		return "", nil, err
	}
	body, err = json.Marshal(fields)
	return "application/json", body, err
}

// fields returns the fields of the operation, without the content.
func (s *shard) fields(o *op) map[string]any {
	f := map[string]any{}
	set := func(name, value string) {
		if value != "" {
			f[name] = value
		}
	}
	set("title", o.Title)
	set("email", o.Email)
	switch o.Kind {
	case update, remove, restore:
		p := s.project(o.Account, o.Project)
		if o.Replace {
			f["replace"] = true
		}
		if o.Kind == restore {
			f["version"] = o.Version
		}
		set("project_id", p.ID)
		set("filename", o.Filename)
		if o.Guarded {
			f["if_version"] = p.Version
		}
	case part:
		s.partFields(o, f)
	}
	return f
}

func (s *shard) partFields(o *op, f map[string]any) {
	u := s.uploadOf(o)
	f["upload_id"], f["part"] = u.ID, o.Part
	if o.Tell {
		f["total_parts"] = u.Total
	}
	if o.Part != 1 {
		return
	}
	if u.Kind == update {
		f["project_id"], f["filename"] = s.project(u.Account, u.Project).ID, u.Filename
		return
	}
	f["title"] = u.Title
	if u.Email != "" {
		f["email"] = u.Email
	}
}

func encodeContent(fields map[string]any, o *op, wire int) error {
	if o.Content.Size == 0 {
		return nil
	}
	data := o.Content.bytes()
	switch wire {
	case urlJSON:
		fields["content"], fields["content_encoding"] = base64.URLEncoding.EncodeToString(data), "base64url"
	case gzipJSON:
		packed, err := pack(data)
		if err != nil {
			return err
		}
		fields["content"], fields["content_encoding"] = base64.StdEncoding.EncodeToString(packed), "gzip+base64"
	default:
		fields["content"] = base64.StdEncoding.EncodeToString(data)
	}
	return nil
}

func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

func multipartBody(fields map[string]any, data []byte) (contentType string, body []byte, err error) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := m.WriteField(name, fmt.Sprint(value)); err != nil {
			return "", nil, err
		}
	}
	w, err := m.CreateFormFile("content", "content")
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = m.Close()
	}
	return m.FormDataContentType(), b.Bytes(), err
}

// key returns the hash of the key of an operation, "" for none.
func (s *shard) key(o *op) string {
	switch {
	case o.Account < 0:
		return ""
	case o.Scoped:
		return s.project(o.Account, o.Project).Key
	}
	return s.Accounts[o.Account].Key
}

// isKey reports whether a text in an answer is a key.
func isKey(text string) bool {
	return strings.HasPrefix(text, "sla_") || strings.HasPrefix(text, "slp_")
}
