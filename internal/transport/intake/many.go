package intake

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
	"sandlot/internal/transport/intake/hint"
)

// rawTypes are the media types of a body that is itself an archive. It never changes.
var rawTypes = map[string]unpack.Format{
	"application/zip": unpack.ZIP, "application/x-zip-compressed": unpack.ZIP,
	"application/x-tar": unpack.Tar,
	"application/gzip":  unpack.TarGzip, "application/x-gzip": unpack.TarGzip,
	"application/zstd": unpack.TarZstd,
}

// more returns the kinds of content that a body may bring beside the field content.
func (a *Intake) more(c *Call, f *Fields) content.More {
	if !f.Set.content {
		return content.More{}
	}
	more := content.More{
		Text:    true,
		Upload:  f.Set.Upload,
		Field:   f.Set.near,
		Place:   func(form content.Form) error { return a.place(c, f, form) },
		Archive: func(r io.Reader) error { return a.unarchive(c, f, "", r) },
	}
	if f.Set.html {
		more.HTML = func(r io.Reader) (err error) {
			f.html, err = a.staged(c, f, r)
			return err
		}
	}
	return more
}

// tree returns the tree of the call. It makes the tree with the first file.
func (a *Intake) tree(f *Fields) *publish.Tree {
	if f.Tree == nil {
		f.Tree = a.Contents.NewTree(f.Staging)
	}
	return f.Tree
}

// place puts the file that was staged last into the tree of the call.
func (a *Intake) place(c *Call, f *Fields, form content.Form) error {
	one := &Fields{Set: fileFields, Form: form}
	if leak := leakedIn(form); leak != nil {
		return leak
	}
	name, said := form.FileName, one.declared()
	if !form.HasContent {
		name = cmp.Or(one.nameIn("filename"), one.nameIn("path"), one.nameIn("name"))
	} else if !form.Multipart {
		name = f.called(one)
	}
	f.sentName(name)
	if one.Err == nil && !form.HasContent {
		f.bytesless++
		return nil
	}
	if one.Err != nil {
		return inFile(name, one.Err)
	}
	staged := f.Content
	f.Content = publish.Content{Missing: true}
	if form.Encoding.Gzip {
		var err error
		if staged, err = a.Contents.Unpack(c.R.Context(), staged, a.MaxContent, f.Staging); err != nil {
			return inFile(name, err)
		}
	}
	if err := checkFilled(form, staged); err != nil {
		a.Contents.Discard(context.WithoutCancel(c.R.Context()), staged)
		return inFile(name, err)
	}
	if form.RawText {
		f.readOnce(publish.ReadAs("files[].content", "files[].text"))
	}
	f.noteStrange(one)
	return a.tree(f).Put(c.R.Context(), name, said, staged)
}

// called returns the name of one of many files in JSON. It also accepts path or name if only one of them has a name.
func (f *Fields) called(one *Fields) string {
	path, name := one.nameIn("path"), one.nameIn("name")
	if one.has("filename") || (path == "") == (name == "") {
		return one.required("filename", "it says how this file is called")
	}
	as := "path"
	if path == "" {
		as = "name"
	}
	f.readOnce(publish.ReadAs("files[]."+as, "files[].filename"))
	one.named = as
	return path + name
}

func (f *Fields) nameIn(field string) string {
	if v, ok := f.Form.Get(field); ok && v.Kind == content.String {
		return v.Text
	}
	return ""
}

// readOnce adds the warning about a reading, once for any number of files.
func (f *Fields) readOnce(w sandlot.Warning) {
	if !slices.ContainsFunc(f.read, func(r sandlot.Warning) bool { return r.Message == w.Message }) {
		f.read = append(f.read, w)
	}
}

// inFile turns an error about one of many files into an error of the call.
func inFile(name string, err error) error {
	var e *sandlot.Error
	var decoded *content.Error
	switch {
	case errors.As(err, &e):
		e.Message = "Of the file " + inspect.Quoted(name) + ": " + e.Message
		return e.In("files")
	case errors.As(err, &decoded):
		own := *decoded
		if own.Field = "files"; name != "" {
			own.Message = "of the file " + inspect.Quoted(name) + ": " + own.Message
		}
		return &own
	}
	return err
}

// noteStrange remembers unknown members of files, which are ignored with one warning.
func (f *Fields) noteStrange(one *Fields) {
	for _, name := range one.unknown() {
		if f.strangeInFiles == "" && name != one.named {
			f.strangeInFiles = name
		}
	}
}

// unarchive adds the files of an archive to the tree. Its first bytes decide its format, or else said.
func (a *Intake) unarchive(c *Call, f *Fields, said unpack.Format, r io.Reader) error {
	sum, counted := sha256.New(), &counter{}
	head := bufio.NewReaderSize(io.TeeReader(r, io.MultiWriter(sum, counted)), 4<<10)
	first, err := head.Peek(512)
	if err != nil && err != io.EOF {
		return err
	}
	format, ok := unpack.Sniff(first)
	switch {
	case !ok && said != "":
		format = said
	case !ok:
		return sandlot.Refuse(sandlot.CodeInvalidArchive, "The archive doesn't begin as a ZIP, tar, tar.gz or tar.zst does.").
			In("archive").With(sandlot.OpPack).Note("Pack the folder itself, whatever the archive was made with:")
	}
	f.format = format
	if err := a.tree(f).Unpack(c.R.Context(), string(format), head); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, head); err != nil {
		return err
	}
	f.packed = publish.Declared{SHA256: hex.EncodeToString(sum.Sum(nil)), Size: &counted.n}
	return nil
}

// A counter counts the bytes that are written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// comparePacked refuses an archive that differs from its declaration.
func comparePacked(said, came publish.Declared) error {
	if (said.Size == nil || *said.Size == *came.Size) && (said.SHA256 == "" || strings.EqualFold(said.SHA256, came.SHA256)) {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeDigestMismatch, "The archive has %d bytes with the SHA-256 %s, and other "+
		"values were declared.", *came.Size, came.SHA256).In("archive").
		Detail("received_size", *came.Size).Detail("received_sha256", came.SHA256).With(sandlot.OpSame).
		Note("The archive was cut or changed on its way, or size and sha256 are of another one. " +
			"Send it again, with those of the archive's own bytes or without.")
}

// raw reads a body that is itself an archive. The query has the fields.
func (a *Intake) raw(c *Call, f *Fields, format unpack.Format) error {
	list := inQuery(f.Query)
	f.Query = nil
	f.Form = content.FormOf(list)
	f.Form.HasArchive = true
	if leak := c.remember(f); leak != nil {
		return leak
	}
	for i := 1; i < len(list); i++ {
		if list[i].Name == list[i-1].Name {
			return sandlot.Refuse(sandlot.CodeInvalidField, "The query has %s twice.", inspect.Quoted(list[i].Name)).
				In(list[i].Name).With(sandlot.OpSame).Note("Send each field once.")
		}
	}
	err := a.unarchive(c, f, format, http.MaxBytesReader(c.W, c.Body, a.maxBody()))
	f.Form.Whole = c.Body.Err == io.EOF
	c.Whole = f.Form.Whole
	if err != nil {
		return err
	}
	return c.Grant.Whole()
}

// maxFilled is the longest text that is checked for a placeholder, in bytes: room for a filename of any length.
const maxFilled = 600

// checkFilled refuses a text that still holds the placeholder of a hint.
func checkFilled(form content.Form, c publish.Content) error {
	if !form.FromText || c.Size > maxFilled || int64(len(c.Head)) < c.Size {
		return nil
	}
	text := string(c.Head[:c.Size])
	if name, ok := strings.CutPrefix(text, sandlot.PlaceholderText); !ok || strings.IndexByte(name, '>') != len(name)-1 {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field text is the placeholder of a proposed call.").In("text").
		With(sandlot.OpSame).Note("Put the text of the file in its place:")
}

// gather checks and arranges the files of the call after the whole body is read.
func (a *Intake) gather(c *Call, f *Fields) error {
	if f.Form.HasHTML {
		alone := f.Content.Missing && f.Tree == nil && !f.Form.HasContent && !f.Form.HasFiles && !f.Form.HasArchive
		if alone {
			f.Content, f.html = f.html, publish.Content{Missing: true}
			f.Form.HasContent, f.Form.FromText = true, true
		} else {
			f.warn("html_ignored", "The field html was ignored: the call brings its files otherwise.",
				"Send one of text, content, files and archive.")
		}
	}
	if err := checkFilled(f.Form, f.Content); err != nil {
		return err
	}
	if f.has("archive_format") && !f.Content.Missing && !f.has("upload_id") && !f.has("part") {
		return badField("archive_format", "archive_format says how an archive is packed, and content is one file").
			With(sandlot.OpSame).Note("Send the archive as archive, or leave archive_format out to store it as it is.")
	}
	if err := a.checkBytesless(f); err != nil {
		return err
	}
	if err := a.contentAlone(c, f); err != nil {
		return err
	}
	if err := a.changes(f); err != nil {
		return err
	}
	if err := f.checkMany(a); err != nil {
		return err
	}
	if f.packed.Size == nil {
		return nil
	}
	if said := f.declared(); f.Err == nil {
		return comparePacked(said, f.packed)
	}
	return f.Err
}

// checkBytesless decides about files without bytes: beside content or an archive they are ignored with a warning, and
// refused otherwise.
func (a *Intake) checkBytesless(f *Fields) error {
	if f.Form.FilesByName {
		f.readOnce(publish.ReadAs("files", "a list of objects with filename and text"))
	}
	switch {
	case !f.Form.HasFiles:
	case f.Form.HasContent || f.Form.HasArchive:
		f.warn("unknown_field", "The field files was ignored: its files have neither text nor content.",
			"To send many files in one call, give each its text or content, and leave out content beside them.")
		f.sentNames = nil
	case f.bytesless > 0:
		return sandlot.Refuse(sandlot.CodeMissingField, "Of the files, %d have neither text nor content.", f.bytesless).
			In("files").With(sandlot.OpSame).
			Note("Give each its text, or its bytes as base64 in content; in a form, files are sent as they are:")
	default:
		a.tree(f) // even an empty list, which is refused later
	}
	return nil
}

func (f *Fields) sentName(name string) {
	if hint.Showable(name) && len(f.sentNames) < hint.MostFiles {
		f.sentNames = append(f.sentNames, name)
	}
}

// contentAlone makes a tree of a single file whose call has a field of many files: replace or primary_file.
func (a *Intake) contentAlone(c *Call, f *Fields) error {
	if f.Tree != nil || f.Content.Missing || f.has("upload_id") || f.has("part") || !f.Set.Chooses {
		return nil
	}
	if !f.truth("replace") && f.Text("primary_file") == "" && !f.amends() {
		return nil
	}
	name := f.ownName()
	if name == "" {
		name = f.required("filename", "it says which file of the project this is")
	}
	said := f.declared()
	if f.Err != nil {
		return f.Err
	}
	staged := f.Content
	f.Content, f.alone = publish.Content{Missing: true}, true
	return a.tree(f).Put(c.R.Context(), name, said, staged)
}

// checkMany rejects fields that a call with many files cannot have.
func (f *Fields) checkMany(a *Intake) error {
	if f.Tree == nil {
		return nil
	}
	brought := "files"
	switch {
	case f.Form.HasArchive:
		brought = "archive"
	case !f.Form.HasFiles && f.amends():
		brought = editsField
	}
	switch {
	case f.has("upload_id") || f.has("part"):
		return sandlot.Refuse(sandlot.CodeInvalidField, "The field %s can't come in parts.", brought).In(brought).With(sandlot.OpPack).
			Note("An archive that is sent in parts comes as content, in pieces of its bytes, and part 1 says "+
				"archive_format: zip, tar, tar.gz or tar.zst. One of at most %d bytes needs no parts:", a.MaxFile)
	case f.has("filename") && f.Set.Chooses && !f.alone:
		return badField("filename", "filename is of one file, and %s brings its own names", brought).With(sandlot.OpSame).
			Note("Leave filename out. To store the archive itself as a file, send it as content.")
	case f.Form.Encoding.Gzip:
		return badField("content_encoding", "content_encoding says gzip, and there is no content").With(sandlot.OpSame).
			Note("Leave it out: an archive says itself how it is packed.")
	}
	return nil
}

// readMany adds the warnings about unusual fields of a call with many files.
func (f *Fields) readMany() {
	if f.strangeInFiles != "" {
		f.warn("unknown_field", "The member "+inspect.Quoted(f.strangeInFiles)+" of files is not known and was ignored.",
			"The members of a file are: filename, text, content, content_encoding, sha256, size.")
	}
	f.warnStrange()
	name := f.Text("primary_file")
	if f.Tree == nil && !f.Set.Chooses && !f.has("archive_format") && name != "" && name != "index.html" {
		f.warn("primary_file_ignored", "The field primary_file was ignored: the one file of a publish is called index.html.",
			"Leave it out, or send the file under its name: file=@page.html;filename=page.html in a form, or files in JSON.")
	}
	said, ok := f.Form.Get("archive_format")
	if ok && f.Form.HasArchive && f.format != "" && said.Kind == content.String {
		if read, err := publish.ReadArchiveFormat(said.Text); err != nil || read != string(f.format) {
			f.read = append(f.read, publish.ReadAs("archive", "the "+string(f.format)+" that it is"))
		}
	}
}
