package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const loginPage = `<!doctype html><title>Sign in</title><form><input name="user"><input type="password" name="pass"><button>Sign in</button></form>`

// strangers is a world where strangers publish.
func strangers(t *testing.T, change ...func(*publish.Config)) *testworld.World {
	return testworld.New(t, testworld.With(func(c *publish.Config) {
		c.Public = true
		for _, f := range change {
			f(c)
		}
	}))
}

// heldBy returns the rule by which a project is held.
func heldBy(t *testing.T, w *testworld.World, id sandlot.ProjectID) sandlot.Rule {
	t.Helper()
	p, err := w.DB.Publish().Project(t.Context(), id)
	expect.OK(t, err)
	return p.Held.Rule
}

func TestAPageThatRequestsSecretsIsHeldWithTheFieldAndTheFile(t *testing.T) {
	t.Parallel()
	w := strangers(t)
	out := w.PublishPage(testworld.Nobody(), loginPage)
	if out.Project.Held.Rule != sandlot.HeldFields || !warned(out.Warnings, "held", "index.html has a field for a password") {
		t.Errorf("%v %v", out.Project.Held, out.Warnings)
	}
	if warned(out.Warnings, "not_listed", "") {
		t.Error("two warnings say that nobody finds it")
	}
	by := w.CallerOf(out.Keys.Account)
	if out := w.PublishPage(by, gamePage); out.Project.Held.Rule != sandlot.NotHeld {
		t.Errorf("a game is held: %v", out.Project.Held)
	}
	// An update of another file leaves the page as it is.
	up := w.PutFile(by, out.Project.ID, "b.html", "<p>hello")
	if up.Project.Held.Rule != sandlot.HeldFields || !warned(up.Warnings, "held", "index.html has") {
		t.Errorf("an update beside it: %v %v", up.Project.Held, up.Warnings)
	}
	if up = w.PutFile(by, out.Project.ID, "index.html", gamePage); up.Project.Held.Rule != sandlot.NotHeld || warned(up.Warnings, "held", "") {
		t.Errorf("an update without fields: %v %v", up.Project.Held, up.Warnings)
	}
	if up = w.PutFile(by, out.Project.ID, "deep/login.html", loginPage); up.Project.Held.Rule != sandlot.HeldFields {
		t.Errorf("a page beside it: %v", up.Project.Held)
	}
	gone, err := w.Publish.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(out.Project.ID), Filename: "deep/login.html"})
	expect.OK(t, err)
	if gone.Project.Held.Rule != sandlot.NotHeld {
		t.Errorf("without that page: %v", gone.Project.Held)
	}
	back, err := w.Publish.Restore(t.Context(), by, publish.RestoreInput{Project: string(out.Project.ID), Version: 1})
	expect.OK(t, err)
	if back.Project.Held.Rule != sandlot.HeldFields || !warned(back.Warnings, "held", "index.html") {
		t.Errorf("version 1 again: %v %v", back.Project.Held, back.Warnings)
	}
}

func TestADryRunSaysThatTheVersionWouldBeHeld(t *testing.T) {
	t.Parallel()
	w := strangers(t)
	out, _, err := w.Publish.Publish(t.Context(), testworld.Nobody(),
		publish.PublishInput{Content: w.Stage(loginPage), Email: testworld.Address, DryRun: true})
	expect.OK(t, err)
	if !warned(out.Warnings, "held", "index.html has a field for a password") {
		t.Errorf("a publish: %v", out.Warnings)
	}
	made := w.PublishPage(testworld.Nobody(), gamePage)
	by := w.CallerOf(made.Keys.Account)
	up, _, err := w.Publish.Update(t.Context(), by, publish.UpdateInput{
		Project: string(made.Project.ID), Filename: "login.html", Content: w.Stage(loginPage), DryRun: true,
	})
	expect.OK(t, err)
	if !warned(up.Warnings, "held", "login.html has a field for a password") || heldBy(t, w, made.Project.ID) != sandlot.NotHeld {
		t.Errorf("an update: %v", up.Warnings)
	}
}

func TestNothingIsHeldWhereNoStrangersPublishOrTheAccountIsVouchedFor(t *testing.T) {
	t.Parallel()
	local := testworld.New(t)
	if out := local.PublishPage(testworld.Nobody(), loginPage); out.Project.Held.Rule != sandlot.NotHeld {
		t.Errorf("on a local instance: %v", out.Project.Held)
	}
	w := strangers(t)
	_, by, p := w.Owned(testworld.Address, loginPage)
	if p.Held.Rule != sandlot.NotHeld {
		t.Errorf("of a verified account: %v", p.Held)
	}
	if up := w.PutFile(by, p.ID, "a.html", loginPage); up.Project.Held.Rule != sandlot.NotHeld {
		t.Errorf("its update: %v", up.Project.Held)
	}
	out := w.PublishPage(testworld.Nobody(), loginPage)
	_, err := w.Operate.Trust(t.Context(), sandlot.AsOperator("anna"), "@"+out.Project.Handle, "known", false)
	expect.OK(t, err)
	if rule := heldBy(t, w, out.Project.ID); rule != sandlot.NotHeld {
		t.Errorf("of a trusted account: %v", rule)
	}
	if up := w.PutFile(w.CallerOf(out.Keys.Account), out.Project.ID, "a.html", loginPage); up.Project.Held.Rule != sandlot.NotHeld {
		t.Errorf("its update: %v", up.Project.Held)
	}
}

func TestAConfirmedAddressEndsTheHold(t *testing.T) {
	t.Parallel()
	w := strangers(t)
	out := w.PublishPage(testworld.Nobody(), loginPage)
	_, err := w.Publish.Reader.Current(t.Context(), testworld.Nobody(), out.Project.ID)
	if sandlot.HeldRule(err) != sandlot.HeldFields {
		t.Fatal(err)
	}
	for _, token := range w.VerifyTokens() {
		_, err = w.Account.Verify(t.Context(), testworld.Nobody(), token)
		expect.OK(t, err)
	}
	_, err = w.Publish.Reader.Current(t.Context(), testworld.Nobody(), out.Project.ID)
	expect.OK(t, err)
}

// TestTheLookAtAVersionIsBounded: a page behind more text than that is not found, and the publish stays quick.
func TestTheLookAtAVersionReadsThePageFirst(t *testing.T) {
	t.Parallel()
	w := strangers(t)
	out := w.PublishPage(testworld.Nobody(), gamePage)
	by := w.CallerOf(out.Keys.Account)
	w.PutFile(by, out.Project.ID, "aaa.js", "// "+strings.Repeat("x", 5<<20))
	if up := w.PutFile(by, out.Project.ID, "zzz.html", loginPage); up.Project.Held.Rule != sandlot.HeldFields {
		t.Errorf("behind a large script: %v", up.Project.Held)
	}
}
