package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"sandlot"
	"sandlot/internal/base/spool"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/format/unpack"
)

// recordCost is the charge for the record of a file, in bytes: as many as are received in the 65 us that a record
// takes.
const recordCost = 8 << 10

// A SentFile is one of the files of a call, under the name that its sender gave it.
type SentFile struct {
	Name     string
	Content  Content
	Declared Declared
}

// A treeFile is a SentFile as a Tree keeps it: there may be ten thousand, nearly all of them small and without
// findings.
type treeFile struct {
	name   string
	size   int64
	sha256 sandlot.Digest
	text   bool
	off    int64   // the place of the bytes in the Tree's spool, if they are there
	apart  *stored // their place otherwise; nil if they are in the spool
	about  *aboutFile
}

// stored is the place of bytes that are not in a spool.
type stored struct {
	ref         sandlot.BlobRef
	checkpoints string
}

// aboutFile holds the findings and declarations that most files do not have.
type aboutFile struct {
	found    inspect.Findings
	declared Declared
}

// newTreeFile describes a file without the beginning of its content, which for many files would take much memory.
func newTreeFile(name string, c Content, d Declared) *treeFile {
	f := &treeFile{name: name, size: c.Size, sha256: c.SHA256, text: c.Text}
	c.Head = nil
	if c.Spooled != nil {
		f.off = c.Spooled.Off
	} else {
		f.apart = &stored{c.Ref, c.Checkpoints}
	}
	if c.Gzip || c.Base64 || c.Within != nil || c.Damage != 0 || c.KeyAt >= 0 || d != (Declared{}) {
		f.about = &aboutFile{c.Findings, d}
	}
	return f
}

// blob returns the Blob of a file for its record.
func (t *Tree) blob(f *treeFile) sandlot.Blob {
	b := sandlot.Blob{Size: f.size, SHA256: f.sha256, Text: f.text}
	if f.apart != nil {
		b.Ref, b.Checkpoints = f.apart.ref, f.apart.checkpoints
	} else {
		b.Spooled = &sandlot.Spooled{File: t.small, Off: f.off, Size: int(f.size)}
	}
	return b
}

// sent returns a file as it came, without its beginning, and with its declared hash and size.
func (t *Tree) sent(f *treeFile) SentFile {
	s := SentFile{Name: f.name, Content: Content{Blob: t.blob(f), Findings: inspect.Findings{KeyAt: -1}}}
	if f.about != nil {
		s.Content.Findings, s.Declared = f.about.found, f.about.declared
	}
	return s
}

// A Tree holds the staged files of one call. Contents.NewTree makes it; one call of a Service uses or discards it, or
// Contents.DiscardTree does. It holds little memory however many files there are: bytes that are not in Blobs lie in a
// spool. It is for one goroutine at a time. After an error of one of its methods it can only be discarded.
type Tree struct {
	contents *Contents
	charge   sandlot.Charge
	archive  bool // the files came in an archive
	small    *spool.Spool
	files    []*treeFile // under their normalized names
	at       map[string]int
	declared map[string]Declared // of files that have not come
	leftOut  map[string]int      // the number of files left out, by kind
	read     []string            // names that were not sent in their normalized form
	bad      []badName           // names that no file can have
	guessed  []string            // names in an alphabet that the archive does not declare
	size     int64               // of the files taken
	changes                      // of files that the project has
	ends     []func()            // release the call's share of the load
}

// NewSpool returns a spool whose errors are ErrFull and ErrUnavailable.
func NewSpool(dir string) *spool.Spool {
	return spool.New(dir, sandlot.ErrFull, sandlot.ErrUnavailable)
}

const (
	// heavyFiles is the number of files from which a call is heavy: some 100 KiB of names and hashes.
	heavyFiles = 1000
	// mostHeavy bounds the heavy calls that are checked and recorded at once, each with up to 4 MB of lists: one more
	// than a database that writes one after another needs. The others wait with a third of that, their bytes received.
	mostHeavy = 2
)

// treeLimits bounds the files of one call.
type treeLimits struct {
	files int
	file  int64 // bytes of one
	total int64 // bytes of all
	dir   string
}

// NewTree returns a Tree without files. charge takes the bytes of each file, and the cost of its record.
func (c *Contents) NewTree(charge sandlot.Charge) *Tree {
	return &Tree{
		contents: c, charge: charge, small: NewSpool(c.limits.dir),
		at: map[string]int{}, declared: map[string]Declared{}, leftOut: map[string]int{},
	}
}

// DiscardTree forgets the staged files of a Tree and frees their room, as Discard does. It may always be called, also
// for nil.
func (c *Contents) DiscardTree(ctx context.Context, t *Tree) {
	if t == nil {
		return
	}
	for _, f := range t.files {
		if f.apart != nil {
			c.Discard(ctx, Content{Blob: sandlot.Blob{Ref: f.apart.ref}})
		}
	}
	if err := t.small.Close(); err != nil {
		c.log.Warn("a temporary file was not closed", "error", err)
	}
	t.files, t.at = nil, nil // before the answer, which takes memory too
	for _, end := range t.ends {
		end()
	}
	t.ends = nil
}

// took adds a file.
func (t *Tree) took(f *treeFile) {
	if t.files = append(t.files, f); len(t.files) == heavyFiles {
		t.ends = append(t.ends, t.contents.load.Begin())
	}
}

// weigh makes a heavy call wait until it may be checked and recorded. The end of the Tree releases its turn.
func (t *Tree) weigh(ctx context.Context) error {
	if len(t.files) < heavyFiles {
		return nil
	}
	end, err := t.contents.load.Heaviest(ctx)
	if err != nil {
		return fmt.Errorf("wait for calls with as many files: %w", err)
	}
	t.ends = append(t.ends, end)
	return nil
}

// Add stages one file, all bytes of r, as Stage does. d may also come later; see Declare. A name that no file can have
// is CodeInvalidFilename, a name that came before CodeInvalidField; too many files and too many bytes are
// CodeContentTooLarge. A file of some tool, such as those of node_modules/, is read and left out.
func (t *Tree) Add(ctx context.Context, name string, d Declared, r io.Reader) error {
	return t.add(ctx, name, d, func(in *inspect.Inspector) io.Reader {
		return io.TeeReader(t.bounded(name, t.charge.Of(r)), in)
	})
}

// LeftOut returns the kinds of the files that were left out so far, such as ".DS_Store", sorted.
func (t *Tree) LeftOut() []string { return slices.Sorted(maps.Keys(t.leftOut)) }

// Put is Add of content that was staged and charged before. The Tree owns it from here on, even if it is refused.
func (t *Tree) Put(ctx context.Context, sent string, d Declared, c Content) error {
	discard := func(err error) error {
		t.contents.Discard(ctx, c)
		return sandlot.NoEffect(err)
	}
	if what := names.LeftOut(sent); what != "" {
		t.leftOut[what]++
		return discard(nil)
	}
	name, err := t.place(sent)
	if name == "" && err == nil {
		return discard(nil)
	}
	if err == nil {
		err = t.room(sent, c.Size, c.Size)
	}
	if err == nil && c.Ref == "" {
		var held bool
		if held, err = t.hold(&c.Blob, c.Inline); err == nil && !held {
			c.Ref, err = t.contents.putStaged(ctx, bytes.NewReader(c.Inline))
		}
	}
	if err != nil {
		return discard(err)
	}
	t.keep(name, c, d)
	return nil
}

// keep takes a staged file.
func (t *Tree) keep(name string, c Content, d Declared) {
	if told, ok := t.declared[name]; ok && d == (Declared{}) {
		d = told
		delete(t.declared, name)
	}
	t.at[name] = len(t.files)
	t.took(newTreeFile(name, c, d))
}

// Declare records the declared hash and size of a file, before or after its bytes come. A declaration for a file that
// never comes is CodeMissingField when the Tree is used.
func (t *Tree) Declare(name string, d Declared) {
	if d == (Declared{}) || names.LeftOut(name) != "" {
		return
	}
	if clean, _, err := names.ReadFilename(name); err == nil {
		name = clean
	}
	if i, came := t.at[name]; came {
		f := t.files[i]
		t.files[i] = newTreeFile(name, t.sent(f).Content, d)
		return
	}
	t.declared[name] = d
}

// add stages the bytes of the reader that through returns.
func (t *Tree) add(ctx context.Context, sent string, d Declared, through func(*inspect.Inspector) io.Reader) error {
	if what := names.LeftOut(sent); what != "" {
		t.leftOut[what]++
		_, err := io.Copy(io.Discard, through(inspect.New()))
		return err
	}
	name, err := t.place(sent)
	if err != nil {
		return err
	}
	if name == "" {
		_, err := io.Copy(io.Discard, through(inspect.New()))
		return err
	}
	kept, err := t.contents.keep(ctx, through, t.hold)
	if err != nil {
		return sandlot.NoEffect(err)
	}
	t.keep(name, kept, d)
	return nil
}

// Keep stages content that gets its name later, or several names: a file of an archive, as r yields it. name is for
// refusals. Each file may be as large as in a call; the reader of the archive bounds their sum, because a project may
// have grown to more than one call can bring.
func (t *Tree) Keep(ctx context.Context, name string, r io.Reader) (Content, error) {
	t.archive, t.size = true, 0
	if err := t.charge.Add(recordCost); err != nil {
		return Content{}, err
	}
	turn := t.contents.unpacking.Client()
	kept, err := t.contents.keep(ctx, func(in *inspect.Inspector) io.Reader {
		return turn.Work(ctx, io.TeeReader(t.bounded(name, t.charge.Of(r)), in))
	}, t.hold)
	if err != nil {
		return Content{}, sandlot.NoEffect(err)
	}
	kept.Head = nil
	t.took(newTreeFile(name, kept, Declared{}))
	return kept, nil
}

// place normalizes a name, and refuses one that collides with the files that came. It returns "" for a name that no
// file can have: misnamed refuses all of these together.
func (t *Tree) place(sent string) (string, error) {
	name, read, err := names.ReadFilename(sent)
	var bad *names.FilenameError
	switch {
	case errors.As(err, &bad):
		t.bad = append(t.bad, badName{bad, sent}.kept(len(t.bad)))
		return "", t.charge.Add(recordCost)
	case err != nil:
		return "", err
	}
	if inspect.HoldsKey(sent) || inspect.HoldsKey(name) {
		return "", sandlot.Refuse(sandlot.CodeKeyInContent,
			"The name of one of the files holds one of this service's keys. "+
				"Everything published is public, names too.").
			In(t.field()).With(sandlot.OpNothing).
			Note("Rename that file and send all of them again. " +
				"If it was ever public, replace the key at /account.")
	}
	if _, twice := t.at[name]; twice {
		return "", t.clash(sandlot.CodeInvalidField, "The file %s comes twice.", inspect.Quoted(name))
	}
	if most := t.contents.limits.files; len(t.files) >= most {
		return "", sandlot.Refuse(sandlot.CodeContentTooLarge, "There are more than %d files, which is the limit.",
			most).In(t.field()).Detail("limit", most).
			With(sandlot.OpNothing).Note("Put several files into one, or leave out what the page does not use.")
	}
	if read && !t.archive {
		t.read = append(t.read, name)
	}
	return name, t.charge.Add(recordCost)
}

// field returns the field of the request that holds the files.
func (t *Tree) field() string {
	if t.archive {
		return "archive"
	}
	return "files"
}

// clash refuses files that cannot be stored together: in an archive as CodeInvalidArchive.
func (t *Tree) clash(code sandlot.Code, format string, args ...any) error {
	if t.archive {
		return sandlot.Refuse(sandlot.CodeInvalidArchive, format, args...).In(t.field()).With(sandlot.OpPack).
			Note("Nothing was changed. Rename one of them, or leave it out. Then pack the folder again:")
	}
	return sandlot.Refuse(code, format, args...).In(t.field()).With(sandlot.OpPack).
		Note("Nothing was changed. " +
			"Rename one of them, or leave it out, and send all files again:")
}

// again returns the operation that sends the files once more: those of an archive are packed again.
func (t *Tree) again() sandlot.Op {
	if t.archive {
		return sandlot.OpPack
	}
	return sandlot.OpSame
}

// bounded returns a reader of r that refuses a file, or a Tree, over its limit.
func (t *Tree) bounded(name string, r io.Reader) io.Reader {
	size := int64(0)
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		size += int64(n)
		if refused := t.room(name, size, int64(n)); refused != nil {
			return 0, refused
		}
		return n, err
	})
}

// room adds n bytes of a file that has size by now, or refuses them.
func (t *Tree) room(name string, size, n int64) error {
	t.size += n
	switch most := t.contents.limits; {
	case size > most.file:
		return sandlot.Refuse(sandlot.CodeContentTooLarge,
			"The file %s has more than %d bytes, which is the limit of one file.", inspect.Quoted(name), most.file).
			In(t.field()).Detail("limit", most.file).With(sandlot.OpNothing).
			Note("Make that file smaller, or split it. Nothing was changed.")
	case t.size > most.total:
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "The files have more than %d bytes together, which is the limit.", most.total).
			In(t.field()).Detail("limit", most.total).With(sandlot.OpNothing).
			Note("Make them smaller, or send some of them with a call of their own. Nothing was changed.")
	}
	return nil
}

// Unpack adds the files of an archive, which r yields: "zip", "tar", "tar.gz" or "tar.zst". A tar is read as it comes,
// a ZIP into a spool first. An archive is refused as a whole: with CodeInvalidArchive if it is damaged, or holds
// entries that no archive of a project has; with CodeContentTooLarge if it unpacks to too much, at the first byte over
// the limit. An error of r is wrapped. Many calls unpack in turns, so that a processor stays free for others.
func (t *Tree) Unpack(ctx context.Context, format string, r io.Reader) error {
	f, err := ReadArchiveFormat(format)
	if err != nil {
		return err
	}
	t.archive = true
	turn := t.contents.unpacking.Client()
	charge := t.charge
	each := func(e unpack.Entry, r io.Reader) error {
		if what := names.LeftOut(e.Name); what != "" && f == string(unpack.ZIP) {
			t.leftOut[what]++ // its entry is skipped, not unpacked
			return nil
		}
		if e.Guessed {
			t.guessed = append(t.guessed, e.Name)
		}
		return t.add(ctx, e.Name, Declared{}, func(in *inspect.Inspector) io.Reader {
			return turn.Work(ctx, io.TeeReader(t.bounded(e.Name, charge.Of(r)), in))
		})
	}
	most := t.contents.limits
	lim := unpack.Limits{
		Entries: entriesPerFile * most.files, File: most.file, Total: most.total,
		LeftOut: func(name string) bool { return names.LeftOut(name) != "" },
	}
	if f != string(unpack.ZIP) {
		charge = nil // everything unpacked is charged: the bytes between the files can become very many, too
		lim.Through = func(r io.Reader) io.Reader { return turn.Work(ctx, t.charge.Of(r)) }
		return sandlot.NoEffect(t.unpacked(unpack.ReadTar(turn.Wait(ctx, r), unpack.Format(f), lim, each)))
	}
	packed := NewSpool(most.dir)
	defer packed.Close()
	if err := t.contents.Receive(packed, r, most.packed()); err != nil {
		return sandlot.NoEffect(err)
	}
	return sandlot.NoEffect(t.unpacked(unpack.ReadZIP(packed, packed.Size(), lim, each)))
}

// unpacked refuses an archive that could not be read, or that holds names that no file can have.
func (t *Tree) unpacked(err error) error {
	if err != nil {
		return t.badArchive(err)
	}
	return t.misnamed()
}

// entriesPerFile is the number of entries of an archive for each file: folders and files that are left out count.
const entriesPerFile = 5

// packed returns the size limit of an archive: packed bytes may be a few more than the files in it.
func (l treeLimits) packed() int64 { return l.total + l.total/1024 + 16<<20 }

// Receive writes the bytes of r, such as an archive, to a spool. More than limit bytes are CodeContentTooLarge; a disk
// that is or becomes nearly full is CodeStorageFull.
func (c *Contents) Receive(all *spool.Spool, r io.Reader, limit int64) error {
	if err := c.admitBytes(); err != nil {
		return err
	}
	n, err := io.Copy(all, io.LimitReader(c.whileRoom(r), limit+1))
	switch {
	case err != nil:
		return fmt.Errorf("receive: %w", err)
	case n > limit:
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "The archive has more than %d bytes, which is the limit.",
			limit).In("archive").Detail("limit", limit).
			With(sandlot.OpNothing).Note("Leave out what the page does not use, or make the files smaller.")
	}
	return nil
}

// badArchive makes a refusal of an error of package unpack.
func (t *Tree) badArchive(err error) error {
	var bad *unpack.Error
	if !errors.As(err, &bad) {
		return err
	}
	of := "The archive"
	if bad.Entry != "" {
		of = "The entry " + inspect.Quoted(bad.Entry) + " of the archive"
	}
	most := t.contents.limits
	large := func(what string, limit any) error {
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "%s. The limit is %v.", what, limit).In("archive").
			Detail("limit", limit).With(sandlot.OpNothing).
			Note("Leave out what the page does not use, make files smaller, " +
				"or send some of them with a call of their own. Nothing was changed.")
	}
	switch bad.Reason {
	case unpack.TooMany:
		return large("The archive has too many entries, folders included", entriesPerFile*most.files)
	case unpack.TooLarge:
		return large(of+" has too many bytes", most.file)
	case unpack.TotalLarge:
		return large("The archive unpacks to too many bytes", most.total)
	}
	e := sandlot.Refuse(sandlot.CodeInvalidArchive, "%s cannot be taken: %s.", of, bad.Message).In("archive").With(sandlot.OpPack)
	switch bad.Reason {
	case unpack.Link, unpack.Device, unpack.BadName: // a new archive of the folder would have them, too
		e.LeavingOut(bad.Entry)
	}
	return e.Note("Nothing was changed. Pack the folder again, with plain files alone:").Because(bad)
}
