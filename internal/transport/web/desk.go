package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/listed"
)

// deskPages serves the desk, on which moderators decide about projects. Each request reads the role anew: an account that
// has lost it finds nothing there.
type deskPages struct {
	service *desk.Service
	listed  *listed.Service
}

// deskShown is the number of projects on a page of the queue.
const deskShown = 50

// maxDecision bounds the form of a decision in bytes: each target takes up to 100, and each character of the text up to 12.
const maxDecision = 100*desk.MaxTargets + 12*desk.MaxText + maxForm

func (d deskPages) routes() []route {
	if d.service == nil {
		return nil
	}
	return []route{
		{"GET", "/desk", moderator, admission.Look, d.queue},
		{"POST", "/desk", moderator, admission.Look, form(maxDecision, d.decide,
			"action", "target*?", "reason?", "text?", "block?", "case?")},
		{"POST", "/desk/undo", moderator, admission.Look, form(maxForm, d.undo, "decision", "case?")},
		{"GET", "/desk/{id}", moderator, admission.Look, d.caseOf},
		{"GET", "/desk/{id}/page", moderator, admission.Look, d.backToCase},
		{"POST", "/desk/{id}/page", moderator, admission.Look, form(maxForm, d.showPage)},
		{"POST", "/desk/{id}/note", moderator, admission.Look, form(12*desk.MaxText+maxForm, d.note, "text")},
		{"GET", "/desk/{id}/source", moderator, admission.Look, d.source},
		{"GET", "/desk/{id}/picture", moderator, admission.Fetch, d.picture},
	}
}

// A deskPage holds the common parts of all pages of the desk.
type deskPage struct {
	Reasons []reason
	Actions []desk.Action
	Order   desk.Order // with the words that were typed
	Wrong   template.HTML
	Undo    int64 // a decision that was just made; 0: none
	MaxText int
}

// A queuePage lists the projects that wait.
type queuePage struct {
	deskPage
	Items      []desk.Item
	Listed     []listed.Sighting // hosts of the instance on lists of harmful sites
	Skip, Next int               // of this page, and of the one behind it; 0: none
}

func newDeskPage(v *visit, typed desk.Order) deskPage {
	page := deskPage{Reasons: reasons(v), Order: typed, MaxText: desk.MaxText}
	page.Actions = []desk.Action{desk.Dismiss, desk.Hold, desk.TakeDown, desk.TakeDownAccount}
	if v.said != "" { // the number of an address that somebody else made shows nothing
		page.Undo = int64(number(v.query("undo")))
	}
	return page
}

func (d deskPages) queue(v *visit) error {
	return d.showQueue(v, http.StatusOK, newDeskPage(v, desk.Order{}))
}

func (d deskPages) showQueue(v *visit, status int, page deskPage) error {
	skip := number(v.query("after"))
	list, err := d.service.Queue(v.r.Context(), v.by, skip, deskShown+1)
	if err != nil {
		return err
	}
	shown := queuePage{deskPage: page, Items: list, Skip: skip}
	if shown.Listed, err = d.listed.Listed(v.r.Context(), v.by); err != nil {
		return err
	}
	if len(list) > deskShown {
		shown.Items, shown.Next = list[:deskShown], skip+deskShown
	}
	deskPolicy(v, "'none'")
	return v.show(status, "desk.html", v.T("desk.title"), shown)
}

// deskPolicy sets the policy of a page of the desk: it frames the given origin alone.
func deskPolicy(v *visit, frames string) {
	base := v.places.Base.String()
	v.w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src "+base+"/static/; style-src 'self'; font-src 'self'; "+
		"img-src 'self' data:; manifest-src "+base+"/static/; connect-src 'self'; frame-src "+frames+
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	v.w.Header().Set("Referrer-Policy", "same-origin")
}

// A deskPart is something on a page of the desk with the view of the page, for a template of its own.
type deskPart struct {
	V    view
	Item any
}

// partOf returns a part of a page of the desk.
func partOf(v view, item any) deskPart { return deskPart{v, item} }

// decide makes a decision, and shows the queue without its targets.
func (d deskPages) decide(v *visit) error {
	order := decisionOf(v)
	made, err := d.service.Decide(v.r.Context(), v.by, order)
	if again, ok := sentTwice(v, err, order); ok {
		made, err = again, nil
	}
	if err != nil {
		return d.refused(v, err, order)
	}
	return v.done("/desk?undo="+strconv.FormatInt(made[0].ID, 10), decided[order.Action], "n", len(made))
}

// decided has the names of the texts that report a decision. It never changes.
var decided = map[desk.Action]string{
	desk.Dismiss: "said.desk-dismiss", desk.Hold: "said.desk-hold",
	desk.TakeDown: "said.desk-take-down", desk.TakeDownAccount: "said.desk-take-down-account",
}

// decisionOf returns the order in a form. A target is an id, the state in which it was shown, and its first reported reason,
// which is the reason of a decision without another.
func decisionOf(v *visit) desk.Order {
	f := v.r.PostForm
	o := desk.Order{
		Action: desk.Action(f.Get("action")), Reason: f.Get("reason"), Text: f.Get("text"), Block: f.Get("block") != "", Lang: v.Lang,
	}
	if o.Action == desk.Dismiss {
		o.Block = false
	}
	for _, target := range f["target"] {
		id, rest, _ := strings.Cut(target, " ")
		state, reported, _ := strings.Cut(rest, " ")
		n, _ := strconv.ParseInt(state, 10, 64)
		o.Targets = append(o.Targets, desk.Target{Project: sandlot.ProjectID(id), State: n})
		if o.Action != desk.Dismiss {
			o.Reason = cmp.Or(o.Reason, reported)
		}
	}
	if o.Action != desk.Dismiss {
		o.Reason = cmp.Or(o.Reason, "other")
	}
	return o
}

// sentTwice returns the decision that a form had made that the browser has sent again.
func sentTwice(v *visit, err error, o desk.Order) (made []desk.Decision, ok bool) {
	last, ok := desk.Last(err)
	if !ok || last.Who != v.by.OperatorName() || last.Action != o.Action || !last.UndoneAt.IsZero() {
		return nil, false
	}
	for _, t := range o.Targets {
		made = append(made, desk.Decision{ID: last.ID, Project: t.Project})
	}
	return made, true
}

// refused shows why a decision was not made, on the page of its form.
func (d deskPages) refused(v *visit, err error, order desk.Order) error {
	status := http.StatusUnprocessableEntity
	var wrong template.HTML
	var moved desk.MovedError
	var e *sandlot.Error
	switch {
	case errors.As(err, &moved):
		status, wrong = http.StatusConflict, movedText(v, moved)
	case errors.As(err, &e) && e.Code == sandlot.CodeInvalidField:
		wrong = template.HTML(esc(d.refusal(v, e, order)))
	default:
		return err
	}
	page := newDeskPage(v, order)
	page.Wrong = wrong
	id := sandlot.ProjectID(v.r.PostForm.Get("case"))
	if id == "" {
		return d.showQueue(v, status, page)
	}
	return d.showCase(v, status, id, casePage{deskPage: page})
}

// movedText returns the change of a project since the moderator saw it, in words.
func movedText(v *visit, moved desk.MovedError) template.HTML {
	project := apart(string(moved.Project))
	last := moved.Last
	switch {
	case last.ID == 0:
		return v.Rich("desk.moved", "project", project)
	case !last.UndoneAt.IsZero():
		return v.Rich("desk.moved-undone", "project", project, "who", apart(last.UndoneBy), "at", v.Time(last.UndoneAt))
	}
	return v.Rich("desk.moved-by", "project", project, "who", apart(last.Who), "at", v.Time(last.At),
		"action", v.T(actionText+string(last.Action)))
}

// apart returns a text with its own direction as HTML.
func apart(text string) template.HTML { return template.HTML("<bdi>" + esc(text) + "</bdi>") }

// refusal returns why an order is refused.
func (d deskPages) refusal(v *visit, e *sandlot.Error, o desk.Order) string {
	switch {
	case e.Field == "project_id" && len(o.Targets) == 0:
		return v.T("desk.none-chosen")
	case e.Field == "text":
		return v.T("desk.text-long", "n", desk.MaxText)
	case e.Field == "project_id":
		return v.T("desk.not-yours")
	}
	return v.T("desk.bad-order")
}

// actionText is the prefix of the names of the decisions' texts.
const actionText = "desk.do-"

// undo takes a decision back, with all of its batch.
func (d deskPages) undo(v *visit) error {
	id, _ := strconv.ParseInt(v.r.PostForm.Get("decision"), 10, 64)
	err := d.service.Undo(v.r.Context(), v.by, id)
	var moved desk.MovedError
	if errors.As(err, &moved) && moved.Last.UndoneBy == v.by.OperatorName() {
		err = nil // the form was sent twice
	}
	if err != nil {
		return d.refused(v, err, desk.Order{})
	}
	back := "/desk"
	if v.r.PostForm.Get("case") != "" {
		back += "/" + pathID(v.r.PostForm.Get("case"))
	}
	return v.done(back, "said.desk-undone")
}

// waiting counts the projects that wait, for the menu of moderators on every page: at most once in countFor.
type waiting struct {
	service *desk.Service
	mu      sync.Mutex
	n       int
	at      time.Time
}

const countFor = 15 * time.Second

// Moderates reports whether the visitor's account sees the desk.
func (v *visit) Moderates() bool {
	return v.waiting.service != nil && v.me != nil && sandlot.Authorize(v.by, sandlot.ActModerate, nil) == nil
}

// Waiting returns the number of projects that wait; 0 if it is unknown.
func (v *visit) Waiting() int {
	w := v.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := v.now(); now.Sub(w.at).Abs() >= countFor {
		ctx, cancel := context.WithTimeout(v.r.Context(), besideWait)
		defer cancel()
		n, err := w.service.Waiting(ctx, v.by)
		if err != nil {
			return 0 // the link is there without it
		}
		w.n, w.at = n, now
	}
	return w.n
}
