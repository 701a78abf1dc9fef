package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Limits of ?content=small: enough for nearly every project, and little enough for a client that reads it whole.
const (
	smallFile = 1 << 20 // bytes of one file
	smallAll  = 8 << 20 // bytes of all files together
)

func (a *API) project(c *call) error {
	mode, err := contentMode(c.R)
	if err != nil {
		return err
	}
	list, err := filesMode(c.R)
	if err != nil {
		return err
	}
	made, sent, err := a.begin(c)
	if err != nil {
		return err
	}
	defer sent()
	v, err := a.Reader.Project(c.R.Context(), c.By, c.param)
	made()
	if err != nil {
		return err
	}
	c.Grant.Files(len(v.Files)) // also for HEAD
	// For If-Match only: stats change without a version, so this is no validator for a cache.
	c.W.Header().Set("ETag", `"`+strconv.Itoa(v.Project.Version)+`"`)
	if !v.Owner {
		info := newProject(v)
		return c.answer(reply{http.StatusOK, &info})
	}
	if c.head() {
		mode = "none"
	}
	v.Warnings = append(v.Warnings, a.brokenPages(c, v.Project)...)
	if list == "none" {
		v.Files = nil
	}
	return a.sendProject(c, v, mode, list == "names")
}

// filesMode returns the detail in which the query requests the files.
func filesMode(r *http.Request) (string, error) {
	switch mode := r.URL.Query().Get("files"); mode {
	case "":
		return "all", nil
	case "none", "names", "all":
		return mode, nil
	}
	return "", sandlot.Refuse(sandlot.CodeInvalidField, "The parameter files is not one of none, names and all.").In("files").
		With(sandlot.OpProject).Note("Leave it out for all of each file, or send files=names.")
}

func contentMode(r *http.Request) (string, error) {
	switch mode := r.URL.Query().Get("content"); mode {
	case "":
		return "small", nil
	case "none", "small", "all":
		return mode, nil
	}
	return "", sandlot.Refuse(sandlot.CodeInvalidField, "The parameter content is not one of none, small and all.").In("content").
		With(sandlot.OpProject).Note("Leave it out for files of up to 1 MiB, or send content=all.")
}

// sendProject writes the project with its files. It assembles the JSON by hand around the contents, which stream: it
// holds one buffer, however large the files are.
func (a *API) sendProject(c *call, v publish.ProjectView, mode string, names bool) error {
	head, err := encode(newProject(v))
	if err != nil {
		return err
	}
	out := &lateWriter{w: c.W, contentType: "application/json"}
	s := &fileStream{Writer: bufio.NewWriterSize(out, 64<<10), open: a.Intake.Contents.Open, ctx: c.R.Context(), mode: mode, names: names, warnings: v.Warnings}
	s.WriteString(`{`)
	s.Write(inside(head))
	s.WriteString(`,"files":[`)
	for i, f := range v.Files {
		if err := s.file(i, f, v.Addresses); err != nil {
			return a.broken(c, out, err)
		}
	}
	s.WriteString(`]`)
	if err := s.notes(); err != nil {
		return a.broken(c, out, err)
	}
	s.WriteString("}\n")
	return a.broken(c, out, s.Flush())
}

// inside returns the members of an encoded object without its braces.
func inside(object []byte) []byte {
	object = bytes.TrimSpace(object)
	return object[1 : len(object)-1]
}

// A fileStream writes the files of one project. Its buffer keeps the first error, which Flush returns.
type fileStream struct {
	*bufio.Writer
	open     func(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	ctx      context.Context
	mode     string
	names    bool // write only the name of each file
	inlined  int64
	left     int // number of files left out for their size
	warnings []sandlot.Warning
}

func (s *fileStream) file(i int, f sandlot.File, at sandlot.Addresses) error {
	if i > 0 {
		s.WriteString(",")
	}
	if s.names {
		name, err := encode(struct {
			Filename string `json:"filename"`
		}{f.Name})
		s.Write(bytes.TrimSpace(name))
		return err
	}
	info, err := encode(newFile(f, at))
	if err != nil {
		return err
	}
	s.WriteString("{")
	s.Write(inside(info))
	if s.inlines(f.Blob.Size) {
		if err := s.content(f); err != nil {
			return err
		}
	}
	_, err = s.WriteString("}")
	return err
}

func (s *fileStream) inlines(size int64) bool {
	switch {
	case s.mode == "none":
		return false
	case s.mode == "small" && (size > smallFile || s.inlined+size > smallAll):
		s.left++
		return false
	}
	s.inlined += size
	return true
}

// content writes a file's bytes. Damage is found before the first byte; then the file is listed without its content,
// and the others follow all the same.
func (s *fileStream) content(f sandlot.File) error {
	r, err := s.open(s.ctx, f.Blob, 0, -1)
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		s.warnings = append(s.warnings, sandlot.Warning{
			Code: string(sandlot.CodeBlobCorrupt), Message: fmt.Sprintf("The stored bytes of %q are damaged, so its content is left out.", f.Name),
			Hint: "Send the file again with POST /v1/update.",
		})
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %q: %w", f.Name, err)
	}
	defer r.Close()
	s.WriteString(`,"content":"`)
	enc := base64.NewEncoder(base64.StdEncoding, s.Writer)
	n, err := io.Copy(enc, r)
	if err == nil && n != f.Blob.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read %q: %w", f.Name, err)
	}
	enc.Close()
	_, err = s.WriteString(`","content_encoding":"base64"`)
	return err
}

func (s *fileStream) notes() error {
	if s.left > 0 {
		s.warnings = append(s.warnings, sandlot.Warning{
			Code: "content_omitted", Message: fmt.Sprintf("The content of %d files is left out for its size.", s.left),
			Hint: "Ask with ?content=all, or read each file at its url.",
		})
	}
	text, err := encode(notes{s.warnings})
	if err != nil || len(s.warnings) == 0 {
		return err
	}
	s.WriteString(",")
	_, err = s.Write(inside(text))
	return err
}

// A lateWriter sends the header with the first bytes, so that an earlier error can still be answered.
type lateWriter struct {
	w           http.ResponseWriter
	contentType string
	began       bool
}

func (l *lateWriter) Write(p []byte) (int, error) {
	if !l.began {
		l.began = true
		l.w.Header().Set("Content-Type", l.contentType)
	}
	return l.w.Write(p)
}

// broken returns err while it can be answered. Once bytes have gone out it breaks the connection instead: a partial
// answer must never look whole.
func (a *API) broken(c *call, out *lateWriter, err error) error {
	if err == nil || !out.began {
		return err
	}
	if c.R.Context().Err() == nil {
		a.logFault(c, err)
	}
	panic(http.ErrAbortHandler)
}
