package moderation

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/listed"
)

// shown is the number of projects on a page of the queue.
const shown = 50

// A page holds the common parts of the queue and of a case.
type page struct {
	Order   desk.Order // with the words that were typed
	Wrong   template.HTML
	Undo    int64 // a decision that was just made; 0: none
	Reasons []string
	MaxText int
}

// A queuePage lists the projects that wait.
type queuePage struct {
	page
	Items      []desk.Item
	Listed     []listed.Sighting // hosts of the instance on lists of harmful sites
	Skip, Next int               // of this page, and of the next one; 0: none
}

func newPage(v *Visit, typed desk.Order, wrong template.HTML) page {
	p := page{Order: typed, Wrong: wrong, Reasons: operate.Reasons(), MaxText: desk.MaxText}
	if v.Said { // the number of an address that somebody else made shows nothing
		p.Undo, _ = strconv.ParseInt(v.Query("undo"), 10, 64)
	}
	return p
}

func (p *Pages) queue(v *Visit) error {
	return p.showQueue(v, http.StatusOK, newPage(v, desk.Order{}, ""))
}

func (p *Pages) showQueue(v *Visit, status int, common page) error {
	skip, _ := strconv.Atoi(v.Query("after"))
	skip = max(skip, 0)
	list, err := p.Desk.Queue(v.R.Context(), v.By, skip, shown+1)
	if err != nil {
		return err
	}
	q := queuePage{page: common, Items: list, Skip: skip}
	if q.Listed, err = p.Listed.Listed(v.R.Context(), v.By); err != nil {
		return err
	}
	if len(list) > shown {
		q.Items, q.Next = list[:shown], skip+shown
	}
	p.policy(v, "'none'")
	return v.Show(status, "desk.html", v.T("desk.title"), q)
}

// policy sets the policy of a page of the desk: it frames the given origin alone.
func (p *Pages) policy(v *Visit, frames string) {
	base := p.Places.Base.String()
	v.W.Header().Set("Content-Security-Policy", "default-src 'none'; script-src "+base+"/static/; style-src 'self'; font-src 'self'; "+
		"img-src 'self' data:; manifest-src "+base+"/static/; connect-src 'self'; frame-src "+frames+
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
}

// A part is a thing on a page, with the page's view for a template of its own.
type part struct{ V, Item any }

// Part returns a part of the page.
func (page) Part(view, item any) part { return part{view, item} }

// Target returns a project as the target of a decision: see orderOf.
func (page) Target(i desk.Item) string {
	reported := ""
	if len(i.Reasons) > 0 {
		reported = i.Reasons[0]
	}
	return fmt.Sprintf("%s %d %s", i.Project.ID, i.State, reported)
}
