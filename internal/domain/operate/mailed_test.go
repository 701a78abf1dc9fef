package operate_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestWhoMayManageReporters calls every method as every kind of caller.
func TestWhoMayManageReporters(t *testing.T) {
	t.Parallel()
	of := func(s *testworld.Scene) *operate.Reporters {
		return &operate.Reporters{Store: s.DB.Operate().Reporters(), Filing: s.Operate}
	}
	managing := func(seen testworld.Seen) error {
		if seen.Who == "the operator" {
			return nil
		}
		return sandlot.ErrOperatorNeeded
	}
	ignored := func(err error) error {
		if errors.Is(err, sandlot.ErrOperatorNeeded) {
			return err
		}
		return nil // whatever became of arguments that mean nothing
	}
	anybody := func(testworld.Seen) error { return nil }
	testworld.CheckAccess(t, reflect.TypeFor[*operate.Reporters](), nil, map[string]testworld.Gate{
		"Add": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := of(s).Add(t.Context(), by, "a")
			return ignored(err)
		}, Want: managing},
		"List": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := of(s).List(t.Context(), by, 0, 9)
			return err
		}, Want: managing},
		"End": {Call: func(s *testworld.Scene, by sandlot.Caller) error { return ignored(of(s).End(t.Context(), by, "a")) }, Want: managing},
		"Present": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := of(s).Present(t.Context(), by, "")
			if errors.Is(err, sandlot.CodeKeyRequired) {
				return nil
			}
			return err
		}, Want: anybody},
		"Report": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := of(s).Report(t.Context(), by, operate.Reporter{ID: 1}, operate.NewReport{Project: s.Project.ID, Reason: "other"})
			return err
		}, Want: anybody},
	})
	testworld.CheckAccess(t, reflect.TypeFor[*operate.Mailed](), nil, map[string]testworld.Gate{
		"Take": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := (&operate.Mailed{Store: s.DB.Operate().Reporters(), Filing: s.Operate}).Take(t.Context(), by, operate.Message{Reason: "other", Projects: []sandlot.ProjectID{s.Project.ID}})
			return err
		}, Want: anybody},
	})
}

func TestReporters(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	id, r := f.stranger(), f.reporters()
	token, err := r.Add(t.Context(), byOperator, " Example CERT ")
	expect.OK(t, err)
	if !strings.HasPrefix(token.Reveal(), "slf_") {
		t.Errorf("the token is %.4s", token.Reveal())
	}
	for _, name := range []string{"Example CERT", "", "two\nlines", strings.Repeat("x", 101), "\u202ea"} {
		if _, err := r.Add(t.Context(), byOperator, name); err == nil {
			t.Errorf("another reporter %q was made", name)
		}
	}
	who, err := r.Present(t.Context(), testworld.Nobody(), token)
	expect.OK(t, err)
	in := operate.NewReport{Project: id, Reason: "deceptive", Details: "a form", Contact: "cert@example.com"}
	send := func() string {
		t.Helper()
		got, err := r.Report(t.Context(), testworld.Nobody(), who, in)
		expect.OK(t, err)
		expect.Same(t, "it is", []any{got.Project, got.Via, got.Contact}, []any{id, operate.ViaAPI, "cert@example.com"})
		return got.Case
	}
	first := send()
	f.Clock.Move(time.Minute)
	expect.Equal(t, "the same words on the same day", send(), first)
	f.Clock.Move(24 * time.Hour)
	if send() == first {
		t.Error("the same words on another day are the same report")
	}
	in.Project = "none-abc123"
	_, err = r.Report(t.Context(), testworld.Nobody(), who, in)
	expect.Is(t, "an unknown project", err, sandlot.CodeProjectNotFound)
	expect.OK(t, r.End(t.Context(), byOperator, "Example CERT"))
	_, err = r.Present(t.Context(), testworld.Nobody(), token)
	expect.Is(t, "a token that was ended", err, sandlot.CodeInvalidKey)
	expect.Is(t, "ending it again", r.End(t.Context(), byOperator, "Example CERT"), sandlot.ErrNotFound)
	list, err := r.List(t.Context(), byOperator, 0, 9)
	expect.OK(t, err)
	if len(list) != 1 || list[0].UsedAt.IsZero() || list[0].EndedAt.IsZero() {
		t.Errorf("listed are %+v", list)
	}
}

func TestMailWithManyAddressesMakesFiftyReportsAndOneAnswer(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	m := operate.Message{From: "ann@example.org", Text: "phishing", Reason: "deceptive"}
	for i := range 300 {
		m.Projects = append(m.Projects, sandlot.ProjectID(fmt.Sprintf("none%d-abc123", i)))
	}
	for range operate.MostOfMail + 5 {
		m.Projects = append(m.Projects, f.stranger())
	}
	numbers, err := f.mailed().Take(t.Context(), testworld.Nobody(), m)
	expect.OK(t, err)
	expect.Equal(t, "reports", len(numbers), operate.MostOfMail)
	again, err := f.mailed().Take(t.Context(), testworld.Nobody(), m)
	expect.OK(t, err)
	expect.Same(t, "the same message again", again, numbers)
	var answers []string
	for _, got := range f.Due() {
		if got.To == "ann@example.org" {
			answers = append(answers, got.Kind+" "+got.Case)
		}
	}
	expect.Same(t, "answers", answers, []string{"received " + strings.Join(numbers, ", ")})
	list, err := f.Operate.Reports(t.Context(), byOperator, operate.ReportQuery{Limit: 99})
	expect.OK(t, err)
	expect.Same(t, "a report", []any{len(list), list[0].Via, list[0].Contact, list[0].Details}, []any{operate.MostOfMail, operate.ViaMail, "ann@example.org", "phishing"})
}

func TestMailIsAnsweredOnceAnHourAndNeverInALoop(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	id := f.stranger()
	answers := func(m operate.Message) (n int) {
		t.Helper()
		m.Reason = "other"
		_, err := f.mailed().Take(t.Context(), testworld.Nobody(), m)
		expect.OK(t, err)
		for _, got := range f.Due() {
			if strings.HasPrefix(got.Kind, "received") {
				n++
			}
		}
		return n
	}
	of := func(from string) operate.Message {
		return operate.Message{From: from, Text: "a", Projects: []sandlot.ProjectID{id}}
	}
	expect.Equal(t, "the first", answers(of("ann@example.org")), 1)
	expect.Equal(t, "another within the hour", answers(operate.Message{From: "ann@example.org", Text: "b"}), 0)
	f.Clock.Move(time.Hour + time.Second)
	expect.Equal(t, "one without a project, an hour later", answers(operate.Message{From: "ann@example.org", Text: "b"}), 1)
	automatic := of("bot@example.org")
	automatic.Automatic = true
	expect.Equal(t, "one by a program", answers(automatic), 0)
	expect.Equal(t, "one from ourselves", answers(of("SANDLOT@example.com")), 0)
	expect.Equal(t, "one without a sender", answers(of("")), 0)
	expect.Equal(t, "one from no address", answers(of("not an address")), 0)
	list, err := f.Operate.Reports(t.Context(), byOperator, operate.ReportQuery{Limit: 99})
	expect.OK(t, err)
	expect.Equal(t, "reports, none of them ours", len(list), 3)
	silent := f.mailed()
	silent.Answers = false
	_, err = silent.Take(t.Context(), testworld.Nobody(), operate.Message{From: "kim@example.org", Reason: "other", Projects: []sandlot.ProjectID{id}})
	expect.OK(t, err)
	expect.Same(t, "without a mail server", f.sentTo()["kim@example.org"], "")
}
