package moderation

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/transport/web/texts"
)

// maxFiles bounds the names of files in a case.
const maxFiles = 300

// A casePage shows everything about one project.
type casePage struct {
	page
	desk.Case
	Typed   string // a note that was refused
	Frame   string // the origin of the page in its frame; empty: it is not shown
	CanShow bool   // whether pages have origins of their own here
	Barred  bool   // whether the visitor may not decide about the project: it is theirs, or an operator's
}

// caseOf shows a case; with "hold" in the address, the one button of a message about a report.
func (p *Pages) caseOf(v *Visit) error {
	if v.Query("hold") != "" {
		return p.askHold(v, idOf(v))
	}
	return p.showCase(v, http.StatusOK, idOf(v), casePage{page: newPage(v, desk.Order{}, "")})
}

func (p *Pages) showCase(v *Visit, status int, id sandlot.ProjectID, c casePage) (err error) {
	if c.Case, err = p.Desk.Case(v.R.Context(), v.By, id); err != nil {
		return err
	}
	c.CanShow = p.Places.Content != ""
	c.Barred = c.Project.Account == v.Me || c.Owner.Operator
	p.policy(v, cmp.Or(c.Frame, "'none'"))
	return v.Show(status, "desk_case.html", texts.Isolated(name(c.Project)), c)
}

// name returns the title of a project, or its id.
func name(p sandlot.Project) string { return cmp.Or(p.Title, string(p.ID)) }

// askHold offers to hold a project. One that is not shown to others leads to its case.
func (p *Pages) askHold(v *Visit, id sandlot.ProjectID) error {
	c, err := p.Desk.Case(v.R.Context(), v.By, id)
	if err != nil {
		return err
	}
	if c.Project.Suspended || c.Project.Held.Rule == sandlot.HeldModerator {
		return redirect(v, caseAt(id))
	}
	p.policy(v, "'none'")
	return v.Show(http.StatusOK, "desk_hold.html", v.T("desk.hold-title", "name", texts.Isolated(name(c.Project))), casePage{Case: c})
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
	return files[:min(len(files), maxFiles)]
}

// More returns the number of files that Few leaves out.
func (p casePage) More() int { return len(p.Files) - min(len(p.Files), maxFiles) }

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
func backToCase(v *Visit) error { return redirect(v, caseAt(idOf(v))) }

// showPage shows a case with its page in a frame.
func (p *Pages) showPage(v *Visit) error {
	if p.Places.Content == "" {
		return sandlot.ErrNotFound
	}
	label, err := p.Desk.Frame(v.R.Context(), v.By, idOf(v))
	if err != nil {
		return err
	}
	c := casePage{page: newPage(v, desk.Order{}, ""), Frame: strings.TrimSuffix(p.Places.Origin(label), "/")}
	return p.showCase(v, http.StatusOK, idOf(v), c)
}

func (p *Pages) note(v *Visit) error {
	id, text := idOf(v), v.R.PostForm.Get("text")
	err := p.Desk.Note(v.R.Context(), v.By, id, text)
	switch {
	case errors.Is(err, sandlot.CodeInvalidField):
		wrong := v.Rich("desk.note-bad", "n", desk.MaxText)
		return p.showCase(v, http.StatusUnprocessableEntity, id, casePage{page: newPage(v, desk.Order{}, wrong), Typed: text})
	case err != nil:
		return err
	}
	return v.Done(caseAt(id), "said.desk-noted")
}
