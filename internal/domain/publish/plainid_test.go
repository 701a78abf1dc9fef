package publish_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/lure"
	"sandlot/internal/testkit/expect"
)

var plainID = regexp.MustCompile(`^[a-z]+-[a-z]+-[0-9a-hjkmnp-tv-z]{6}$`)

func TestOnAPublicInstanceTheIDOfAnUnverifiedAccountIsNeverOfItsTitle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public)
	in := publish.PublishInput{Title: "Examplebank Login", Email: "ada@mail.internal", Content: w.stage(page)}
	out, _, err := w.Publish(t.Context(), nobody(), in)
	expect.OK(t, err)
	maker := w.caller(out.Keys.Account)
	in.Content = w.stage(page)
	again, _, err := w.Publish(t.Context(), maker, in)
	expect.OK(t, err)
	for _, id := range []string{string(out.Project.ID), string(again.Project.ID)} {
		if !plainID.MatchString(id) || strings.Contains(id, "examplebank") {
			t.Errorf("the id is %s", id)
		}
	}
	w.exec("UPDATE accounts SET verified = 1 WHERE id = ?", maker.Account())
	in.Content = w.stage(page)
	if out, _, err = w.Publish(t.Context(), maker, in); err != nil || !strings.HasPrefix(string(out.Project.ID), "examplebank-login-") {
		t.Errorf("the id of a verified account is %s, %v", out.Project.ID, err)
	}
}

func TestATitleThatResemblesABrandIsHeldBackUntilTheAccountIsVerified(t *testing.T) {
	t.Parallel()
	brands, err := lure.ParseBrands("Example Bank")
	expect.OK(t, err)
	w := newWorld(t, public, func(c *publish.Config) { c.Brands = brands })
	maker := w.account()
	out, _, err := w.Publish(t.Context(), maker, publish.PublishInput{Title: "Ex4mple-Bank login", Content: w.stage(page)})
	expect.OK(t, err)
	id := out.Project.ID
	expect.Equal(t, "the title in the answer", out.Project.Title, "Ex4mple-Bank login")
	warns := func(w []sandlot.Warning) bool { return slices.Contains(warnedOf(w), "title_held_back") }
	if !warns(out.Warnings) {
		t.Errorf("publish warns of %q", warnedOf(out.Warnings))
	}
	changed, _, err := w.Update(t.Context(), maker, publish.UpdateInput{Project: string(id), Filename: "index.html", Content: w.stage(page + "!")})
	if err != nil || !warns(changed.Warnings) {
		t.Errorf("update warns of %q, %v", warnedOf(changed.Warnings), err)
	}
	titles := func(by sandlot.Caller) (all []string) {
		view, err := w.Reader.Project(t.Context(), by, string(id))
		expect.OK(t, err)
		if owner := by.Account() == maker.Account(); warns(view.Warnings) != (owner && view.Project.Title != "" && !view.Project.Verified) {
			t.Errorf("the project warns of %q", warnedOf(view.Warnings))
		}
		found, err := w.Reader.Find(t.Context(), by, string(id))
		expect.OK(t, err)
		head, err := w.Reader.Current(t.Context(), by, id)
		expect.OK(t, err)
		return []string{view.Project.Title, found.Title, head.Title}
	}
	shown, hidden := slices.Repeat([]string{"Ex4mple-Bank login"}, 3), make([]string, 3)
	expect.Same(t, "its owner sees", titles(maker), shown)
	expect.Same(t, "nobody sees", titles(nobody()), hidden)
	expect.Same(t, "another account sees", titles(w.account()), hidden)
	w.exec("UPDATE accounts SET verified = 1 WHERE id = ?", maker.Account())
	w.exec("UPDATE projects SET changed = changed + 1")
	expect.Same(t, "nobody sees, once it is verified", titles(nobody())[:2], shown[:2])
}
