package operate_test

import (
	"errors"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestAnOperatorNamesThingsAsPeopleDo(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	out := w.PublishPage(testworld.Nobody(), page)
	other, err := w.Publish.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Handle: string(out.Project.ID)}) // a handle that is a project's id
	expect.OK(t, err)
	a := w.Operate
	for ref, want := range map[string]string{
		"@" + out.Account.Handle: "@" + out.Account.Handle, " @" + strings.ToUpper(out.Account.Handle): "@" + out.Account.Handle,
		testworld.Address: "@" + out.Account.Handle, out.Addresses.URL: string(out.Project.ID), out.Addresses.Version: string(out.Project.ID),
		out.Addresses.Path + "deep/file.js": string(out.Project.ID), out.Addresses.Page: string(out.Project.ID), "@" + other.Account.Handle: "@" + other.Account.Handle,
		string(out.Project.ID): string(out.Project.ID),
	} {
		if found, err := a.Show(t.Context(), byOperator, ref, 1); err != nil || found.Target() != want {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
	for _, ref := range []string{"", "@", "nobody", "@nobody", "nobody@example.org", "http://nobody-abc234.localhost:8080/", "http://[", "x--v1-y", strings.Repeat("x", 5000)} {
		if _, err := a.Show(t.Context(), byOperator, ref, 1); !errors.Is(err, sandlot.ErrNotFound) || !strings.HasPrefix(err.Error(), "there is no ") {
			t.Errorf("%.20q: %v", ref, err)
		}
	}
	w.PublishPage(testworld.Nobody(), page) // a second account of the address
	if _, err := a.Show(t.Context(), byOperator, testworld.Address, 1); err == nil || !strings.Contains(err.Error(), "@"+out.Account.Handle) {
		t.Errorf("an address of two accounts: %v", err)
	}
	if _, err := a.Account(t.Context(), byOperator, out.Addresses.URL); err == nil {
		t.Error("a project was taken for an account")
	}
}

func TestAnActNeedsAReasonAndIsLogged(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	p := w.PublishPage(testworld.Nobody(), page).Project
	a := w.Operate
	for _, reason := range []string{"", "  \n", strings.Repeat("x", 3000)} {
		if _, err := a.Suspend(t.Context(), byOperator, string(p.ID), reason); err == nil {
			t.Errorf("suspended for %.10q", reason)
		}
		if _, err := a.Delete(t.Context(), byOperator, string(p.ID), reason); err == nil {
			t.Errorf("deleted for %.10q", reason)
		}
	}
	_, secret, _, err := a.NewKey(t.Context(), byOperator, p.Handle, "", false)
	expect.OK(t, err)
	_, err = a.Suspend(t.Context(), byOperator, string(p.ID), " shows the key "+secret.Reveal())
	expect.OK(t, err)
	log, err := w.DB.Operate().Log(t.Context(), operate.LogQuery{Limit: 9})
	if err != nil || len(log) != 2 {
		t.Fatalf("%v, %v", log, err)
	}
	want := sandlot.LogEntry{ID: log[0].ID, At: w.Now(), Actor: "operator", Action: "suspend", Target: string(p.ID), Reason: "shows the key <key>"}
	expect.Same(t, "the newest entry", log[0], want)
	if w.CallerOf(secret).Account() != p.Account {
		t.Error("the new key is another account's")
	}
}
