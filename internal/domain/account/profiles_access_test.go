package account_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsLetInToPeople calls every method of the Service as every kind of caller: anybody may look, and the owner alone, in a session, has a say.
func TestWhoIsLetInToPeople(t *testing.T) {
	t.Parallel()
	session := func(changes bool) func(testworld.Seen) error {
		return func(seen testworld.Seen) error {
			switch {
			case seen.Who != "the owner's session" && seen.Who != "another's session":
				return sandlot.ErrLoginNeeded
			case changes && seen.Who == "the owner's session" && seen.State == "account suspended":
				return sandlot.CodeAccountSuspended
			}
			return nil
		}
	}
	testworld.CheckAccess(t, reflect.TypeFor[*account.Profiles](), nil, map[string]testworld.Gate{
		"Person": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := account.NewProfiles(s.DB.People()).Person(t.Context(), by, s.Kim.Handle)
				return err
			},
			Want: func(seen testworld.Seen) error {
				if seen.State == "account suspended" || seen.State == "account suspended meanwhile" {
					return sandlot.ErrNotFound
				}
				return nil
			},
		},
		"Own": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := account.NewProfiles(s.DB.People()).Own(t.Context(), by)
				return err
			},
			Want: session(false),
		},
		"Describe": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := account.NewProfiles(s.DB.People()).Describe(t.Context(), by, account.Words{Line: "Hello"})
				return err
			},
			Want: session(true),
		},
	})
}
