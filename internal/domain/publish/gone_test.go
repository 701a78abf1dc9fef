package publish_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestAPublishFailsWhenItsAccountIsDeletedMeanwhile: who sends content for long may have lost the account by its end.
func TestAPublishFailsWhenItsAccountIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	ctx, n := t.Context(), 1
	part := func(id string) *publish.PartInput { return &publish.PartInput{UploadID: id, N: &n} }
	for name, send := range map[string]func(w *world, by sandlot.Caller, id sandlot.ProjectID, c publish.Content) error{
		"publish": func(w *world, by sandlot.Caller, _ sandlot.ProjectID, c publish.Content) error {
			_, _, err := w.Publish(ctx, by, publish.PublishInput{Content: c})
			return err
		},
		"publish with an address": func(w *world, by sandlot.Caller, _ sandlot.ProjectID, c publish.Content) error {
			_, _, err := w.Publish(ctx, by, publish.PublishInput{Content: c, Email: address})
			return err
		},
		"update": func(w *world, by sandlot.Caller, id sandlot.ProjectID, c publish.Content) error {
			_, _, err := w.Update(ctx, by, publish.UpdateInput{Project: string(id), Filename: "a.js", Content: c})
			return err
		},
		"update of the only project": func(w *world, by sandlot.Caller, _ sandlot.ProjectID, c publish.Content) error {
			_, _, err := w.Update(ctx, by, publish.UpdateInput{Filename: "a.js", Content: c})
			return err
		},
		"the last part": func(w *world, by sandlot.Caller, _ sandlot.ProjectID, c publish.Content) error {
			in := publish.PublishInput{Content: c, Part: part("one")}
			in.Part.Last = true
			_, _, err := w.Publish(ctx, by, in)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			made := w.publish(by, page)
			c := w.stage(large)
			a, err := w.db.Publish().Account(ctx, by.Account())
			expect.OK(t, err)
			expect.OK(t, w.DeleteAccount(ctx, w.owner(a.ID), a.Handle))
			refused(t, send(w, by, made.Project.ID, c), sandlot.CodeInvalidKey)
		})
	}
}

// TestAnEditOfAProjectThatIsDeletedMeanwhileTellsThatItIsGone: one of many files takes a while.
func TestAnEditOfAProjectThatIsDeletedMeanwhileTellsThatItIsGone(t *testing.T) {
	t.Parallel()
	ctx, title := t.Context(), "other"
	for name, edit := range map[string]func(w *world, by sandlot.Caller, id sandlot.ProjectID) error{
		"one file": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error {
			_, _, err := w.Update(ctx, by, publish.UpdateInput{Project: string(id), Filename: "b.js", Content: w.stage("b")})
			return err
		},
		"many files": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error {
			_, _, err := w.Update(ctx, by, publish.UpdateInput{Project: string(id), Many: publish.Many{Tree: w.in.Tree("b.js", "b", "c.js", "c")}})
			return err
		},
		"a file less": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error {
			_, err := w.DeleteFile(ctx, by, publish.DeleteInput{Project: string(id), Filename: "a.js"})
			return err
		},
		"its title": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error {
			_, err := w.Amend(ctx, by, string(id), publish.AmendInput{Title: &title})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			id := w.publish(by, page).Project.ID
			w.put(by, id, "a.js", "a")
			w.store.Step = func(step string) (before, after error) {
				if step == "PutFile" || step == "Rearrange" || step == "DeleteFile" || step == "SetDetails" {
					err := w.db.Publish().Trash(ctx, id, 0, sandlot.LogEntry{At: w.clock.now(), Actor: sandlot.ActorOwner, Action: sandlot.ActionDelete, Target: string(id)})
					expect.OK(t, err)
				}
				return nil, nil
			}
			refused(t, edit(w, by, id), sandlot.CodeProjectNotFound)
		})
	}
}
