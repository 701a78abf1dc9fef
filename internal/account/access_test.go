package account_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"sandlot/internal/account"
	"sandlot/internal/publish"
)

// access says whom a method lets in.
type access int

const (
	anybody  access = iota // it goes by a token or an address that is handed over
	seesOwn                // who has logged in, about their own account, also a suspended one
	endsOwn                // likewise
	changing               // who has logged in to an account that is not suspended
)

// gates are all exported methods of the Service, each called about kim's account as far as it names one.
var gates = map[string]struct {
	access access
	call   func(w *world, by publish.Caller, kim publish.Account, session int64) error
}{
	"MintBrowser": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.MintBrowser(w.t.Context(), by))
	}},
	"AskLogin": {anybody, func(w *world, by publish.Caller, kim publish.Account, _ int64) error {
		return second(w.AskLogin(w.t.Context(), by, account.LoginInput{Email: kim.Email}))
	}},
	"PendingLogin": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.PendingLogin(w.t.Context(), by, "none"))
	}},
	"LoginLink": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.LoginLink(w.t.Context(), by, "none", "none"))
	}},
	"UseLoginLink": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return w.UseLoginLink(w.t.Context(), by, "none", "none")
	}},
	"UseLoginCode": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.UseLoginCode(w.t.Context(), by, "none", "000000"))
	}},
	"LoginAccounts": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.LoginAccounts(w.t.Context(), by, "none"))
	}},
	"LoginChoices": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.LoginChoices(w.t.Context(), by, "none"))
	}},
	"FinishLogin": {anybody, func(w *world, by publish.Caller, kim publish.Account, _ int64) error {
		_, _, err := w.FinishLogin(w.t.Context(), by, "none", kim.Handle, "Firefox")
		return err
	}},
	"Remember": {anybody, func(w *world, by publish.Caller, kim publish.Account, _ int64) error {
		return second(w.Remember(w.t.Context(), by, "", kim.Email))
	}},
	"Claim": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.Claim(w.t.Context(), by, "none"))
	}},
	"Verify": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.Verify(w.t.Context(), by, "none"))
	}},
	"RefuseClaim": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		_, _, err := w.RefuseClaim(w.t.Context(), by, "none")
		return err
	}},
	"EmailLink": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.EmailLink(w.t.Context(), by, "none", false))
	}},
	"TakeEmail": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.TakeEmail(w.t.Context(), by, "none"))
	}},
	"TakeEmailBack": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.TakeEmailBack(w.t.Context(), by, "none"))
	}},
	"NotMe": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.NotMe(w.t.Context(), by, "none"))
	}},
	"StopMail": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.StopMail(w.t.Context(), by, "none"))
	}},
	"AllowMail": {anybody, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.AllowMail(w.t.Context(), by, "none"))
	}},

	"Sessions": {seesOwn, func(w *world, by publish.Caller, kim publish.Account, _ int64) error {
		list, err := w.Sessions(w.t.Context(), by)
		for _, s := range list {
			if s.Account != by.Account() {
				err = fmt.Errorf("a session of account %d is shown to %d", s.Account, by.Account())
			}
		}
		return err
	}},
	"ProposedEmail": {seesOwn, func(w *world, by publish.Caller, kim publish.Account, _ int64) error {
		email, err := w.ProposedEmail(w.t.Context(), by)
		if err == nil && (email != "") != (by.Account() == kim.ID) {
			err = fmt.Errorf("account %d sees %q", by.Account(), email)
		}
		return err
	}},
	"EndSession": {endsOwn, func(w *world, by publish.Caller, _ publish.Account, session int64) error {
		return w.EndSession(w.t.Context(), by, session)
	}},
	"EndOtherSessions": {endsOwn, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return w.EndOtherSessions(w.t.Context(), by)
	}},
	"DeleteAccount": {endsOwn, func(w *world, by publish.Caller, kim publish.Account, _ int64) error {
		return w.DeleteAccount(w.t.Context(), by, kim.Handle)
	}},
	"HandleFor": {changing, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.HandleFor(w.t.Context(), by, "fresh"))
	}},
	"Rename": {changing, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return second(w.Rename(w.t.Context(), by, "fresh"))
	}},
	"SetLang": {changing, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return w.SetLang(w.t.Context(), by, "fr")
	}},
	"ProposeEmail": {changing, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return w.ProposeEmail(w.t.Context(), by, "third@example.org", "en")
	}},
	"WithdrawEmail": {changing, func(w *world, by publish.Caller, _ publish.Account, _ int64) error {
		return w.WithdrawEmail(w.t.Context(), by)
	}},
}

func second[T any](_ T, err error) error { return err }

// TestWhoIsLetInToAnAccount calls every exported method of the Service as every kind of caller.
func TestWhoIsLetInToAnAccount(t *testing.T) {
	t.Parallel()
	service := reflect.TypeFor[*account.Service]()
	for i := range service.NumMethod() {
		if _, ok := gates[service.Method(i).Name]; !ok {
			t.Errorf("nobody says who may call %s", service.Method(i).Name)
		}
	}
	if len(gates) != service.NumMethod() {
		t.Errorf("%d methods are named of %d", len(gates), service.NumMethod())
	}
	for name, gate := range gates {
		for _, who := range []string{"nobody", "an account's key", "a project's key", "the operator", "an owner's session", "another's session", "a suspended owner's session"} {
			t.Run(name+" as "+who, func(t *testing.T) {
				w := newWorld(t)
				by, kim, session := w.knock(who)
				before := w.standing(kim)
				err := gate.call(w, by, kim, session)
				if want := wanted(gate.access, name, who); !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
				if who != "an owner's session" && who != "a suspended owner's session" {
					same(t, "kim's account", w.standing(kim), before)
				}
			})
		}
	}
}

// wanted is the error that a caller is to get.
func wanted(a access, method, who string) error {
	switch {
	case a == anybody && method != "MintBrowser" && method != "AskLogin" && method != "Remember":
		return publish.ErrNotFound // the token leads nowhere, whoever has it
	case a == anybody:
		return nil
	case who != "an owner's session" && who != "another's session" && who != "a suspended owner's session":
		return publish.ErrLoginNeeded
	case who == "another's session" && method == "EndSession":
		return publish.ErrNotFound
	case who == "another's session" && method == "DeleteAccount":
		return publish.CodeInvalidField
	case who == "a suspended owner's session" && a == changing:
		return publish.CodeAccountSuspended
	}
	return nil
}

// knock makes kim's account, with a session and an address that is proposed, and a caller of that kind.
func (w *world) knock(who string) (by publish.Caller, kim publish.Account, session int64) {
	w.t.Helper()
	kim, key, p := w.owned("kim@example.org")
	lee := w.member("lee@example.org")
	me := w.owner(kim.ID)
	s, _, _ := me.Login()
	if err := w.ProposeEmail(w.t.Context(), me, "second@example.org", "en"); err != nil {
		w.t.Fatal(err)
	}
	switch who {
	case "nobody":
		by = nobody()
	case "an account's key":
		by = key
	case "a project's key":
		secret, err := w.MintKey(w.t.Context(), me, publish.NewKey{Project: p.ID, Name: "agent", Form: "form"})
		if err != nil {
			w.t.Fatal(err)
		}
		by = w.caller(secret)
	case "the operator":
		by = byOperator
	case "another's session":
		by = w.owner(lee.ID)
	case "a suspended owner's session":
		if err := w.db.Suspend(w.t.Context(), publish.Subject{Account: kim.ID}, publish.LogEntry{At: w.clock.now()}); err != nil {
			w.t.Fatal(err)
		}
		by = w.owner(kim.ID)
	default:
		by = me
	}
	return by, kim, s.ID
}

// standing is what is recorded of an account, which only its owner may change.
func (w *world) standing(a publish.Account) string {
	w.t.Helper()
	now, err := w.db.Account(w.t.Context(), a.ID)
	if err != nil {
		return err.Error()
	}
	move, err := w.db.AccountStore().ProposedEmail(w.t.Context(), a.ID, w.clock.now())
	return fmt.Sprintf("%+v %+v %v %+v", now, move, err, w.sessions(a.ID))
}
