package intake

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/ticket"
	"sandlot/internal/format/unpack"
)

// TicketFields are the fields of a publish and of an update, without those for bytes.
var TicketFields = fieldsOf(sandlot.OpTicket, FieldSet{mayBeEmpty: true, bytesLater: true})

// bytesFields are names under which clients send bytes, or parts of them; a request for a ticket has none of these.
var bytesFields = append([]string{"content", "text", "html", "files", "file", "archive", "content_encoding"}, PartFields...)

// bytesLaterRefused refuses bytes in a request for a ticket.
func bytesLaterRefused(name string) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field %s brings bytes, or says how they come, and this call takes none: it answers with a ticket, which sends them as they are.", name).In(name).
		With(sandlot.OpSame).Note("Leave it out, and send the bytes with the command of the answer. To send them at once, or in parts, use publish or update.")
}

// ReadTicket reads the fields of a request for a ticket. With project_id it is an update, otherwise a publish.
func ReadTicket(f *Fields) ticket.Told {
	for _, name := range bytesFields {
		if f.has(name) {
			f.Fail(bytesLaterRefused(name))
		}
	}
	told := ticket.Told{
		Update: f.has("project_id"), Project: f.Text("project_id"), Filename: f.Text("filename"), Title: f.decoration("title"), Handle: f.decorated("handle"), Email: f.Text("email"), Lang: f.decorated("lang"),
		IfVersion: f.ifVersion(), Declared: f.declared(), Replace: f.truth("replace"), Force: f.truth("force"), Primary: f.Text("primary_file"), DryRun: f.truth("dry_run"),
	}
	if said := about(f); !said.Empty() {
		told.About = &said
	}
	if f.has("archive_format") {
		format, err := publish.ReadArchiveFormat(f.Text("archive_format"))
		if err != nil {
			f.Fail(err)
		}
		told.Archive = format
	}
	if !told.Update {
		f.checkPublishTicket(told)
		return told
	}
	if told.Handle != "" {
		f.read = append(f.read, handleIgnored)
		told.Handle = ""
	}
	switch {
	case told.Archive != "" && told.Filename != "":
		f.Fail(badField("filename", "filename is of one file, and an archive brings its own names").With(sandlot.OpSame).
			Note("Leave filename out. To store the archive itself as a file, leave archive_format out."))
	case told.Archive == "" && strings.TrimSpace(told.Project) != "":
		told.Filename = f.required("filename", "it says which file of the project the bytes are; an archive says archive_format instead")
	}
	return told
}

// checkPublishTicket refuses a probable update without a project: it must neither make a new project nor change the
// newest one.
func (f *Fields) checkPublishTicket(told ticket.Told) {
	for _, name := range []string{"if_version", "replace", "filename"} {
		said := name == "if_version" && told.IfVersion != nil || name == "replace" && told.Replace || name == "filename" && told.Filename != "" && told.Filename != "index.html"
		if said {
			f.Fail(sandlot.Refuse(sandlot.CodeProjectIDRequired, "The field %s is of an update, and no project_id says which project is changed. Nothing was changed.", name).In("project_id").
				With(sandlot.OpSame, sandlot.Arg{Name: "project_id", Value: "<project_id>"}).
				Note("For a new project, leave %s out: its one file becomes index.html. To change a project that is there, send its project_id:", name))
		}
	}
}

// ReceiveBytes stages the body of a ticket's call: a file, or the files of an archive.
func (a *Intake) ReceiveBytes(c *Call, f *Fields) (err error) {
	format, archive, err := c.archiveOfTicket()
	if err != nil {
		return err
	}
	if archive {
		err = a.unarchive(c, f, format, http.MaxBytesReader(c.W, c.Body, a.MaxFile+a.MaxFile/1024+BodyRoom))
	} else {
		err = a.receiveFile(c, f)
	}
	c.Whole = c.Body.Err == io.EOF
	if err == nil && archive {
		err = comparePacked(c.Told.Declared, f.packed)
	}
	if err != nil {
		return err
	}
	return c.Grant.Whole()
}

// receiveFile stages a body that is one file.
func (a *Intake) receiveFile(c *Call, f *Fields) (err error) {
	f.Content, err = a.staged(c, f, http.MaxBytesReader(c.W, c.Body, a.MaxContent))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "The file has more than %d bytes, which is the limit of one call.", a.MaxContent).In("content").
			Detail("limit", a.MaxContent).With(sandlot.OpNothing).Note("Make the file smaller, or send it in parts with publish or update.")
	}
	if size := c.Told.Declared.Size; err == nil && f.Content.Size == 0 && (size == nil || *size != 0) {
		return sandlot.Refuse(sandlot.CodeMissingField, "The request has no body.").In("content").With(sandlot.OpNothing).
			Note("Send the file's bytes as the body, as curl -T does. For a file that is to be empty, ask for a ticket with size: 0.")
	}
	return err
}

// archiveOfTicket reports whether the body is an archive: if the ticket declares one or, where it names no file, if the
// media type is that of an archive.
func (c *Call) archiveOfTicket() (unpack.Format, bool, error) {
	value := c.R.Header.Get("Content-Type")
	name, _, _ := mime.ParseMediaType(value)
	if strings.HasPrefix(name, "multipart/") {
		return "", false, sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "The body is a form, and this call takes the file itself.").In("Content-Type").
			With(sandlot.OpNothing).Note("Send the bytes as they are, with curl -T and not with -F.")
	}
	if c.Told.Archive != "" {
		return unpack.Format(c.Told.Archive), true, nil
	}
	format, ok := rawTypes[name]
	return format, ok && c.Told.Filename == "", nil
}
