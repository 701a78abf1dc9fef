package web

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/format/names"
)

// Limits of a case.
const (
	deskFiles  = 300       // names of files
	deskSource = 256 << 10 // bytes of a file
	deskLines  = 10_000    // of a file
)

// A casePage shows everything about one project.
type casePage struct {
	deskPage
	desk.Case
	Typed   string // a note that was refused
	Frame   string // the origin of the page in its frame; empty: it is not shown
	CanShow bool   // whether pages have origins of their own here
}

// caseOf shows a case; with "hold" in the address, the one button of a message about a report.
func (d deskPages) caseOf(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	if v.query("hold") != "" {
		return d.askHold(v, id)
	}
	return d.showCase(v, http.StatusOK, id, casePage{deskPage: newDeskPage(v, desk.Order{})})
}

func (d deskPages) showCase(v *visit, status int, id sandlot.ProjectID, page casePage) (err error) {
	if page.Case, err = d.service.Case(v.r.Context(), v.by, id); err != nil {
		return err
	}
	page.CanShow = v.places.Content != ""
	frames := "'none'"
	if page.Frame != "" {
		frames = page.Frame
	}
	deskPolicy(v, frames)
	return v.show(status, "desk_case.html", isolated(name(page.Project)), page)
}

// askHold offers to hold a project. One that is not shown to others leads to its case.
func (d deskPages) askHold(v *visit, id sandlot.ProjectID) error {
	c, err := d.service.Case(v.r.Context(), v.by, id)
	if err != nil {
		return err
	}
	at := "/desk/" + pathID(string(id))
	if c.Project.Suspended || c.Project.Held.Rule == sandlot.HeldModerator {
		return v.redirect(at)
	}
	deskPolicy(v, "'none'")
	return v.ask(v.T("desk.hold-title", "name", isolated(name(c.Project))), askPage{
		Leads: []any{v.Rich("desk.hold-lead")}, Action: "/desk", Yes: v.T("desk.hold-now"), Back: at,
		Fields: []askField{{"action", string(desk.Hold)}, {"target", targetOf(c.Item)}, {"case", string(id)}},
	})
}

// targetOf returns a project as the target of a decision: see decisionOf.
func targetOf(i desk.Item) string {
	reported := ""
	if len(i.Reasons) > 0 {
		reported = i.Reasons[0]
	}
	return fmt.Sprintf("%s %d %s", i.Project.ID, i.State, reported)
}

// pathID returns an id for a path; empty if it is none.
func pathID(id string) string {
	if !names.ValidProjectID(id) {
		return ""
	}
	return id
}

// barred reports whether the visitor may not decide about the project: it is theirs, or an operator's.
func barred(v view, c desk.Case) bool {
	return c.Project.Account == v.me.Account.ID || c.Owner.Operator
}

// Few returns the files to list, the primary one first, and the number of all others.
func (p casePage) Few() []sandlot.File {
	files := slices.Clone(p.Files)
	slices.SortStableFunc(files, func(a, b sandlot.File) int {
		switch p.Project.Primary {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return files[:min(len(files), deskFiles)]
}

// More returns the number of files that Few leaves out.
func (p casePage) More() int { return len(p.Files) - min(len(p.Files), deskFiles) }

// SameWith returns the kinds of things that another project shares with this one.
func (p casePage) SameWith(id sandlot.ProjectID) (names []string) {
	for _, name := range []string{"hash", "account", "network"} {
		if slices.Contains(p.SameAs[name], string(id)) {
			names = append(names, name)
		}
	}
	return names
}

// backToCase leads from the address of the page in its frame to the case, which shows the page after a press alone.
func (d deskPages) backToCase(v *visit) error { return v.redirect("/desk/" + v.r.PathValue("id")) }

// showPage shows a case with its page in a frame.
func (d deskPages) showPage(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	if v.places.Content == "" {
		return sandlot.ErrNotFound
	}
	label, err := d.service.Frame(v.r.Context(), v.by, id)
	if err != nil {
		return err
	}
	page := casePage{deskPage: newDeskPage(v, desk.Order{}), Frame: strings.TrimSuffix(v.places.Origin(label), "/")}
	return d.showCase(v, http.StatusOK, id, page)
}

func (d deskPages) note(v *visit) error {
	id := sandlot.ProjectID(v.r.PathValue("id"))
	text := v.r.PostForm.Get("text")
	err := d.service.Note(v.r.Context(), v.by, id, text)
	if errors.Is(err, sandlot.CodeInvalidField) {
		page := casePage{deskPage: newDeskPage(v, desk.Order{}), Typed: text}
		page.Wrong = template.HTML(esc(v.T("desk.note-bad", "n", desk.MaxText)))
		return d.showCase(v, http.StatusUnprocessableEntity, id, page)
	}
	return v.doneIf(err, "/desk/"+string(id), "said.desk-noted")
}

// picture sends the screenshot of the play-tester, or an empty picture.
func (d deskPages) picture(v *visit) error {
	id, data, err := d.service.Screenshot(v.r.Context(), v.by, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrCorrupt) {
		return err
	}
	v.w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	switch {
	case err != nil:
		return v.send("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"/>`))
	case strings.HasSuffix(id.File(640), ".png"):
		return v.send("image/png", data)
	}
	return v.send("image/jpeg", data)
}

// A sourcePage shows the beginning of a file as text.
type sourcePage struct {
	ID    sandlot.ProjectID
	Name  string
	Lines template.HTML // empty: the file is no text
	Size  int64         // bytes shown
	Cut   bool          // whether there are more
}

// source shows a file as text with the numbers of its lines. Nothing of it is rendered.
func (d deskPages) source(v *visit) error {
	id, file := sandlot.ProjectID(v.r.PathValue("id")), v.query("file")
	data, err := d.service.File(v.r.Context(), v.by, id, file)
	if err != nil {
		return err
	}
	page := sourcePage{ID: id, Name: file}
	text := data[:min(len(data), deskSource)]
	page.Cut, page.Size = len(data) > len(text), int64(len(text))
	if !bytes.ContainsRune(text, 0) {
		var more bool
		page.Lines, more = sourceLines(text)
		page.Cut = page.Cut || more
	}
	deskPolicy(v, "'none'")
	return v.show(http.StatusOK, "desk_source.html", isolated(file), page)
}

// sourceLines returns the lines of a text as HTML, at most deskLines, and whether there are more. A misleading character
// is shown as a sign.
func sourceLines(text []byte) (template.HTML, bool) {
	var out strings.Builder
	n := 0
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "\ufffd")) {
		if n++; n > deskLines {
			return template.HTML(out.String()), true
		}
		line = strings.TrimRight(line, "\r\n")
		fmt.Fprintf(&out, `<span class="line" id="L%d">%s`+"\n</span>", n, esc(strings.Map(legible, line)))
	}
	return template.HTML(out.String()), false
}
