package boards_test

import (
	"reflect"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestScoresAreForEverybodyAndBoardsForOwners calls every method of the Service as every kind of caller.
func TestScoresAreForEverybodyAndBoardsForOwners(t *testing.T) {
	t.Parallel()
	visit := func(s *testworld.Scene) players.Visit {
		return players.Visit{Project: s.Project, Token: sandlot.DigestOf([]byte("ada"))}
	}
	place := func(s *testworld.Scene, by sandlot.Caller) error {
		in := boards.Score{Score: 1, Since: players.Stamp(s.Vault(), visit(s), s.Now().Add(-time.Minute))}
		_, err := s.Runtime.Boards.Place(t.Context(), by, visit(s), in)
		return err
	}
	prepare := func(s *testworld.Scene) { expect.OK(t, place(s, sandlot.Caller{})) }
	everybody := func(testworld.Seen) error { return nil }
	id := func(s *testworld.Scene) string { return string(s.Project.ID) }
	testworld.CheckAccess(t, reflect.TypeFor[*boards.Service](), prepare, map[string]testworld.Gate{
		"Place": {Call: place, Want: everybody},
		"Top": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Runtime.Boards.Top(t.Context(), by, visit(s), boards.Query{})
				return err
			},
			Want: everybody,
		},
		"List": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Runtime.Boards.List(t.Context(), by, id(s))
				return err
			},
			Want: taken,
		},
		"MovedToday": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Runtime.Boards.MovedToday(t.Context(), by, 9)
				return err
			},
			Want: everybody,
		},
		"Board": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, _, err := s.Runtime.Boards.Board(t.Context(), by, id(s), boards.Query{})
				return err
			},
			Want: owner(false),
		},
		"Amend": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Runtime.Boards.Amend(t.Context(), by, id(s), "main", boards.Change{Reset: true})
				return err
			},
			Want: owner(true),
		},
		"Delete": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Runtime.Boards.Delete(t.Context(), by, id(s), "main")
			},
			Want: owner(true),
		},
	})
}

// taken lets everybody in, except to a project that was taken down.
func taken(seen testworld.Seen) error {
	if seen.State != "active" {
		return sandlot.CodeTakenDown
	}
	return nil
}

// owner lets only the owner in.
func owner(changes bool) func(testworld.Seen) error {
	return func(seen testworld.Seen) error {
		if changes && seen.State == "account suspended" && (seen.Who == "the key of another project" || testworld.Kims[seen.Who]) {
			return sandlot.CodeAccountSuspended
		}
		return testworld.OwnerAlone(seen)
	}
}
