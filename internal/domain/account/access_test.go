package account_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// access lists the callers that a method lets in.
type access int

const (
	anybody  access = iota // it goes by a token or an address that is handed over
	seesOwn                // who has logged in, about their own account, also a suspended one
	endsOwn                // likewise
	changing               // who has logged in to an account that is not suspended
)

// A gate calls a method about Kim's account, and lists the callers that it lets in.
type gate struct {
	access access
	call   func(s *testworld.Scene, by sandlot.Caller) error
}

// gates are all exported methods of the Service, each called about Kim's account as far as it names one.
func gates(ctx context.Context) map[string]gate {
	return map[string]gate{
		"MintBrowser": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.MintBrowser(ctx, by))
		}},
		"AskLogin": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.AskLogin(ctx, by, account.LoginInput{Email: s.Kim.Email}))
		}},
		"PendingLogin": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.PendingLogin(ctx, by, "none"))
		}},
		"LoginLink": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.LoginLink(ctx, by, "none", "none"))
		}},
		"UseLoginLink": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.Logins.UseLoginLink(ctx, by, "none", "none")
		}},
		"UseLoginCode": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.UseLoginCode(ctx, by, "none", "000000"))
		}},
		"LoginAccounts": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.LoginAccounts(ctx, by, "none"))
		}},
		"LoginChoices": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.LoginChoices(ctx, by, "none"))
		}},
		"FinishLogin": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			_, _, err := s.Account.Logins.FinishLogin(ctx, by, "none", s.Kim.Handle, "Firefox")
			return err
		}},
		"Remember": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Logins.Remember(ctx, by, "", s.Kim.Email))
		}},
		"Claim": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Claim(ctx, by, "none"))
		}},
		"Verify": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Verify(ctx, by, "none"))
		}},
		"VerifyHere": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			_, _, err := s.Account.VerifyHere(ctx, by, "none", "Firefox")
			return err
		}},
		"RefuseClaim": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			_, _, err := s.Account.RefuseClaim(ctx, by, "none")
			return err
		}},
		"EmailLink": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.EmailLink(ctx, by, "none", false))
		}},
		"TakeEmail": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.TakeEmail(ctx, by, "none"))
		}},
		"TakeEmailBack": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.TakeEmailBack(ctx, by, "none"))
		}},
		"NotMe": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.NotMe(ctx, by, "none"))
		}},
		"StopMail": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.StopMail(ctx, by, "none"))
		}},
		"AllowMail": {anybody, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.AllowMail(ctx, by, "none"))
		}},

		"Sessions": {seesOwn, func(s *testworld.Scene, by sandlot.Caller) error {
			list, err := s.Account.Sessions(ctx, by)
			for _, l := range list {
				if l.Account != by.Account() {
					err = fmt.Errorf("a session of account %d is shown to %d", l.Account, by.Account())
				}
			}
			return err
		}},
		"ProposedEmail": {seesOwn, func(s *testworld.Scene, by sandlot.Caller) error {
			email, err := s.Account.ProposedEmail(ctx, by)
			if err == nil && (email != "") != (by.Account() == s.Kim.ID) {
				err = fmt.Errorf("account %d sees %q", by.Account(), email)
			}
			return err
		}},
		"Claimants": {seesOwn, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Claimants(ctx, by))
		}},
		"EndSession": {endsOwn, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.EndSession(ctx, by, s.Session)
		}},
		"EndOtherSessions": {endsOwn, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.EndOtherSessions(ctx, by)
		}},
		"DeleteAccount": {endsOwn, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.DeleteAccount(ctx, by, s.Kim.Handle)
		}},
		"HandleFor": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.HandleFor(ctx, by, "fresh"))
		}},
		"Rename": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return second(s.Account.Rename(ctx, by, "fresh"))
		}},
		"SetLang": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.SetLang(ctx, by, "fr")
		}},
		"ProposeEmail": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.ProposeEmail(ctx, by, "third@example.org", "en")
		}},
		"TakeOver": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.TakeOver(ctx, by, "nobody")
		}},
		"Disown": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.Disown(ctx, by, "nobody")
		}},
		"WithdrawEmail": {changing, func(s *testworld.Scene, by sandlot.Caller) error {
			return s.Account.WithdrawEmail(ctx, by)
		}},
	}
}

// TestWhoIsLetInToAnAccount calls every exported method of the Service as every kind of caller.
func TestWhoIsLetInToAnAccount(t *testing.T) {
	t.Parallel()
	all := map[string]testworld.Gate{}
	for name, g := range gates(t.Context()) {
		all[name] = testworld.Gate{Call: g.call, Want: func(seen testworld.Seen) error { return wanted(g.access, name, seen) }}
	}
	testworld.CheckAccess(t, reflect.TypeFor[struct {
		*account.Service
		*account.Logins
	}](), func(s *testworld.Scene) {
		expect.OK(t, s.Account.ProposeEmail(t.Context(), s.OwnerOf(s.Kim.ID), "second@example.org", "en"))
	}, all)
}

// wanted is the error that a caller is to get.
func wanted(a access, method string, seen testworld.Seen) error {
	another := seen.Who == "another's session"
	switch {
	case a == anybody && method != "MintBrowser" && method != "AskLogin" && method != "Remember":
		return sandlot.ErrNotFound // the token leads nowhere, for every caller
	case a == anybody:
		return nil
	case seen.Who != "the owner's session" && !another:
		return sandlot.ErrLoginNeeded
	case another && method == "EndSession":
		return sandlot.ErrNotFound
	case (method == "TakeOver" || method == "Disown") && (another || seen.State != "account suspended"):
		return sandlot.ErrNotFound
	case another && method == "DeleteAccount":
		return sandlot.CodeInvalidField
	case seen.State == "account suspended meanwhile" && (method == "HandleFor" || method == "SetLang" || method == "WithdrawEmail"):
		return nil // one looks, and the others do no harm
	case !another && a == changing && strings.HasPrefix(seen.State, "account suspended"):
		return sandlot.CodeAccountSuspended
	}
	return nil
}

func second[T any](_ T, err error) error { return err }
