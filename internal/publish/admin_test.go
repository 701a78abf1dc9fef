package publish_test

import (
	"errors"
	"strings"
	"testing"

	"sandlot/internal/operate"
	"sandlot/internal/publish"
)

// byOperator is the operator, whose commands nobody gave a name to.
var byOperator = publish.AsOperator("")

// operator is what operators do on the same stores.
func (w *world) operator() *operate.Service {
	w.t.Helper()
	s, err := operate.New(w.t.Context(), operate.Config{ReportMail: w.reportMail}, w.db, operate.WithClock(w.clock.now))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestAnOperatorNamesThingsAsPeopleDo(t *testing.T) {
	w := newWorld(t)
	out := w.publish(nobody(), page)
	other, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Handle: string(out.Project.ID)}) // a handle that is a project's id
	if err != nil {
		t.Fatal(err)
	}
	a := w.operator()
	for ref, want := range map[string]string{
		"@" + out.Account.Handle: "@" + out.Account.Handle, out.Account.Handle: "@" + out.Account.Handle, " " + strings.ToUpper(out.Account.Handle): "@" + out.Account.Handle,
		address: "@" + out.Account.Handle, out.Addresses.URL: string(out.Project.ID), out.Addresses.Version: string(out.Project.ID),
		out.Addresses.Path + "deep/file.js": string(out.Project.ID), out.Addresses.Page: string(out.Project.ID), "@" + other.Account.Handle: "@" + other.Account.Handle,
	} {
		if found, err := a.Find(t.Context(), byOperator, ref); err != nil || found.Target() != want {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
	for _, ref := range []string{"", "@", "nobody", "@nobody", "nobody@example.org", "http://nobody-abc234.localhost:8080/", "http://[", "x--v1-y", strings.Repeat("x", 5000)} {
		if _, err := a.Find(t.Context(), byOperator, ref); !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("%.20q: %v", ref, err)
		}
	}
	if _, err := a.Find(t.Context(), byOperator, string(out.Project.ID)); err == nil || !strings.Contains(err.Error(), "both an account and a project") {
		t.Errorf("what is both: %v", err)
	}
	w.publish(nobody(), page) // a second account of the address
	if _, err := a.Find(t.Context(), byOperator, address); err == nil || !strings.Contains(err.Error(), "@"+out.Account.Handle) {
		t.Errorf("an address of two accounts: %v", err)
	}
	if _, err := a.Account(t.Context(), byOperator, out.Addresses.URL); err == nil {
		t.Error("a project was taken for an account")
	}
}

func TestAnActNeedsAReasonAndIsLogged(t *testing.T) {
	w := newWorld(t)
	p := w.publish(nobody(), page).Project
	a := w.operator()
	for _, reason := range []string{"", "  \n", strings.Repeat("x", 3000)} {
		if _, err := a.Suspend(t.Context(), byOperator, string(p.ID), reason); err == nil {
			t.Errorf("suspended for %.10q", reason)
		}
		if _, err := a.Delete(t.Context(), byOperator, string(p.ID), reason); err == nil {
			t.Errorf("deleted for %.10q", reason)
		}
	}
	_, secret, _, err := a.NewKey(t.Context(), byOperator, p.Handle, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Suspend(t.Context(), byOperator, string(p.ID), " shows the key "+secret.Reveal()); err != nil {
		t.Fatal(err)
	}
	log, err := w.db.Log(t.Context(), operate.LogQuery{Limit: 9})
	if err != nil || len(log) != 2 {
		t.Fatalf("%v, %v", log, err)
	}
	want := publish.LogEntry{ID: log[0].ID, At: w.clock.now(), Actor: "operator", Action: "suspend", Target: string(p.ID), Reason: "shows the key <key>"}
	same(t, "the newest entry", log[0], want)
	if w.caller(secret).Account() != p.Account {
		t.Error("the new key is another account's")
	}
}

func TestASuspendedAccountChangesNothing(t *testing.T) {
	w := newWorld(t)
	out := w.publish(nobody(), page)
	if _, err := w.operator().Suspend(t.Context(), byOperator, out.Account.Handle, "spam"); err != nil {
		t.Fatal(err)
	}
	for _, key := range []publish.Secret{out.Keys.Account, out.Keys.Project} {
		by := w.caller(key)
		for _, act := range []publish.Action{publish.ActPublish, publish.ActEdit} {
			refused(t, w.Admit(t.Context(), by, act), publish.CodeAccountSuspended)
		}
		for _, act := range []publish.Action{publish.ActReadFiles, publish.ActReadAccount} {
			if err := w.Admit(t.Context(), by, act); err != nil {
				t.Errorf("action %d: %v", act, err)
			}
		}
	}
}

// TestAnUploadThatASuspensionOvertakes is one whose caller was let in before.
func TestAnUploadThatASuspensionOvertakes(t *testing.T) {
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, content := w.caller(out.Keys.Account), w.stage(large)
	if _, err := w.operator().Suspend(t.Context(), byOperator, out.Account.Handle, "spam"); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(out.Project.ID), Filename: "a.html", Content: content})
	refused(t, err, publish.CodeTakenDown)
	_, _, err = w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(page)})
	refused(t, err, publish.CodeAccountSuspended)
}
