package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/ticket"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
	"sandlot/internal/transport/api/hint"
)

// Tickets issues tickets and tells what they are for; *ticket.Service does.
type Tickets interface {
	Issue(ctx context.Context, by sandlot.Caller, told ticket.Told) (ticket.Issued, error)
	Call(ctx context.Context, by sandlot.Caller, id string) (ticket.Call, error)
}

// ticketFields are those of a publish and of an update, but for their bytes.
var ticketFields = &fieldSet{
	chooses: true, mayBeEmpty: true, bytesLater: true,
	names: []string{"project_id", "filename", "title", "description", "tags", "listed", "threads", "email", "handle", "lang", "if_version", "sha256", "size", "primary_file", "archive_format", "replace", "force", "dry_run"},
}

// bytesFields are names under which clients send bytes, or parts of them, which a ticket is asked for without.
var bytesFields = append([]string{"content", "text", "html", "files", "file", "archive", "content_encoding"}, partFields...)

// bytesLaterRefused refuses bytes where a ticket is asked for.
func bytesLaterRefused(name string) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field %s brings bytes, or says how they come, and this call takes none: it answers with a ticket, which sends them as they are.", name).In(name).
		With(sandlot.OpSame).Note("Leave it out, and send the bytes with the command of the answer. To send them at once, or in parts, use publish or update.")
}

// toldInput reads what a ticket is asked for. The fields decide: with project_id it is an update.
func toldInput(f *fields) ticket.Told {
	for _, name := range bytesFields {
		if f.has(name) {
			f.fail(bytesLaterRefused(name))
		}
	}
	told := ticket.Told{
		Update: f.has("project_id"), Project: f.text("project_id"), Filename: f.text("filename"), Title: f.decoration("title"), Handle: f.decorated("handle"), Email: f.text("email"), Lang: f.decorated("lang"),
		IfVersion: f.ifVersion(), Declared: f.declared(), Replace: f.truth("replace"), Force: f.truth("force"), Primary: f.text("primary_file"), DryRun: f.truth("dry_run"),
	}
	if said := about(f); !said.Empty() {
		told.About = &said
	}
	if f.has("archive_format") {
		format, err := publish.ReadArchiveFormat(f.text("archive_format"))
		if err != nil {
			f.fail(err)
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
		f.fail(badField("filename", "filename is of one file, and an archive brings its own names").With(sandlot.OpSame).
			Note("Leave filename out. To store the archive itself as a file, leave archive_format out."))
	case told.Archive == "" && strings.TrimSpace(told.Project) != "":
		told.Filename = f.required("filename", "it says which file of the project the bytes are; an archive says archive_format instead")
	}
	return told
}

// checkPublishTicket refuses what may be an update that names no project: it must neither make a new project nor change
// the newest one.
func (f *fields) checkPublishTicket(told ticket.Told) {
	for _, name := range []string{"if_version", "replace", "filename"} {
		said := name == "if_version" && told.IfVersion != nil || name == "replace" && told.Replace || name == "filename" && told.Filename != "" && told.Filename != "index.html"
		if said {
			f.fail(sandlot.Refuse(sandlot.CodeProjectIDRequired, "The field %s is of an update, and no project_id says which project is changed. Nothing was changed.", name).In("project_id").
				With(sandlot.OpSame, sandlot.Arg{Name: "project_id", Value: "<project_id>"}).
				Note("For a new project, leave %s out: its one file becomes index.html. To change a project that is there, send its project_id:", name))
		}
	}
}

// issue answers with a ticket.
func (a *API) issue(c *call, told ticket.Told) (reply, error) {
	out, err := a.Tickets.Issue(c.r.Context(), c.by, told)
	if err != nil {
		return reply{}, err
	}
	url := a.ticketURL(out.ID)
	return reply{http.StatusCreated, &ticketAnswer{out.ID, url, out.Ticket.Reveal(), moment(out.ExpiresAt), sendCommand(localName(told), out.Ticket.Reveal(), url), a.notes(c, out.Warnings)}}, nil
}

type ticketAnswer struct {
	UploadID  string `json:"upload_id"`
	URL       string `json:"url"`
	Ticket    string `json:"ticket"`
	ExpiresAt moment `json:"expires_at"`
	Command   string `json:"command"`
	notes
}

func (a *API) ticketURL(id string) string { return a.Places.Base.String() + "/v1/uploads/" + id }

// localName is what the file is called where it lies, as far as that is known.
func localName(told ticket.Told) string {
	switch {
	case told.Archive != "":
		return "project." + told.Archive
	case told.Filename != "":
		return hint.LocalName(told.Filename)
	}
	return "index.html"
}

// sendCommand is a call of curl that sends the bytes of a ticket. With -T curl streams the file.
func sendCommand(file, secret, url string) string {
	if file == "" {
		file = "index.html"
	}
	if strings.HasPrefix(file, "-") || file == "." {
		file = "./" + file // curl takes both for its standard input
	}
	glob := ""
	if strings.ContainsAny(file, "[]{}") {
		glob = "-g " // or curl takes them for many files
	}
	return "curl " + glob + "-T " + hint.Quote(file) + " -H " + hint.Quote("Authorization: Bearer "+secret) + " " + hint.Quote(url)
}

// checkTicket refuses a ticket where a key belongs, and anything else where a ticket does.
func (c *call) checkTicket(sent bool) error {
	held := c.by.Ticket() != nil
	switch {
	case c.route.key != ticketRequired && held:
		return sandlot.TicketElsewhere()
	case c.route.key == ticketRequired && !sent:
		return sandlot.Refuse(sandlot.CodeKeyRequired, "This call needs the ticket that came with its address.").With(sandlot.OpTicket).
			Note("Send it in the header Authorization: Bearer <ticket>. Ask for a ticket, which comes with its own url:")
	}
	return nil
}

// operation is what the call is to admission. That of a ticket's bearer is the call that the ticket is for.
func (c *call) operation() admission.Operation {
	if t := c.by.Ticket(); t != nil && t.Project == "" {
		return admission.Publish
	}
	return c.route.operation
}

// redeem makes the call of a ticket with the bytes of the body.
func (a *API) redeem(c *call) error {
	ctx := c.r.Context()
	call, err := a.Tickets.Call(ctx, c.by, c.param)
	if err != nil {
		return err
	}
	c.told = &call
	if err := c.checkDryOfTicket(); err != nil {
		return err
	}
	if err := a.checkHeaders(c); err != nil {
		return err
	}
	act := sandlot.ActPublish
	if call.Update != nil {
		act = sandlot.ActEdit
	}
	if err := a.Service.Admit(ctx, c.by, act); err != nil {
		return err
	}
	f := &fields{set: ticketFields, header: c.r.Header, staging: c.grant.Charge()}
	f.content.Missing = true
	handed := false
	defer func() {
		if !handed {
			ctx := context.WithoutCancel(ctx)
			a.Contents.Discard(ctx, f.content)
			a.Contents.DiscardTree(ctx, f.tree)
		}
	}()
	if err := a.receiveBytes(c, f); err != nil {
		return err
	}
	handed = true
	re, err := a.make(c, f)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.BeforeAnswer)
	return c.answer(re)
}

// receiveBytes stages the body: the one file, or the files of the archive that it is.
func (a *API) receiveBytes(c *call, f *fields) (err error) {
	format, archive, err := c.archiveOfTicket()
	if err != nil {
		return err
	}
	if archive {
		err = a.unarchive(c, f, format, http.MaxBytesReader(c.w, c.body, a.MaxFile+a.MaxFile/1024+bodyRoom))
	} else {
		err = a.receiveFile(c, f)
	}
	c.whole = c.body.err == io.EOF
	if err == nil && archive {
		err = comparePacked(c.told.Declared, f.packed)
	}
	if err != nil {
		return err
	}
	return c.grant.Whole()
}

// receiveFile stages a body that is one file.
func (a *API) receiveFile(c *call, f *fields) (err error) {
	f.content, err = a.staged(c, f, http.MaxBytesReader(c.w, c.body, a.MaxContent))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "The file has more than %d bytes, which is the limit of one call.", a.MaxContent).In("content").
			Detail("limit", a.MaxContent).With(sandlot.OpNothing).Note("Make the file smaller, or send it in parts with publish or update.")
	}
	if size := c.told.Declared.Size; err == nil && f.content.Size == 0 && (size == nil || *size != 0) {
		return sandlot.Refuse(sandlot.CodeMissingField, "The request has no body.").In("content").With(sandlot.OpNothing).
			Note("Send the file's bytes as the body, as curl -T does. For a file that is to be empty, ask for a ticket with size: 0.")
	}
	return err
}

// archiveOfTicket tells whether the body is an archive: if that was told, or, where no file was named, if its type says so.
func (c *call) archiveOfTicket() (unpack.Format, bool, error) {
	value := c.r.Header.Get("Content-Type")
	name, _, _ := mime.ParseMediaType(value)
	if strings.HasPrefix(name, "multipart/") {
		return "", false, sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "The body is a form, and this call takes the file itself.").In("Content-Type").
			With(sandlot.OpNothing).Note("Send the bytes as they are, with curl -T and not with -F.")
	}
	if c.told.Archive != "" {
		return unpack.Format(c.told.Archive), true, nil
	}
	format, ok := rawTypes[name]
	return format, ok && c.told.Filename == "", nil
}

// make makes the call.
func (a *API) make(c *call, f *fields) (reply, error) {
	if in := c.told.Update; in != nil {
		in.Content, in.Tree = f.content, f.tree
		return a.update(c, *in)
	}
	in := c.told.Publish
	in.Content, in.Tree = f.content, f.tree
	return a.publish(c, *in)
}

// ticketHint says how to mend what was sent with a ticket. What is wrong with the bytes is mended with the same ticket, for it was not used
// up; what was told with it needs another.
func (a *API) ticketHint(c *call, e *sandlot.Error) string {
	mismatch := e.Code == sandlot.CodeDigestMismatch
	own := c.told != nil && e.Fix.Op != sandlot.OpTicket && (mismatch || !slices.Contains(ticketFields.names, e.Field))
	if !own || e.Fix.Op == sandlot.OpWait || !mendable[sandlot.Codes[e.Code]] {
		return hint.Curl(a.Places.Base.String(), a.about(c), e)
	}
	note := e.Fix.Note
	if mismatch {
		note = "These are not the bytes whose size or sha256 was told when the ticket was asked for."
	}
	file := localName(ticket.Told{Filename: c.told.Filename, Archive: c.told.Archive})
	return hint.Lines([]string{note, "The ticket was not used up. Send the right bytes with it:", sendCommand(file, "<ticket>", a.ticketURL(c.param))})
}

// lacksTicket returns the id in the address of a ticket where a call was refused because it came with another method than PUT, with a key or
// with nothing; else "".
func (c *call) lacksTicket(e *sandlot.Error) string {
	id, found := strings.CutPrefix(c.r.URL.Path, "/v1/uploads/")
	method := errors.Is(e, sandlot.CodeMethodNotAllowed)
	other := e.Fix.Op == sandlot.OpTicket && (errors.Is(e, sandlot.CodeKeyRequired) || !c.by.Nobody() && c.by.Ticket() == nil)
	if !found || strings.Contains(id, "/") || !hint.Showable(id) || !method && !other {
		return ""
	}
	return id
}

// mendable are the kinds of errors that other bytes mend. It never changes.
var mendable = map[sandlot.Kind]bool{sandlot.KindMistake: true, sandlot.KindTooLarge: true, sandlot.KindUnacceptable: true}

// toldArgs is what was told with a ticket that a hint repeats: not the address of whoever asked for it.
func toldArgs(on *hint.Request, c *call) {
	on.Keyed = !c.by.Nobody()
	on.Add("archive_format", c.told.Archive)
	on.Add("filename", c.told.Filename)
	if in := c.told.Update; in != nil {
		on.Add("project_id", in.Project)
		if in.Title != nil {
			on.Add("title", inspect.Redact(*in.Title))
		}
	}
}
