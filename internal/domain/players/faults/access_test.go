package faults_test

import (
	"errors"
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestFaultsAndMessagesAreForOwners calls every method of the Service as every kind of caller.
func TestFaultsAndMessagesAreForOwners(t *testing.T) {
	t.Parallel()
	visit := func(s *testworld.Scene, token string) players.Visit {
		return players.Visit{Project: s.Project, Token: sandlot.DigestOf([]byte(token))}
	}
	broken := func(s *testworld.Scene) {
		expect.OK(t, s.Runtime.Faults.Report(t.Context(), sandlot.Caller{}, visit(s, "kim"), "", 0, []faults.Report{{Kind: "error", Message: "x"}}))
		expect.OK(t, s.Runtime.Faults.Pending.Flush(t.Context()))
		expect.OK(t, s.Runtime.Faults.Message(t.Context(), sandlot.Caller{}, visit(s, "kim"), "hello"))
	}
	testworld.CheckAccess(t, reflect.TypeFor[*faults.Service](), broken, map[string]testworld.Gate{
		"Report": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Runtime.Faults.Report(t.Context(), by, visit(s, "kim"), "", 0, []faults.Report{{Kind: "error", Message: "x"}})
			},
			Want: everybody,
		},
		"Message": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Runtime.Faults.Message(t.Context(), by, players.Visit{Project: s.Project}, "hello")
			},
			Want: func(testworld.Seen) error { return sandlot.CodePlayerRequired }, // before it stores anything
		},
		"Errors": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, _, err := s.Runtime.Faults.Errors(t.Context(), by, string(s.Project.ID), 0)
				return err
			},
			Want: testworld.OwnerAlone,
		},
		"Messages": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, _, err := s.Runtime.Faults.Messages(t.Context(), by, string(s.Project.ID), 1, "")
				return err
			},
			Want: testworld.OwnerAlone,
		},
		"DeleteMessage": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Runtime.Faults.DeleteMessage(t.Context(), by, string(s.Project.ID), 1)
			},
			Want: func(seen testworld.Seen) error {
				if seen.State == "account suspended" && (seen.Who == "the key of another project" || testworld.Kims[seen.Who]) {
					return sandlot.CodeAccountSuspended
				}
				return testworld.OwnerAlone(seen)
			},
		},
		"After": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				list, err := s.Runtime.Faults.After(t.Context(), by, s.Project, s.Project.Version)
				if err == nil && len(list) > 0 {
					return errWarned
				}
				return err
			},
			Want: func(seen testworld.Seen) error {
				if testworld.Kims[seen.Who] {
					return errWarned
				}
				return nil
			},
		},
	})
}

// errWarned is the error of a call that returned a warning.
var errWarned = errors.New("a warning")

func everybody(testworld.Seen) error { return nil }
