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

	"sandlot/internal/inspect"
	"sandlot/internal/names"
	"sandlot/internal/spool"
	"sandlot/internal/tree"
)

// recordCost is what the record of a file counts for beside its bytes: many empty files are not free.
const recordCost = 512

// A SentFile is one of the files that one call brings, under the name that its sender gave it.
type SentFile struct {
	Name     string
	Content  Content
	Declared Declared
}

// A Tree is the files that one call brings, staged. Contents.NewTree makes it; one call of a Service uses or
// discards it, or Contents.DiscardTree does. It holds little memory however many files there are: what is not in
// Blobs lies in a spool. It is for one goroutine at a time. After an error of one of its methods it is only to be
// discarded.
type Tree struct {
	contents *Contents
	charge   Charge
	archive  bool // the files came in an archive
	small    *spool.Spool
	files    []SentFile // under the names that they were read as
	at       map[string]int
	declared map[string]Declared // of files that had not come
	leftOut  map[string]int      // how many, by what they are
	read     []string            // names that were not sent as they are read
	size     int64               // of what was taken
}

// treeLimits bound what one call may bring.
type treeLimits struct {
	files int
	file  int64 // bytes of one
	total int64 // bytes of all
	dir   string
}

// NewTree makes a Tree without files. charge is asked for the bytes of each, and for its record.
func (c *Contents) NewTree(charge Charge) *Tree {
	return &Tree{
		contents: c, charge: charge, small: spool.New(c.limits.dir),
		at: map[string]int{}, declared: map[string]Declared{}, leftOut: map[string]int{},
	}
}

// DiscardTree forgets what a Tree has staged and gives its room back, as Discard does. It may always be called,
// also for nil.
func (c *Contents) DiscardTree(ctx context.Context, t *Tree) {
	if t == nil {
		return
	}
	for _, f := range t.files {
		if f.Content.Ref != "" {
			c.Discard(ctx, f.Content)
		}
	}
	if err := t.small.Close(); err != nil {
		c.log.Warn("a temporary file was not closed", "error", err)
	}
}

// Add stages one file, which r yields to its end, as Stage does. d may also come later; see Declare. A name that no
// file can have is CodeInvalidFilename, one that came before CodeInvalidField; too many files and too many bytes
// are CodeContentTooLarge. A file of some tool, such as those of node_modules/, is read and left out.
func (t *Tree) Add(ctx context.Context, name string, d Declared, r io.Reader) error {
	return t.add(ctx, name, d, func(in *inspect.Inspector) io.Reader {
		return io.TeeReader(t.bounded(name, t.charge.Of(r)), in)
	})
}

// Declare says what the sender said of a file's bytes, before or after they come. What it says of a file that never
// comes is CodeMissingField when the Tree is used.
func (t *Tree) Declare(name string, d Declared) {
	if d == (Declared{}) || tree.LeftOut(name) != "" {
		return
	}
	if clean, _, err := names.ReadFilename(name); err == nil {
		name = clean
	}
	if i, came := t.at[name]; came {
		t.files[i].Declared = d
		return
	}
	t.declared[name] = d
}

// add stages what the reader yields that through returns.
func (t *Tree) add(ctx context.Context, sent string, d Declared, through func(*inspect.Inspector) io.Reader) error {
	if what := tree.LeftOut(sent); what != "" {
		t.leftOut[what]++
		_, err := io.Copy(io.Discard, through(inspect.New()))
		return err
	}
	name, err := t.place(sent)
	if err != nil {
		return err
	}
	kept, err := t.contents.keep(ctx, through, t.hold)
	if err != nil {
		return NoEffect(err)
	}
	kept.Head = nil // of many files these would be much
	if told, ok := t.declared[name]; ok && d == (Declared{}) {
		d = told
		delete(t.declared, name)
	}
	t.at[name] = len(t.files)
	t.files = append(t.files, SentFile{name, kept, d})
	return nil
}

// hold keeps small content for its record.
func (t *Tree) hold(b *Blob, data []byte) error {
	b.Spooled = NewSpooled(t.small, t.small.Size(), len(data))
	if _, err := t.small.Write(data); errors.Is(err, spool.ErrFull) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	} else if err != nil {
		return err
	}
	return nil
}

// place reads a name, and refuses what cannot have a place among the files that came.
func (t *Tree) place(sent string) (string, error) {
	name, read, err := names.ReadFilename(sent)
	var bad *names.FilenameError
	switch {
	case errors.As(err, &bad):
		return "", t.badName(bad)
	case err != nil:
		return "", err
	}
	if _, twice := t.at[name]; twice {
		return "", t.clash(CodeInvalidField, "The file %s comes twice.", inspect.Quoted(name))
	}
	if most := t.contents.limits.files; len(t.files) >= most {
		return "", Refuse(CodeContentTooLarge, "There are more than %d files, which is the limit.", most).In(t.field()).Detail("limit", most).
			With(OpNothing).Note("Put several files into one, or leave out what the page does not use.")
	}
	if read && !t.archive {
		t.read = append(t.read, name)
	}
	return name, t.charge.add(recordCost)
}

// field is where in a request the files are.
func (t *Tree) field() string {
	if t.archive {
		return "archive"
	}
	return "files"
}

// clash refuses files that cannot lie beside each other: of an archive as CodeInvalidArchive.
func (t *Tree) clash(code Code, format string, args ...any) error {
	if t.archive {
		return Refuse(CodeInvalidArchive, format, args...).In(t.field()).With(OpNothing).
			Note("Rename one of them, or leave it out, and pack the archive again. Nothing was changed.")
	}
	return Refuse(code, format, args...).In(t.field()).With(OpNothing).Note("Rename one of them, or leave it out, and send the files again. Nothing was changed.")
}

// badName refuses a name, with one that would work.
func (t *Tree) badName(bad *names.FilenameError) error {
	e := Refuse(CodeInvalidFilename, "One of the files has a name that cannot be used. %s", bad.Reason).In(t.field()).With(OpNothing)
	if bad.Root != "" {
		return e.Note("Names begin at the folder of the page; the likely one is %s. A name that works: %s", inspect.Quoted(bad.Root), bad.Suggestion)
	}
	return e.Note("Rename that file and send all of them again. A name that works: %s", bad.Suggestion)
}

// bounded is a reader of r that refuses more than one file, or all of them, may have.
func (t *Tree) bounded(name string, r io.Reader) io.Reader {
	return &boundedReader{t: t, name: name, r: r}
}

type boundedReader struct {
	t    *Tree
	name string
	r    io.Reader
	n    int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	b.t.size += int64(n)
	switch most := b.t.contents.limits; {
	case b.n > most.file:
		return 0, Refuse(CodeContentTooLarge, "The file %s has more than %d bytes, which is the limit of one file.", inspect.Quoted(b.name), most.file).
			In(b.t.field()).Detail("limit", most.file).With(OpNothing).Note("Make that file smaller, or split it. Nothing was changed.")
	case b.t.size > most.total:
		return 0, Refuse(CodeContentTooLarge, "The files have more than %d bytes together, which is the limit.", most.total).
			In(b.t.field()).Detail("limit", most.total).With(OpNothing).Note("Make them smaller, or send some of them with a call of their own. Nothing was changed.")
	}
	return n, err
}

// A fileSet is the files of a Tree under the names that they get, in the byte order of these.
type fileSet struct {
	*Tree
	files    []SentFile
	warnings []Warning
}

// arranged is arrange, and nil for a call without a Tree.
func (t *Tree) arranged(unwrap bool) (*fileSet, error) {
	if t == nil {
		return nil, nil
	}
	return t.arrange(unwrap)
}

// arrange gives the files their names. With unwrap one folder that wraps all of them is taken off, if it holds the
// page. Files that no file system could keep apart are refused.
func (t *Tree) arrange(unwrap bool) (*fileSet, error) {
	for name := range t.declared {
		return nil, Refuse(CodeMissingField, "The file %s has a size or sha256, and no content.", inspect.Quoted(name)).In(t.field()).With(OpNothing).
			Note("Send its bytes with it, or leave it out.")
	}
	if len(t.files) == 0 {
		return nil, t.noFiles()
	}
	set := &fileSet{Tree: t, files: slices.Clone(t.files)}
	folder := ""
	if unwrap {
		folder = tree.Wrapper(set.names())
	}
	for i := range set.files {
		inside := strings.TrimPrefix(set.files[i].Name, folder)
		name, err := names.Filename(inside)
		var bad *names.FilenameError
		if errors.As(err, &bad) { // of what was allowed in a folder only
			return nil, t.badName(bad)
		}
		set.files[i].Name = name
	}
	slices.SortFunc(set.files, func(a, b SentFile) int { return strings.Compare(a.Name, b.Name) })
	if a, b, found := tree.Clash(set.names()); found {
		return nil, t.apart(a, b)
	}
	set.warnings = t.readings(folder)
	return set, nil
}

// noFiles refuses a tree without files.
func (t *Tree) noFiles() error {
	code, what := CodeMissingField, "The request brings no files."
	if t.archive {
		code, what = CodeInvalidArchive, "The archive has no files."
	}
	if len(t.leftOut) > 0 {
		what += " Only " + strings.Join(slices.Sorted(maps.Keys(t.leftOut)), ", ") + " came, which is left out."
	}
	return Refuse(code, "%s", what).In(t.field()).With(OpNothing).Note("Send the files of the project, with a page such as index.html among them.")
}

// apart refuses two files that no file system could keep apart.
func (t *Tree) apart(a, b string) error {
	why := "the names differ only in case, or in how their letters are composed"
	if names.Fold(a) != names.Fold(b) {
		why = "one name is a folder in the other's path"
	}
	return t.clash(CodeFilenameConflict, "The files %s and %s conflict: %s.", inspect.Quoted(a), inspect.Quoted(b), why)
}

// readings are the warnings about what was not taken as it was sent.
func (t *Tree) readings(folder string) (w []Warning) {
	if folder != "" {
		w = append(w, Warning{"unwrapped", fmt.Sprintf("The folder %s around all files was taken off.", inspect.Quoted(folder)), "Pack the files themselves rather than the folder that holds them."})
	}
	if len(t.leftOut) > 0 {
		n, kinds := 0, []string(nil)
		for _, what := range slices.Sorted(maps.Keys(t.leftOut)) {
			n += t.leftOut[what]
			kinds = append(kinds, fmt.Sprintf("%d of %s", t.leftOut[what], what))
		}
		w = append(w, Warning{"left_out", fmt.Sprintf("%s of tools left out: %s.", counted(n, "file was", "files were"), strings.Join(kinds, ", ")), "Leave them out of what you send. If the page loads one of them, copy it to another folder."})
	}
	if n := len(t.read); n > 0 {
		w = append(w, ReadAs(t.field(), inspect.Quoted(t.read[0])))
		if n > 1 {
			w[len(w)-1].Message = fmt.Sprintf("The names of %d files were read without what does not belong to them, such as %s.", n, inspect.Quoted(t.read[0]))
		}
	}
	return w
}

// counted is a number with its noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// names are those of the files, in their order.
func (s *fileSet) names() []string {
	list := make([]string, len(s.files))
	for i, f := range s.files {
		list[i] = f.Name
	}
	return list
}

// has reports whether there is a file of that name.
func (s *fileSet) has(name string) bool {
	_, found := slices.BinarySearchFunc(s.files, name, func(f SentFile, name string) int { return strings.Compare(f.Name, name) })
	return found
}

// digest tells names and bytes from all others. The same files have the same, however they were sent.
func (s *fileSet) digest() (d Digest) {
	all := sha256.New()
	for _, f := range s.files {
		fmt.Fprintf(all, "%s\x00%s", f.Content.SHA256, f.Name)
		all.Write([]byte{0})
	}
	return Digest(all.Sum(nil))
}

// check refuses files that cannot be what their sender meant. primary is the name of the page.
func (s *fileSet) check(primary string) error {
	for _, f := range s.files {
		err := checkContent(f.Content, f.Name, f.Name == primary || f.Name == primaryFile, f.Declared)
		if err != nil {
			return s.about(f, err)
		}
	}
	return nil
}

// about makes a refusal of a file's content one of the call that brought many.
func (s *fileSet) about(f SentFile, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	e.Message = fmt.Sprintf("Of %s: %s", inspect.Quoted(f.Name), e.Message)
	note := e.Fix.Note
	if note == "" || errors.Is(e, CodeDigestMismatch) {
		note = "The file was cut, changed or encoded on its way. Send it again as it is, best as a form part or in an archive."
	}
	return e.In(s.field()).Detail("filename", f.Name).With(OpNothing).Note("%s", note)
}

// most is how many warnings of one kind are told about single files; the rest is counted.
const mostAbout = 10

// warningsAbout tells what about the files may not have been meant.
func (s *fileSet) warningsAbout(ctx context.Context, primary string) ([]Warning, error) {
	var list []Warning
	more := 0
	for _, f := range s.files {
		page := f.Name == primary
		if page {
			head, err := s.head(ctx, f)
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
		list = append(list, Warning{"more_warnings", fmt.Sprintf("%d more files are gzipped, or base64 text.", more), ""})
	}
	return list, nil
}

// head reads the beginning of a staged file.
func (s *fileSet) head(ctx context.Context, f SentFile) ([]byte, error) {
	r, err := s.contents.Open(ctx, f.Content.Blob, 0, min(f.Content.Size, inspect.HeadSize))
	if err != nil {
		return nil, fmt.Errorf("look at the page: %w", err)
	}
	defer r.Close()
	var head bytes.Buffer
	_, err = head.ReadFrom(io.LimitReader(r, inspect.HeadSize))
	return head.Bytes(), err
}
