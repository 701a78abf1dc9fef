package moderation

import (
	"cmp"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/format/names"
)

// decided has the names of the texts that report a decision. It never changes.
var decided = map[desk.Action]string{
	desk.Dismiss: "said.desk-dismiss", desk.Hold: "said.desk-hold",
	desk.TakeDown: "said.desk-take-down", desk.TakeDownAccount: "said.desk-take-down-account",
}

// decide makes a decision, and shows the queue without its targets.
func (p *Pages) decide(v *Visit) error {
	order := orderOf(v)
	made, err := p.Desk.Decide(v.R.Context(), v.By, order)
	if again, ok := sentTwice(v, err, order); ok {
		made, err = again, nil
	}
	if err != nil {
		return p.refused(v, err, order)
	}
	return v.Done("/desk?undo="+strconv.FormatInt(made[0].ID, 10), decided[order.Action], "n", len(made))
}

// orderOf returns the order in a form. A target is an id, the state in which it was shown, and its first reported reason,
// which is the reason of a decision without another.
func orderOf(v *Visit) desk.Order {
	f := v.R.PostForm
	o := desk.Order{
		Action: desk.Action(f.Get("action")), Reason: f.Get("reason"), Text: f.Get("text"), Block: f.Get("block") != "", Lang: v.Lang,
	}
	first := "" // the first reported reason
	for _, target := range f["target"] {
		id, rest, _ := strings.Cut(target, " ")
		state, reported, _ := strings.Cut(rest, " ")
		n, _ := strconv.ParseInt(state, 10, 64)
		o.Targets = append(o.Targets, desk.Target{Project: sandlot.ProjectID(id), State: n})
		first = cmp.Or(first, reported)
	}
	if o.Action == desk.Dismiss {
		o.Block = false
	} else {
		o.Reason = cmp.Or(o.Reason, first, "other")
	}
	return o
}

// sentTwice returns the decision that a form had made that the browser has sent again.
func sentTwice(v *Visit, err error, o desk.Order) (made []desk.Decision, ok bool) {
	last, ok := desk.Last(err)
	if !ok || last.Who != v.By.OperatorName() || last.Action != o.Action || !last.UndoneAt.IsZero() {
		return nil, false
	}
	for _, t := range o.Targets {
		made = append(made, desk.Decision{ID: last.ID, Project: t.Project})
	}
	return made, true
}

// refused shows why a decision was not made, on the page of its form.
func (p *Pages) refused(v *Visit, err error, order desk.Order) error {
	status := http.StatusUnprocessableEntity
	var wrong template.HTML
	var moved desk.MovedError
	var e *sandlot.Error
	switch {
	case errors.As(err, &moved):
		status, wrong = http.StatusConflict, movedText(v, moved)
	case errors.As(err, &e) && e.Code == sandlot.CodeInvalidField:
		wrong = refusal(v, e, order)
	default:
		return err
	}
	order.Reason = v.R.PostForm.Get("reason") // not the reason of the reports
	common := newPage(v, order, wrong)
	if id := caseIn(v); id != "" {
		return p.showCase(v, status, id, casePage{page: common})
	}
	return p.showQueue(v, status, common)
}

// caseIn returns the project on whose case a form was sent; empty: it was sent on the queue.
func caseIn(v *Visit) sandlot.ProjectID {
	if id := v.R.PostForm.Get("case"); names.ValidProjectID(id) {
		return sandlot.ProjectID(id)
	}
	return ""
}

// actionText is the prefix of the names of the decisions' texts.
const actionText = "desk.do-"

// movedText returns the change of a project since the moderator saw it, in words.
func movedText(v *Visit, moved desk.MovedError) template.HTML {
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
func apart(text string) template.HTML {
	return template.HTML("<bdi>" + template.HTMLEscapeString(text) + "</bdi>")
}

// refusal returns why an order is refused.
func refusal(v *Visit, e *sandlot.Error, o desk.Order) template.HTML {
	switch {
	case e.Field == "project_id" && len(o.Targets) == 0:
		return v.Rich("desk.none-chosen")
	case e.Field == "text":
		return v.Rich("desk.text-long", "n", desk.MaxText)
	case e.Field == "project_id":
		return v.Rich("desk.not-yours")
	}
	return v.Rich("desk.bad-order")
}

// undo takes a decision back, with all of its batch.
func (p *Pages) undo(v *Visit) error {
	id, _ := strconv.ParseInt(v.R.PostForm.Get("decision"), 10, 64)
	err := p.Desk.Undo(v.R.Context(), v.By, id)
	var moved desk.MovedError
	if errors.As(err, &moved) && moved.Last.UndoneBy == v.By.OperatorName() {
		err = nil // the form was sent twice
	}
	if err != nil {
		return p.refused(v, err, desk.Order{})
	}
	return v.Done(strings.TrimSuffix(caseAt(caseIn(v)), "/"), "said.desk-undone")
}
