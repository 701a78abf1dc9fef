package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/format/edit"
	"sandlot/internal/format/inspect"
)

const (
	// mostEdited is the largest file that is edited, in bytes: it and the result are in memory.
	mostEdited = 4 << 20
	// mostUnweighed is the largest file that is edited without a turn among the heavy calls, in bytes.
	mostUnweighed = 256 << 10
)

// changes are the edits and deletions of a call.
type changes struct {
	edits []edit.Edit
	gone  []string // names of files to delete, sorted
}

// Change adds edits and deletions of files that the project has. A name that no file can have is CodeInvalidFilename; a
// file that is both edited and deleted is CodeInvalidField.
func (t *Tree) Change(edits []edit.Edit, gone []string) error {
	clean := func(field, sent string) (string, error) {
		name, read, err := cleanFilename(sent)
		if e := (*sandlot.Error)(nil); errors.As(unknownFile(err), &e) {
			return "", e.In(field)
		}
		if len(read) > 0 {
			t.read = append(t.read, name)
		}
		return name, err
	}
	for _, name := range gone {
		name, err := clean("delete", name)
		if err != nil {
			return err
		}
		t.gone = append(t.gone, name)
	}
	slices.Sort(t.gone)
	t.gone = slices.Compact(t.gone)
	for _, e := range edits {
		var err error
		if e.File, err = clean("edits", e.File); err != nil {
			return err
		}
		if t.deletes(e.File) {
			return twice("edits", e.File, "edited and deleted")
		}
		t.edits = append(t.edits, e)
	}
	return nil
}

// twice refuses a file for which a call wants two things.
func twice(field, name, what string) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The file %s is %s in one call. Nothing was changed.", inspect.Quoted(name), what).
		In(field).With(sandlot.OpNothing).Note("Name each file in one of files, edits and delete. Several edits of one file stand in edits.")
}

func (c changes) deletes(name string) bool {
	_, found := slices.BinarySearch(c.gone, name)
	return found
}

// empty reports whether the call brings files alone.
func (c changes) empty() bool { return len(c.edits) == 0 && len(c.gone) == 0 }

// digest returns the changes as they belong to the description of a request.
func (c changes) digest() []byte {
	if c.empty() {
		return nil
	}
	text, _ := json.Marshal([]any{c.edits, c.gone}) // texts always encode
	return text
}

// amended returns the set with the files of the project as its edits leave them. It refuses a deletion of a missing file.
func (s *fileSet) amended(ctx context.Context, p sandlot.Project, current []sandlot.File) (*fileSet, error) {
	if s.empty() {
		return s, nil
	}
	out := *s
	out.files = slices.Clone(s.files)
	of := map[string][]edit.Edit{}
	for _, e := range s.edits {
		of[e.File] = append(of[e.File], e)
	}
	for _, e := range s.edits {
		if of[e.File] == nil {
			continue // it was edited with the first of its edits
		}
		f, err := s.edited(ctx, p, fileNamed(current, e.File), of[e.File])
		if err != nil {
			return nil, err
		}
		out.files, of[e.File] = append(out.files, f), nil
	}
	for _, name := range s.gone {
		if s.has(name) {
			return nil, twice("delete", name, "sent and deleted")
		}
		if fileNamed(current, name) == nil {
			return nil, missing(p, name, "delete")
		}
	}
	slices.SortFunc(out.files, func(a, b *treeFile) int { return strings.Compare(a.name, b.name) })
	return &out, nil
}

// missing refuses a change of a file that the project does not have.
func missing(p sandlot.Project, name, field string) error {
	return noFile(p, name).In(field).With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).
		Note("Nothing was changed. The project's files are listed when you read it with its key.")
}

// edited stages a file of the project with its edits made.
func (s *fileSet) edited(ctx context.Context, p sandlot.Project, old *sandlot.File, edits []edit.Edit) (*treeFile, error) {
	name := edits[0].File
	switch {
	case s.has(name):
		return nil, twice("edits", name, "sent and edited")
	case old == nil:
		return nil, missing(p, name, "edits")
	case old.Blob.Size > mostEdited:
		return nil, sandlot.Refuse(sandlot.CodeContentTooLarge, "The file %s has %d bytes, and files of at most %d are edited. Nothing was changed.",
			inspect.Quoted(name), old.Blob.Size, mostEdited).In("edits").Detail("limit", mostEdited).
			With(sandlot.OpNothing).Note("Send the whole file with update.")
	}
	if old.Blob.Size > mostUnweighed && len(s.files) < heavyFiles { // a call with more files has its turn
		end, err := s.contents.load.Heaviest(ctx)
		if err != nil {
			return nil, sandlot.NoEffect(fmt.Errorf("wait for calls that edit large files: %w", err))
		}
		defer end()
	}
	text, err := s.bytes(ctx, old.Blob)
	if err != nil {
		return nil, err
	}
	text, bad := edit.Apply(text, edits)
	if bad != nil {
		return nil, notEdited(p, bad)
	}
	return s.staged(ctx, name, text)
}

// bytes reads a stored file.
func (s *fileSet) bytes(ctx context.Context, b sandlot.Blob) ([]byte, error) {
	r, err := s.contents.Open(ctx, b, 0, -1)
	if err != nil {
		return nil, fmt.Errorf("read a file to edit: %w", err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return text, sandlot.NoEffect(err)
}

// staged keeps the result of edits as a file that came with the call. The end of the Tree discards it.
func (s *fileSet) staged(ctx context.Context, name string, text []byte) (*treeFile, error) {
	if err := s.room(name, int64(len(text)), 0); err != nil {
		return nil, err
	}
	if err := s.charge.Add(recordCost); err != nil {
		return nil, err
	}
	kept, err := s.contents.keep(ctx, func(in *inspect.Inspector) io.Reader {
		return io.TeeReader(s.charge.Of(bytes.NewReader(text)), in)
	}, s.hold)
	if err != nil {
		return nil, sandlot.NoEffect(err)
	}
	f := newTreeFile(name, kept, Declared{})
	s.took(f)
	return f, nil
}

// protected refuses to delete the page that players open. primary is the page of the next version.
func (s *fileSet) protected(p sandlot.Project, primary string) error {
	p.Primary = primary
	for _, name := range s.gone {
		if e := refuseOpened(p, name); e != nil {
			return e.In("delete").With(sandlot.OpNothing).
				Note("Nothing was changed. To change it, edit it or send it in files; to open another page, name that as primary_file.")
		}
	}
	return nil
}

// notEdited refuses an edit, and proposes to read the file.
func notEdited(p sandlot.Project, bad *edit.Fault) error {
	at, file := fmt.Sprintf("edits[%d].old", bad.Edit.Index), inspect.Quoted(bad.Edit.File)
	code, message := sandlot.CodeEditNotFound, fmt.Sprintf("The text of %s stands nowhere in %s of version %d", at, file, p.Version)
	note := "Copy the text from the file as it is, blanks and line ends included:"
	switch bad.Reason {
	case edit.Ambiguous:
		code, message = sandlot.CodeEditAmbiguous, fmt.Sprintf("The text of %s stands %s in %s of version %d, on %s",
			at, times(bad.Count), file, p.Version, lines(bad.Lines))
		note = "Take more of the text around the right place into old and new, so that old stands once:"
	case edit.LineEnds:
		note = "The lines of the file end in another way than those of old: one has CRLF and the other LF. Copy them as they are:"
	case edit.Blanks:
		note = "Only blanks at the ends of lines are different. Copy them as they are:"
	}
	e := sandlot.Refuse(code, "%s. Nothing was changed.", message).In("edits").Detail("edit", bad.Edit.Index)
	switch {
	case bad.Reason == edit.Ambiguous:
		e.Detail("lines", bad.Lines)
	case bad.Near.N > 0:
		e.Message += fmt.Sprintf(" The nearest is line %d: %s.", bad.Near.N, strconv.Quote(bad.Near.Text))
		e.Detail("line", bad.Near.N).Detail("nearest", bad.Near.Text)
	}
	return e.Detail("filename", bad.Edit.File).Note("%s", note).
		With(sandlot.OpFile, sandlot.Set("id", string(p.ID)), sandlot.Set("filename", bad.Edit.File))
}

func times(n int) string {
	if n > edit.MostLines {
		return fmt.Sprintf("more than %d times", edit.MostLines)
	}
	return fmt.Sprintf("%d times", n)
}

func lines(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("line %d", list[0])
	}
	return "the lines " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}
