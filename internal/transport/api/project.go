package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/publish"
)

// Limits of ?content=small: enough for nearly every project, and little enough for a client that reads it whole.
const (
	smallFile = 1 << 20 // bytes of one file
	smallAll  = 8 << 20 // bytes of all files together
)

func (a *API) project(c *call) error {
	mode, err := c.choice("content", "small", "none", "small", "all")
	if err != nil {
		return err
	}
	list, err := c.choice("files", "all", "none", "names", "all")
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
	v.Warnings = a.notes(c, slices.Concat(v.Warnings, a.brokenPages(c, v.Project), a.threw(c, v.Project, v.Project.Version))).Warnings
	if list == "none" {
		v.Files = nil
	}
	return a.sendProject(c, v, mode, list == "names")
}

// choice returns a parameter of the query with few values, or fallback if it is absent.
func (c *call) choice(name, fallback string, values ...string) (string, error) {
	said := c.R.URL.Query().Get(name)
	if said == "" || slices.Contains(values, said) {
		return cmp.Or(said, fallback), nil
	}
	return "", sandlot.Refuse(sandlot.CodeInvalidField, "The parameter %s is not one of %s.", name, strings.Join(values, ", ")).
		In(name).With(sandlot.OpProject).Note("Leave it out for %s:", fallback)
}

// sendProject writes the project with its files, as JSON around the contents, which stream.
func (a *API) sendProject(c *call, v publish.ProjectView, mode string, names bool) error {
	head, err := encode(newProject(v))
	if err != nil {
		return err
	}
	out := &lateWriter{w: c.W, contentType: "application/json"}
	s := &fileStream{
		Writer: bufio.NewWriterSize(out, 64<<10), open: a.Intake.Contents.Open, ctx: c.R.Context(),
		mode: mode, names: names, warnings: v.Warnings,
	}
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

// content writes a file's bytes. A damaged file is listed without its content.
func (s *fileStream) content(f sandlot.File) error {
	r, err := s.open(s.ctx, f.Blob, 0, -1)
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		s.warnings = append(s.warnings, sandlot.Warning{
			Code:    string(sandlot.CodeBlobCorrupt),
			Message: fmt.Sprintf("The stored bytes of %q are damaged, so its content is left out.", f.Name),
			Hint:    "Send the file again with POST /v1/update.",
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

const (
	// listsHeld is the number of answers with all files of a project that an account has at once, until its client has
	// read them: each weighs up to 6 MB, for 10,000 files.
	listsHeld = 8
	// listWait is the longest wait of an answer for others: shorter than the patience of most clients.
	listWait = 20 * time.Second
)

// newLists limits the answers that list all files of a project. More than two for each processor would only wait while
// holding their lists.
func newLists() *turns.Lists[sandlot.AccountID] {
	return turns.NewLists[sandlot.AccountID](2*runtime.GOMAXPROCS(0), listsHeld, listWait)
}

// begin waits until the caller may have a list of files: see turns.Lists. A caller without an account gets none.
func (a *API) begin(c *call) (made, sent func(), err error) {
	if c.By.Account() == 0 {
		return func() {}, func() {}, nil
	}
	made, sent, err = a.lists.Begin(c.R.Context(), c.By.Account())
	if err != nil {
		err = sandlot.Refuse(sandlot.CodeUnavailable, "Too many lists of files are being sent. Nothing was changed.").
			After(5 * time.Second).With(sandlot.OpWait).
			Note("Read the answers that are on their way to their end, or send the same request again later.")
	}
	return made, sent, err
}
