package publish_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const gamePage = `<!doctype html><title>Pong</title><canvas id="field"></canvas><script>let score = 0</script>`

func TestAHeldProjectIsThereForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	out := w.PublishPage(testworld.Nobody(), gamePage)
	p, other := testworld.HoldFields(w, out.Project.ID), w.NewAccount()
	reader, ctx := w.Publish.Reader, t.Context()
	looks := map[string]func(by sandlot.Caller) error{
		"Project": func(by sandlot.Caller) error { _, err := reader.Project(ctx, by, string(p.ID)); return err },
		"Find":    func(by sandlot.Caller) error { _, err := reader.Find(ctx, by, string(p.ID)); return err },
		"Current": func(by sandlot.Caller) error { _, err := reader.Current(ctx, by, p.ID); return err },
		"AtVersion": func(by sandlot.Caller) error {
			_, err := reader.AtVersion(ctx, by, p.ID, p.Version, p.Suffix)
			return err
		},
		"Page":  func(by sandlot.Caller) error { _, err := w.Gallery.ProjectPage(ctx, by, p.ID); return err },
		"Stats": func(by sandlot.Caller) error { _, _, err := w.Gallery.Stats(ctx, by, string(p.ID)); return err },
		"Touch": func(by sandlot.Caller) error { return w.Gallery.Touch(ctx, by, p.ID, gallery.Player{ID: "one"}) },
	}
	for name, look := range looks {
		for who, by := range map[string]sandlot.Caller{"nobody": testworld.Nobody(), "another key": other} {
			if err := look(by); sandlot.HeldRule(err) != sandlot.HeldFields || !sandlot.Gone(err) {
				t.Errorf("%s by %s: %v", name, who, err)
			}
		}
		for who, by := range map[string]sandlot.Caller{
			"its key": w.CallerOf(out.Keys.Project), "the account's": w.CallerOf(out.Keys.Account), "its owner": w.OwnerOf(p.Account),
		} {
			if err := look(by); err != nil {
				t.Errorf("%s by %s: %v", name, who, err)
			}
		}
	}
	if _, err := reader.AtVersion(ctx, testworld.Nobody(), p.ID, p.Version, "0000000000"); !errors.Is(err, sandlot.CodeProjectNotFound) {
		t.Errorf("another suffix: %v", err)
	}
	export, err := reader.ExportProject(ctx, w.OwnerOf(p.Account), p.ID)
	expect.OK(t, err)
	if len(export.Projects) != 1 || export.Projects[0].Project.ID != p.ID {
		t.Errorf("exported: %v", export.Projects)
	}
}

func TestTheLastHoldIsToldToTheOwner(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	out := w.PublishPage(testworld.Nobody(), gamePage)
	by := w.CallerOf(out.Keys.Account)
	testworld.HoldFields(w, out.Project.ID)
	view, err := w.Publish.Reader.Project(t.Context(), by, string(out.Project.ID))
	expect.OK(t, err)
	if view.LastHold != nil || !warned(view.Warnings, "held", "confirm") && !warned(view.Warnings, "held", "address") {
		t.Errorf("held: %v, %v", view.LastHold, view.Warnings)
	}
	for _, token := range w.VerifyTokens() {
		_, err = w.Account.Verify(t.Context(), testworld.Nobody(), token)
		expect.OK(t, err)
	}
	view, err = w.Publish.Reader.Project(t.Context(), by, string(out.Project.ID))
	expect.OK(t, err)
	if view.LastHold == nil || view.LastHold.Rule != sandlot.HeldFields || view.LastHold.Ended.IsZero() || warned(view.Warnings, "held", "") {
		t.Errorf("afterwards: %v, %v", view.LastHold, view.Warnings)
	}
}

// warned reports whether a warning has the code, and the words in its message or hint.
func warned(list []sandlot.Warning, code, words string) bool {
	return slices.ContainsFunc(list, func(w sandlot.Warning) bool {
		return w.Code == code && strings.Contains(w.Message+" "+w.Hint, words)
	})
}
