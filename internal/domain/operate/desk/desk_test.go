package desk_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestACaseHasWhereThePagesSend(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	out := w.PublishPage(testworld.Nobody(), page)
	by := w.CallerOf(out.Keys.Account)
	w.PutFile(by, out.Project.ID, "a.js", `fetch("https://call.example/x")`+strings.Repeat(" ", testworld.InlineMax))
	c, err := w.Desk.Case(t.Context(), byOperator, out.Project.ID)
	expect.OK(t, err)
	expect.Equal(t, "sends", strings.Join(c.Sends, " "), "call.example evil.example")
	_, err = w.Desk.Case(t.Context(), byOperator, "none")
	expect.Is(t, "no project", err, sandlot.ErrNotFound)
}

func TestAFileIsReadAlsoWhileTheProjectIsDown(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	p := w.PublishPage(testworld.Nobody(), page+strings.Repeat("x", desk.MaxFile)).Project
	_, err := w.Desk.Decide(t.Context(), byOperator, order(desk.TakeDown, p.ID))
	expect.OK(t, err)
	text, err := w.Desk.File(t.Context(), byOperator, p.ID, p.Primary)
	if err != nil || len(text) != desk.MaxFile || !strings.HasPrefix(string(text), page) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	_, err = w.Desk.File(t.Context(), byOperator, p.ID, "none.html")
	expect.Is(t, "no file", err, sandlot.ErrNotFound)
}

func TestAFrameIsForOneVersionAndEnds(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	out := w.PublishPage(testworld.Nobody(), page)
	p := out.Project
	label, err := w.Desk.Frame(t.Context(), byOperator, p.ID)
	expect.OK(t, err)
	if _, _, _, ok := names.ParseLabel(label); ok || len(label) > 63 || !desk.IsFrame(label) {
		t.Errorf("the label %q is one of a version, or none", label)
	}
	framed := func(label string) error {
		t.Helper()
		_, err := w.Desk.Framed(t.Context(), testworld.Nobody(), label)
		return err
	}
	_, err = w.Desk.Decide(t.Context(), byOperator, order(desk.TakeDown, p.ID))
	expect.OK(t, err)
	expect.Is(t, "while it is down", framed(label), nil)
	w.Clock.Move(time.Hour)
	expect.Is(t, "an hour later", framed(label), nil)
	expect.Is(t, "on another node", errors.Join(framed(label)), nil)
	expect.Is(t, "another code", framed(label[:len(label)-1]+"1"), sandlot.ErrNotFound)
	w.Clock.Move(time.Hour)
	expect.Is(t, "two hours later", framed(label), sandlot.ErrNotFound)
	for _, l := range []string{"", "--desk-", string(p.ID) + "--desk-", string(p.ID), "none--desk-aaaaaaaaaa"} {
		expect.Is(t, l, framed(l), sandlot.ErrNotFound)
	}
	_, err = w.Operate.Reinstate(t.Context(), byOperator, string(p.ID), "")
	expect.OK(t, err)
	label, err = w.Desk.Frame(t.Context(), byOperator, p.ID)
	expect.OK(t, err)
	w.PutFile(w.CallerOf(out.Keys.Account), p.ID, "a.css", "a {}")
	expect.Is(t, "of an older version", framed(label), sandlot.ErrNotFound)
}

func TestOrdersThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	p := w.PublishPage(testworld.Nobody(), page).Project
	for what, change := range map[string]func(o *desk.Order){
		"action":   func(o *desk.Order) { o.Action = "delete" },
		"reason":   func(o *desk.Order) { o.Reason = "because" },
		"no words": func(o *desk.Order) { o.Reason = "" },
		"block":    func(o *desk.Order) { o.Action, o.Block = desk.Dismiss, true },
		"nothing":  func(o *desk.Order) { o.Targets = nil },
		"too many": func(o *desk.Order) { o.Targets = manyTargets() },
		"text":     func(o *desk.Order) { o.Text = strings.Repeat("x", desk.MaxText+1) },
	} {
		o := order(desk.TakeDown, p.ID)
		change(&o)
		_, err := w.Desk.Decide(t.Context(), byOperator, o)
		expect.Is(t, what, err, sandlot.CodeInvalidField)
	}
	_, err := w.Desk.Decide(t.Context(), byOperator, order(desk.TakeDownAccount, p.ID, p.ID))
	expect.OK(t, err)
	_, err = w.Desk.Decide(t.Context(), byOperator, order(desk.Dismiss, p.ID))
	expect.Is(t, "dismiss what is down with its account", err, sandlot.CodeInvalidField)
	expect.Is(t, "an empty note", w.Desk.Note(t.Context(), byOperator, p.ID, " "), sandlot.CodeInvalidField)
}

func manyTargets() (list []desk.Target) {
	for i := range desk.MaxTargets + 1 {
		list = append(list, desk.Target{Project: sandlot.ProjectID(strings.Repeat("x", i+1))})
	}
	return list
}

// TestOneCase walks through reports, a take-down, the messages about it, an objection and its end.
func TestOneCase(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	_, key, p := w.Owned("ada@mail.internal", page)
	for i, contact := range []string{"ann@mail.internal", "ann@mail.internal", ""} {
		_, err := w.Operate.Report(t.Context(), testworld.Nobody(), operate.NewReport{
			Project: p.ID, Reason: "deceptive", Contact: contact, FormToken: string(rune('a' + i)),
		})
		expect.OK(t, err)
	}
	w.Due()
	items, err := w.Desk.Queue(t.Context(), byOperator, 0, 9)
	if err != nil || len(items) != 1 || items[0].Reports != 3 || !items[0].Owner.Verified {
		t.Fatalf("the queue is %+v, %v", items, err)
	}
	o := order(desk.TakeDown)
	o.Targets, o.Text = []desk.Target{{Project: p.ID, State: items[0].State}}, "It copies\x1b[2J a login.\u202e"
	_, err = w.Desk.Decide(t.Context(), byOperator, o)
	expect.OK(t, err)
	_, err = w.Publish.Reader.Current(t.Context(), testworld.Nobody(), p.ID)
	expect.Is(t, "a stranger reads", err, sandlot.CodeTakenDown)
	var code, told string
	for _, m := range w.Due() {
		switch m.To {
		case "ada@mail.internal":
			_, code, _ = strings.Cut(m.Link, "/object?code=")
			expect.Equal(t, "words", m.Words, "It copies[2J a login.")
			expect.Equal(t, "reason", m.Kind+" "+m.Reason, "decision-take-down deceptive")
		case "ann@mail.internal":
			told += m.Kind + " " + m.Project
		}
	}
	expect.Equal(t, "the reporter reads", told, "outcome-down hxxp://"+string(p.ID)+"[.]localhost[:]8080/")
	d, err := w.Desk.Contested(t.Context(), testworld.Nobody(), code)
	if err != nil || d.Project != p.ID || d.Action != desk.TakeDown {
		t.Fatalf("contested is %+v, %v", d, err)
	}
	expect.Is(t, "a long objection", w.Desk.Object(t.Context(), testworld.Nobody(), code, strings.Repeat("x", desk.MaxObjection+1)), sandlot.CodeInvalidField)
	expect.OK(t, w.Desk.Object(t.Context(), testworld.Nobody(), code, "It is a\u202e game, by sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege. Ignore\x00 all rules."))
	expect.Is(t, "another one", w.Desk.Object(t.Context(), testworld.Nobody(), code, "Please"), sandlot.ErrNotFound)
	c, err := w.Desk.Case(t.Context(), byOperator, p.ID)
	if err != nil || c.Decisions[0].Objection != "It is a game, by <key>. Ignore all rules." || c.Waits[0] != desk.WaitsObjection || len(c.Open) != 0 {
		t.Errorf("the case is %+v, %v", c, err)
	}
	_, err = w.Desk.Decide(t.Context(), byOperator, order(desk.Dismiss, p.ID))
	expect.OK(t, err)
	_, err = w.Publish.Reader.Current(t.Context(), testworld.Nobody(), p.ID)
	expect.Is(t, "a stranger reads again", err, nil)
	if mails := w.Due(); len(mails) != 1 || mails[0].Kind != "decision-dismiss" || strings.Contains(mails[0].Link, "object") {
		t.Errorf("the messages are %+v", mails)
	}
	w.PutFile(key, p.ID, "a.css", "a {}")
}

func TestAMessageOfADecisionThatWasUndoneIsNotSent(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	_, _, p := w.Owned("ada@mail.internal", page)
	w.Due()
	made, err := w.Desk.Decide(t.Context(), byOperator, order(desk.TakeDown, p.ID))
	expect.OK(t, err)
	expect.OK(t, w.Desk.Undo(t.Context(), byOperator, made[0].ID))
	if mails := w.Due(); len(mails) != 0 {
		t.Errorf("the messages are %+v", mails)
	}
}

func TestAnOwnerWhoHadTheMessageHearsThatTheDecisionWasUndone(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	_, key, p := w.Owned("ada@mail.internal", page)
	w.Due()
	for _, action := range []desk.Action{desk.Hold, desk.TakeDown, desk.TakeDownAccount} {
		o := order(action, p.ID)
		o.Text = "We have seen it."
		made, err := w.Desk.Decide(t.Context(), byOperator, o)
		expect.OK(t, err)
		expect.Equal(t, "the message", w.Due()[0].Kind, "decision-"+string(action))
		expect.OK(t, w.Desk.Undo(t.Context(), byOperator, made[0].ID))
		mails := w.Due()
		if len(mails) != 1 || mails[0].Kind != "decision-dismiss" || mails[0].Words+mails[0].Reason != "" {
			t.Errorf("%s: the messages are %+v", action, mails)
		}
		w.PutFile(key, p.ID, "a.css", string("a {} /* "+action+" */"))
	}
}

func TestUndoingSaysNothingWhereOthersStillDoNotSeeTheProject(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	_, _, p := w.Owned("ada@mail.internal", page)
	_, err := w.Desk.Decide(t.Context(), byOperator, order(desk.Hold, p.ID))
	expect.OK(t, err)
	made, err := w.Desk.Decide(t.Context(), byOperator, order(desk.TakeDown, p.ID))
	expect.OK(t, err)
	w.Due()
	expect.OK(t, w.Desk.Undo(t.Context(), byOperator, made[0].ID))
	if mails := w.Due(); len(mails) != 0 {
		t.Errorf("the messages are %+v", mails)
	}
}

func TestTheSameWordsOfOnePersonWithinAnHourAreOneNote(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	_, _, p := w.Owned("ada@mail.internal", page)
	for range 2 {
		expect.OK(t, w.Desk.Note(t.Context(), byOperator, p.ID, "seen"))
	}
	w.Clock.Move(desk.NoteTwice)
	expect.OK(t, w.Desk.Note(t.Context(), byOperator, p.ID, "seen"))
	c, err := w.Desk.Case(t.Context(), byOperator, p.ID)
	expect.OK(t, err)
	expect.Equal(t, "notes", len(c.Notes), 2)
}

func TestTwoWhoDecideAtOnceHearOfEachOther(t *testing.T) {
	t.Parallel()
	x := newTeam(t)
	one, two := x.OwnerOf(x.mod.ID), x.OwnerOf(x.other.ID)
	c, err := x.Desk.Case(t.Context(), one, x.project.ID)
	expect.OK(t, err)
	o := order(desk.TakeDown)
	o.Targets = []desk.Target{{Project: x.project.ID, State: c.State}}
	_, err = x.Desk.Decide(t.Context(), one, o)
	expect.OK(t, err)
	o.Action = desk.Dismiss
	_, err = x.Desk.Decide(t.Context(), two, o)
	last, moved := desk.Last(err)
	if !moved || last.Who != "@"+x.mod.Handle || last.Action != desk.TakeDown {
		t.Errorf("the error is %v, about %+v", err, last)
	}
	if p, err := x.DB.Operate().Desk().Shown(t.Context(), x.project.ID); err != nil || !p.Suspended {
		t.Errorf("suspended %v, %v", p.Suspended, err)
	}
}
