package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
)

// A Part is a part of a form whose bytes are sent as they are.
type Part struct {
	Field string // "content", "archive"
	Name  string // the sender's name of the file; empty: it has no name
	Bytes io.Reader
	Size  int64 // in bytes; 0: not known
}

// Form returns the request of a call as a form: the fields of f, and after them the bytes, which are read once, as they
// are sent.
func Form(call string, f Fields, p Part) (Request, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if err := writeFields(form, f); err != nil {
		return Request{}, err
	}
	if err := begin(form, p); err != nil {
		return Request{}, err
	}
	at := head.Len()
	if err := form.Close(); err != nil {
		return Request{}, err
	}
	whole := head.Bytes()
	r := Request{
		Call: call, ContentType: form.FormDataContentType(), IdempotencyKey: f.IdempotencyKey,
		Body: io.MultiReader(bytes.NewReader(whole[:at]), p.Bytes, bytes.NewReader(whole[at:])),
	}
	if p.Size > 0 {
		r.Size = int64(len(whole)) + p.Size
	}
	return r, nil
}

// begin writes the header of the part. Without a name it sends none: any name would count as the file's.
func begin(form *multipart.Writer, p Part) error {
	if p.Name != "" {
		_, err := form.CreateFormFile(p.Field, p.Name)
		return err
	}
	head := textproto.MIMEHeader{}
	head.Set("Content-Disposition", mime.FormatMediaType("form-data", map[string]string{"name": p.Field}))
	head.Set("Content-Type", "application/octet-stream")
	_, err := form.CreatePart(head)
	return err
}

// writeFields writes the fields of f that are set, under their JSON names.
func writeFields(form *multipart.Writer, f Fields) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	fields := map[string]any{}
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&fields); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := form.WriteField(name, fmt.Sprint(fields[name])); err != nil {
			return err
		}
	}
	return nil
}
