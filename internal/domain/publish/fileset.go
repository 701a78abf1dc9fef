package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/edit"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// A fileSet holds the files of a Tree under their final names, in the byte order of these.
type fileSet struct {
	*Tree
	files    []*treeFile
	folder   string // the folder that wrapped all files and was taken off, with its slash
	into     string // the folder that the files were sent for
	warnings []sandlot.Warning
}

// arranged is arrange; for a nil Tree it returns nil.
func (t *Tree) arranged(ctx context.Context, unwrap bool, into string) (*fileSet, error) {
	if t == nil {
		return nil, nil
	}
	return t.arrange(ctx, unwrap, into)
}

// arrange gives the files their names. With unwrap one folder that wraps all of them is taken off, if it holds the
// page; the rest goes into a folder, if one is named. Files that no file system could keep apart are refused.
func (t *Tree) arrange(ctx context.Context, unwrap bool, into string) (*fileSet, error) {
	if err := t.weigh(ctx); err != nil {
		return nil, sandlot.NoEffect(err)
	}
	if err := t.misnamed(); err != nil {
		return nil, FileError{t.bad[0].sent, err}
	}
	for name := range t.declared {
		return nil, sandlot.Refuse(sandlot.CodeMissingField, "The file %s has a size or sha256, and no content.",
			inspect.Quoted(name)).In(t.field()).With(sandlot.OpNothing).
			Note("Send its bytes with it, or leave it out.")
	}
	if len(t.files) == 0 && t.changes.empty() {
		return nil, t.noFiles()
	}
	t.at = nil // no more come
	set := &fileSet{Tree: t, files: t.files, into: into}
	if unwrap {
		set.folder = names.Wrapper(set.names())
	}
	for i := range set.files {
		inside := strings.TrimPrefix(set.files[i].name, set.folder)
		if into != "" {
			inside = into + "/" + inside
		}
		name, err := names.Filename(inside)
		var bad *names.FilenameError
		if errors.As(err, &bad) { // a name that was allowed in a folder only
			t.bad = append(t.bad, badName{bad, set.files[i].name}.kept(len(t.bad)))
		}
		set.files[i].name = name
	}
	if err := t.misnamed(); err != nil {
		return nil, FileError{t.bad[0].sent, err}
	}
	slices.SortFunc(set.files, func(a, b *treeFile) int { return strings.Compare(a.name, b.name) })
	if a, b, found := names.Clash(set.names()); found {
		return nil, FileError{a, t.apart(a, b)}
	}
	set.warnings = t.readings(set.folder)
	return set, nil
}

// noFiles refuses a tree without files.
func (t *Tree) noFiles() error {
	code, what := sandlot.CodeMissingField, "The request brings no files."
	if t.archive {
		code, what = sandlot.CodeInvalidArchive, "The archive has no files."
	}
	if len(t.leftOut) > 0 {
		what += " Only " + strings.Join(slices.Sorted(maps.Keys(t.leftOut)), ", ") + " came, which is left out."
	}
	return sandlot.Refuse(code, "%s", what).In(t.field()).With(sandlot.OpPack).
		Note("Send the files of the project, with a page such as index.html among them:")
}

// apart refuses two files that no file system could keep apart.
func (t *Tree) apart(a, b string) error {
	why := "the names differ only in case, or in how their letters are composed"
	if names.Fold(a) != names.Fold(b) {
		why = "one name is a folder in the other's path"
	}
	return t.clash(sandlot.CodeFilenameConflict, "The files %s and %s conflict: %s.", inspect.Quoted(a), inspect.Quoted(b), why)
}

// readings returns the warnings about names and files that were not taken as they were sent.
func (t *Tree) readings(folder string) (w []sandlot.Warning) {
	if folder != "" {
		w = append(w, unwrapped(folder))
	}
	hint := "Nothing has to be done, unless a page loads one of them: then send it again from another folder."
	if t.leftOut[".sandlot/"] > 0 {
		hint = "A page needs no copy of .sandlot/sdk.js: the service answers it. " + hint
	}
	w = append(w, t.leavings(false, "which tools have made", hint)...)
	w = append(w, t.leavings(true, "which may hold secrets of yours: everything published is public",
		"Nothing has to be done. If such a file is to be public all the same, send it alone with update and force: "+
			"true.")...)
	if n := len(t.guessed); n > 0 {
		w = append(w, sandlot.Warn("read_as",
			fmt.Sprintf("The archive does not say in which alphabet %s: "+
				"read as CP437, as the ZIP format began, such as %s.", counted(n, "name is", "names are"),
				inspect.Quoted(t.guessed[0])),
			"If these are not the letters that were meant, the page does not find the files: "+
				"pack the folder again with a program that writes names in UTF-8, or rename the files."))
	}
	if n := len(t.read); n > 0 {
		w = append(w, ReadAs(t.field(), inspect.Quoted(t.read[0])))
		if n > 1 {
			w[len(w)-1].Message = fmt.Sprintf("The names of %d files were read without what does not belong to "+
				"them, such as %s.", n, inspect.Quoted(t.read[0]))
		}
	}
	return w
}

// leavings warns about the files that were left out: those with secrets, or the others.
func (t *Tree) leavings(secret bool, why, hint string) []sandlot.Warning {
	n, kinds := 0, []string(nil)
	for _, what := range slices.Sorted(maps.Keys(t.leftOut)) {
		if (names.Secret(what) != "") == secret {
			n += t.leftOut[what]
			kinds = append(kinds, fmt.Sprintf("%d of %s", t.leftOut[what], what))
		}
	}
	if n == 0 {
		return nil
	}
	return []sandlot.Warning{sandlot.Warn("left_out",
		fmt.Sprintf("%s left out, %s: %s.", counted(n, "file was", "files were"), why, strings.Join(kinds, ", ")),
		hint)}
}

// counted returns a number with its noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// names returns the names of the files, in their order.
func (s *fileSet) names() []string {
	list := make([]string, len(s.files))
	for i, f := range s.files {
		list[i] = f.name
	}
	return list
}

func (s *fileSet) has(name string) bool {
	_, found := slices.BinarySearchFunc(s.files, name, func(f *treeFile, name string) int { return strings.Compare(f.name, name) })
	return found
}

// digest returns a hash of all names, bytes and changes. The same have the same hash, however they were sent.
func (s *fileSet) digest() (d sandlot.Digest) {
	all := sha256.New()
	for _, f := range s.files {
		fmt.Fprintf(all, "%s\x00%s", f.sha256, f.name)
		all.Write([]byte{0})
	}
	all.Write(s.changes.digest())
	return sandlot.Digest(all.Sum(nil))
}

// check refuses files that their sender cannot have meant. primary is the name of the page.
func (s *fileSet) check(primary string) error {
	for _, sent := range s.files {
		f := s.sent(sent)
		err := checkContent(f.Content, f.Name, f.Name == primary || f.Name == primaryFile, f.Declared)
		if err != nil {
			return s.about(f, err, primary)
		}
	}
	return nil
}

// about makes a refusal of a file's content one of the call that brought many.
func (s *fileSet) about(f SentFile, err error, primary string) error {
	var e *sandlot.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Message = fmt.Sprintf("Of %s: %s", inspect.Quoted(f.Name), e.Message)
	note := e.Fix.Note
	if note == "" || errors.Is(e, sandlot.CodeDigestMismatch) {
		note = "The file was cut, changed or encoded on its way. Send it again as it is, best as a form part or in an archive."
	}
	if f.Name != primary {
		e.LeavingOut(f.Name)
	}
	if slices.ContainsFunc(s.edits, func(e edit.Edit) bool { return e.File == f.Name }) {
		return e.In("edits").Detail("filename", f.Name).With(sandlot.OpNothing).Note("Nothing was changed. That is how the edits would leave the file. %s", e.Fix.Note)
	}
	return e.In(s.field()).Detail("filename", f.Name).With(s.again()).Note("%s", note)
}

// mostAbout bounds the warnings about single files; the rest is counted.
const mostAbout = 10

// warningsAbout warns about files that may not have been meant.
func (s *fileSet) warningsAbout(ctx context.Context, primary string) ([]sandlot.Warning, error) {
	var list []sandlot.Warning
	more := 0
	for _, sent := range s.files {
		f := s.sent(sent)
		page := f.Name == primary
		if page {
			head, err := s.head(ctx, f.Content.Blob)
			if err != nil {
				return nil, err
			}
			f.Content.Head = head
		}
		w := contentWarnings(f.Content, f.Name, page)
		if len(list) >= mostAbout && !page {
			more += len(w)
			continue
		}
		list = append(list, w...)
	}
	if more > 0 {
		list = append(list, sandlot.Warn("more_warnings",
			counted(more, "more file is", "more files are")+" gzipped, base64 text or damaged.", ""))
	}
	return list, nil
}

// head reads the beginning of a staged file.
func (s *fileSet) head(ctx context.Context, b sandlot.Blob) ([]byte, error) {
	r, err := s.contents.Open(ctx, b, 0, min(b.Size, inspect.HeadSize))
	if err != nil {
		return nil, fmt.Errorf("look at the page: %w", err)
	}
	defer r.Close()
	var head bytes.Buffer
	_, err = head.ReadFrom(io.LimitReader(r, inspect.HeadSize))
	return head.Bytes(), err
}

// unwrap removes the folder that once wrapped the project's files, if all files of the call lie in it and belong at the
// root: the project has nothing in that folder, or has the page of the call at the root alone.
func (s *fileSet) unwrap(folder string, current []sandlot.File) {
	if folder == "" || s.into != "" || len(s.files) == 0 || slices.ContainsFunc(s.files, func(f *treeFile) bool { return !strings.HasPrefix(f.name, folder) }) {
		return
	}
	inside := s.names()
	for i := range inside {
		inside[i] = inside[i][len(folder):]
		if clean, err := names.Filename(inside[i]); err != nil || clean != inside[i] { // a name that only a folder may hold
			return
		}
	}
	page := names.Page(inside)
	if holds(current, folder) && (page == "" || fileNamed(current, page) == nil || fileNamed(current, folder+page) != nil) {
		return
	}
	s.folder = folder
	for i, f := range s.files {
		f.name = inside[i]
	}
	s.warnings = append([]sandlot.Warning{unwrapped(folder)}, s.warnings...)
}

// holds reports whether one of the files lies in a folder.
func holds(files []sandlot.File, folder string) bool {
	return slices.ContainsFunc(files, func(f sandlot.File) bool { return strings.HasPrefix(f.Name, folder) })
}

// unwrapped returns the warning that a folder was taken off.
func unwrapped(folder string) sandlot.Warning {
	return sandlot.Warn("unwrapped",
		fmt.Sprintf("The folder %s around all files was taken off.", inspect.Quoted(folder)),
		"Nothing has to be done: the files are at the root of the project.")
}

// beside warns if the files of an update lie in a folder that is new to the project and holds a page: players open
// another page.
func (s *fileSet) beside(primary string, current []sandlot.File) []sandlot.Warning {
	folder := names.Wrapper(s.names())
	if folder == "" || s.into != "" || holds(current, folder) {
		return nil
	}
	inside := s.names()
	for i := range inside {
		inside[i] = inside[i][len(folder):]
	}
	return []sandlot.Warning{sandlot.Warn("page_as_before",
		fmt.Sprintf("All files came in the folder %s, which is new in this project, and were added there: "+
			"players still open %s, which is as before, and not %s.",
			inspect.Quoted(folder), inspect.Quoted(primary), inspect.Quoted(folder+names.Page(inside))),
		"If they were to take the place of the project's files, send them again with update and replace: "+
			"true, which takes that folder off. "+
			"If the page of that folder is to be opened, name it as primary_file.")}
}
