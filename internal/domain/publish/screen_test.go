package publish_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/lure"
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

func TestAPageThatOnlyLeadsElsewhereIsHeld(t *testing.T) {
	t.Parallel()
	brands, err := lure.ParseBrands("Example Bank")
	expect.OK(t, err)
	w := strangers(t, func(c *publish.Config) { c.Brands = brands })
	for page, held := range map[string]bool{
		`<title>Example Bank</title><p>Confirm your data.<a href="https://evil.example/">Continue</a>`: true,
		`<title>Examples</title><p>All that I made.<a href="https://kim.example/">Home</a>`:            false,
	} {
		out := w.PublishPage(testworld.Nobody(), page)
		if got := warned(out.Warnings, "held", "index.html has nothing but a way to another host"); got != held {
			t.Errorf("%s: held is %t: %v", page, got, out.Warnings)
		}
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

// TestTheLookAtAVersionReadsPagesAndSmallFilesFirst: a publish stays quick, and text beside a lure does not hide it.
func TestTheLookAtAVersionReadsPagesAndSmallFilesFirst(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][2]string{
		"a page behind a script":         {"aaa.js", "zzz.html"},
		"a page behind a larger page":    {"aaa.html", "zzz.html"},
		"a script behind a larger one":   {"aaa.js", "zzz.js"},
		"a script behind a large vector": {"aaa.svg", "zzz.js"},
	} {
		w := strangers(t)
		out := w.PublishPage(testworld.Nobody(), gamePage)
		by := w.CallerOf(out.Keys.Account)
		w.PutFile(by, out.Project.ID, files[0], "// "+strings.Repeat("x", 5<<20))
		page := loginPage
		if strings.HasSuffix(files[1], ".js") {
			page = "document.body.innerHTML = `" + loginPage + "`"
		}
		if up := w.PutFile(by, out.Project.ID, files[1], page); up.Project.Held.Rule != sandlot.HeldFields {
			t.Errorf("%s: %v", name, up.Project.Held)
		}
	}
}

func TestATextIsReadOnceForTheHoldAndItsWarning(t *testing.T) {
	t.Parallel()
	w := strangers(t)
	by := w.CallerOf(w.PublishPage(testworld.Nobody(), gamePage).Keys.Account)
	p := w.PublishPage(by, gamePage).Project
	big := loginPage + strings.Repeat("<p>hello", 40<<10) // too large to be kept in its record
	blob := w.PutFile(by, p.ID, "deep/login.html", big).File.Blob.Ref
	reads := 0
	w.Blobs.Opening = func(_ context.Context, b sandlot.Blob, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
		if b.Ref == blob {
			reads++
		}
		return open()
	}
	for name, call := range map[string]func() []sandlot.Warning{
		"an update": func() []sandlot.Warning { return w.PutFile(by, p.ID, "a.txt", "a").Warnings },
		"a dry run": func() []sandlot.Warning {
			out, _, err := w.Publish.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Filename: "b.txt", Content: w.Stage("b"), DryRun: true})
			expect.OK(t, err)
			return out.Warnings
		},
	} {
		reads = 0
		if got := call(); !warned(got, "held", "deep/login.html has a field for a password") || reads != 1 {
			t.Errorf("%s: the page was read %d times, want once: %v", name, reads, got)
		}
	}
}
