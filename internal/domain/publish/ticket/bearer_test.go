package ticket_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestWhoeverHasATicketMayDoNothingElseThanItWasAskedFor(t *testing.T) {
	w, ctx := testworld.New(t), t.Context()
	made, err := w.Publish.Signup(ctx, testworld.Nobody(), publish.SignupInput{})
	expect.OK(t, err)
	me := w.CallerOf(made.Key)
	var ids []string
	for range 2 {
		out, _, err := w.Publish.Publish(ctx, me, publish.PublishInput{Content: w.Stage("<p>page")})
		expect.OK(t, err)
		ids = append(ids, string(out.Project.ID))
	}
	publishes := func(by sandlot.Caller) error {
		_, _, err := w.Publish.Publish(ctx, by, publish.PublishInput{Content: w.Stage("<p>other")})
		return err
	}
	updates := func(id string) func(sandlot.Caller) error {
		return func(by sandlot.Caller) error {
			_, _, err := w.Publish.Update(ctx, by, publish.UpdateInput{Project: id, Filename: "a", Content: w.Stage("a")})
			return err
		}
	}
	others := map[string]func(sandlot.Caller) error{
		"whoami":  func(by sandlot.Caller) error { _, err := w.Publish.Reader.Whoami(ctx, by, 1, ""); return err },
		"export":  func(by sandlot.Caller) error { _, err := w.Publish.Reader.Export(ctx, by); return err },
		"delete":  func(by sandlot.Caller) error { _, err := w.Publish.DeleteProject(ctx, by, ids[0], ids[0]); return err },
		"another": updates(ids[1]),
		"import": func(by sandlot.Caller) error {
			_, err := w.Publish.Adopt(ctx, by, publish.Adoption{Stage: func(context.Context, time.Time) (in publish.NewProject, w []sandlot.Warning, err error) {
				return in, nil, context.Canceled
			}})
			return err
		},
	}
	for told, does := range map[ticket.Told]map[string]func(sandlot.Caller) error{
		{}: {"update": updates(ids[0])},
		{Update: true, Project: ids[0], Filename: "a"}: {"publish": publishes},
	} {
		out, err := w.Tickets.Issue(ctx, me, told)
		expect.OK(t, err)
		bearer := w.CallerOf(out.Ticket)
		w.Unchanged(t, func() {
			for name, do := range others {
				expect.Is(t, name, do(bearer), sandlot.CodeInvalidKey)
			}
			for name, do := range does {
				expect.Is(t, name, do(bearer), sandlot.CodeInvalidKey)
			}
		})
	}
}
