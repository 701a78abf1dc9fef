package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/intake/hint"
)

// issue answers with a ticket.
func (a *API) issue(c *call, told ticket.Told) (reply, error) {
	told.Tool = !told.Update && fromTools(c.R.Context())
	out, err := a.Tickets.Issue(c.R.Context(), c.By, told)
	if err != nil {
		return reply{}, err
	}
	url := a.ticketURL(out.ID)
	secret := out.Ticket.Reveal()
	command := sendCommand(localName(told.Filename, told.Archive), secret, url)
	page := a.Places.Base.String() + "/send#" + out.ID + "." + secret
	return reply{http.StatusCreated, &ticketAnswer{out.ID, url, secret, moment(out.ExpiresAt), command, page, a.notes(c, out.Warnings)}}, nil
}

// PageURL has the ticket in its fragment, which browsers send to nobody.
type ticketAnswer struct {
	UploadID  string `json:"upload_id"`
	URL       string `json:"url"`
	Ticket    string `json:"ticket"`
	ExpiresAt moment `json:"expires_at"`
	Command   string `json:"command"`
	PageURL   string `json:"page_url"`
	notes
}

// aboutTicket describes the call of a ticket, for a person who is about to make it. It uses nothing up.
func aboutTicket(a *API, c *call) error {
	call, err := a.Tickets.Call(c.R.Context(), c.By, c.param)
	if err != nil {
		return err
	}
	t := c.By.Ticket()
	about := &ticketAbout{
		UploadID: t.ID(), Operation: sandlot.OpPublish, Used: t.Used, ExpiresAt: moment(t.ExpiresAt),
		Filename: call.Filename, ArchiveFormat: call.Archive, DryRun: call.DryRun(),
	}
	if in := call.Publish; in != nil {
		about.Title = in.Title
	} else {
		p, err := a.Reader.Find(c.R.Context(), c.By, call.Update.Project)
		if err != nil {
			return err
		}
		about.Operation, about.ProjectID, about.Title, about.Replace = sandlot.OpUpdate, string(p.ID), p.Title, call.Update.Many.Replace
	}
	return c.answer(reply{http.StatusOK, about})
}

// Title is that of the project as it is, or as a publish names it.
type ticketAbout struct {
	UploadID      string     `json:"upload_id"`
	Operation     sandlot.Op `json:"operation"`
	ProjectID     string     `json:"project_id,omitempty"`
	Title         string     `json:"title"`
	Filename      string     `json:"filename,omitempty"`
	ArchiveFormat string     `json:"archive_format,omitempty"`
	Replace       bool       `json:"replace"`
	DryRun        bool       `json:"dry_run"`
	Used          bool       `json:"used"`
	ExpiresAt     moment     `json:"expires_at"`
}

func (a *API) ticketURL(id string) string { return a.Places.Base.String() + "/v1/uploads/" + id }

// localName returns the name of the file on the client's side, as far as it is known; empty for a folder that is packed
// on the way.
func localName(filename, archive string) string {
	switch archive {
	case "":
	case string(unpack.TarGzip):
		return ""
	default:
		return "project." + archive
	}
	return cmp.Or(hint.LocalName(filename), "index.html")
}

// sendCommand returns the curl call that sends the bytes of a ticket: the file or, without one, the folder in which it
// runs. With -T curl streams them.
func sendCommand(file, secret, url string) string {
	pack := ""
	switch {
	case file == "":
		pack, file = "tar -czf - . | ", "-"
	case strings.HasPrefix(file, "-") || file == ".":
		file = "./" + file // curl takes both for its standard input
	}
	glob := ""
	if strings.ContainsAny(file, "[]{}") {
		glob = "-g " // otherwise curl takes them for patterns
	}
	bearer := hint.Quote("Authorization: Bearer " + secret)
	return pack + "curl " + glob + "-T " + hint.Quote(file) + " -H " + bearer + " " + hint.Quote(url)
}

// checkTicket refuses a ticket on a route for keys, and anything else on a route for tickets.
func (c *call) checkTicket(sent bool) error {
	held := c.By.Ticket() != nil
	switch {
	case c.route.key != ticketRequired && held:
		return sandlot.TicketElsewhere()
	case c.route.key == ticketRequired && !sent:
		return sandlot.Refuse(sandlot.CodeKeyRequired, "This call needs the ticket that came with its address.").
			With(sandlot.OpTicket).
			Note("Send it in the header Authorization: Bearer <ticket>. Ask for a ticket, which comes with its own url:")
	}
	return nil
}

// operation returns the operation for admission. With a ticket it is the call that the ticket permits.
func (c *call) operation() admission.Operation {
	switch t := c.By.Ticket(); {
	case t != nil && c.route.method == http.MethodGet:
		return admission.Look
	case t != nil && t.Project == "":
		return admission.Publish
	case t != nil:
		return admission.Update
	}
	return admission.Named(cmp.Or(c.route.op.Row().Cost, "look"))
}

// redeem makes the call of a ticket with the bytes of the body.
func (a *API) redeem(c *call) error {
	ctx := c.R.Context()
	call, err := a.Tickets.Call(ctx, c.By, c.param)
	if err != nil {
		return err
	}
	c.Told = &call
	if err := c.checkDryOfTicket(); err != nil {
		return err
	}
	if err := c.CheckHeaders(); err != nil {
		return err
	}
	act := sandlot.ActPublish
	if call.Update != nil {
		act = sandlot.ActEdit
	}
	if err := a.Service.Admit(ctx, c.By, act); err != nil {
		return err
	}
	return a.Intake.TakeBytes(c.Call, func(f *intake.Fields) error {
		re, err := a.make(c, f)
		if err != nil {
			return err
		}
		failpoint.Hit(failpoint.BeforeAnswer)
		return c.answer(re)
	})
}

// make makes the call of a ticket.
func (a *API) make(c *call, f *intake.Fields) (reply, error) {
	if in := c.Told.Update; in != nil {
		in.Content, in.Tree = f.Content, f.Tree
		return a.update(c, *in)
	}
	in := c.Told.Publish
	in.Content, in.Tree = f.Content, f.Tree
	return a.publish(c, *in)
}

// ticketAdvice returns the advice for a refused call with a ticket. Faulty bytes can be sent again with the same ticket;
// faulty declarations need another.
func (a *API) ticketAdvice(c *call, e *sandlot.Error) hint.Advice {
	mismatch := e.Code == sandlot.CodeDigestMismatch
	own := c.Told != nil && e.Fix.Op != sandlot.OpTicket && (mismatch || !slices.Contains(intake.TicketFields.Names, e.Field))
	if !own || e.Fix.Op == sandlot.OpWait || !mendable[sandlot.Codes[e.Code]] {
		return hint.Advise(a.Places.Base.String(), a.about(c), e)
	}
	note := e.Fix.Note
	if mismatch {
		note = "These are not the bytes whose size or sha256 was told when the ticket was asked for."
	}
	command := sendCommand(localName(c.Told.Filename, c.Told.Archive), "<ticket>", a.ticketURL(c.param))
	return hint.Advice{Text: hint.Lines([]string{note, "The ticket was not used up. Send the right bytes with it:", command})}
}

// lacksTicket returns the id in the address of a ticket if the call was refused for its method, or for no ticket.
func (c *call) lacksTicket(e *sandlot.Error) string {
	id, found := strings.CutPrefix(c.R.URL.Path, "/v1/uploads/")
	method := errors.Is(e, sandlot.CodeMethodNotAllowed)
	other := e.Fix.Op == sandlot.OpTicket && (errors.Is(e, sandlot.CodeKeyRequired) || !c.By.Nobody() && c.By.Ticket() == nil)
	if !found || strings.Contains(id, "/") || !hint.Showable(id) || !method && !other {
		return ""
	}
	return id
}

// mendable are the kinds of errors that other bytes can correct. It never changes.
var mendable = map[sandlot.Kind]bool{sandlot.KindMistake: true, sandlot.KindTooLarge: true, sandlot.KindUnacceptable: true}

// toldArgs adds the declarations of a ticket that a hint repeats, without the email address.
func toldArgs(on *hint.Request, c *call) {
	on.Keyed = !c.By.Nobody()
	on.Add("archive_format", c.Told.Archive)
	on.Add("filename", c.Told.Filename)
	if in := c.Told.Update; in != nil {
		on.Add("project_id", in.Project)
		if in.Title != nil {
			on.Add("title", inspect.Redact(*in.Title))
		}
	}
}
