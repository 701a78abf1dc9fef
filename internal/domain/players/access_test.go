package players_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestPlayersCallAndOwnersManage calls every method of the Service as every kind of caller: calls of players need only a token.
func TestPlayersCallAndOwnersManage(t *testing.T) {
	t.Parallel()
	known := func(s *testworld.Scene) players.Visit {
		return players.Visit{Project: s.Project, Token: sandlot.DigestOf([]byte("ada"))}
	}
	played := func(s *testworld.Scene) {
		_, err := s.Runtime.Players.Save(t.Context(), sandlot.Caller{}, known(s), "main", []byte("1"))
		expect.OK(t, err)
		_, err = s.Runtime.Players.Share(t.Context(), sandlot.Caller{}, known(s), "key", []byte("1"))
		expect.OK(t, err)
	}
	everybody := func(testworld.Seen) error { return nil }
	read := func(call func(*testworld.Scene, sandlot.Caller, players.Visit) error) testworld.Gate {
		return testworld.Gate{Call: func(s *testworld.Scene, by sandlot.Caller) error { return call(s, by, known(s)) }, Want: everybody}
	}
	// A write without a token is refused before it stores anything.
	write := func(call func(*testworld.Scene, sandlot.Caller, players.Visit) error) testworld.Gate {
		return testworld.Gate{
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return call(s, by, players.Visit{Project: s.Project})
			},
			Want: func(testworld.Seen) error { return sandlot.CodePlayerRequired },
		}
	}
	testworld.CheckAccess(t, reflect.TypeFor[*players.Service](), played, map[string]testworld.Gate{
		"Hello": read(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Hello(t.Context(), by, v))
		}),
		"Saves": read(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Saves(t.Context(), by, v))
		}),
		"Load": read(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Load(t.Context(), by, v, "main"))
		}),
		"SharedKeys": read(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.SharedKeys(t.Context(), by, v, ""))
		}),
		"LoadShared": read(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.LoadShared(t.Context(), by, v, "key"))
		}),
		"Save": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Save(t.Context(), by, v, "main", []byte("2")))
		}),
		"DeleteSave": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return s.Runtime.Players.DeleteSave(t.Context(), by, v, "main")
		}),
		"Share": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Share(t.Context(), by, v, "key", []byte("2")))
		}),
		"DeleteShared": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return s.Runtime.Players.DeleteShared(t.Context(), by, v, "key")
		}),
		"Rename": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Rename(t.Context(), by, v, "Ada"))
		}),
		"Code": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Code(t.Context(), by, v))
		}),
		"Resume": write(func(s *testworld.Scene, by sandlot.Caller, v players.Visit) error {
			return second(s.Runtime.Players.Resume(t.Context(), by, v, "acorn acorn acorn acorn"))
		}),
		"Usage": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return second(s.Runtime.Players.Usage(t.Context(), by, string(s.Project.ID)))
			},
			Want: testworld.OwnerAlone,
		},
		"RemovePlayer": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Runtime.Players.RemovePlayer(t.Context(), by, string(s.Project.ID), "nobody", false)
			},
			Want: func(seen testworld.Seen) error {
				switch err := testworld.OwnerAlone(seen); {
				case seen.State == "account suspended" && (testworld.Kims[seen.Who] || seen.Who == "the key of another project"):
					return sandlot.CodeAccountSuspended
				case err != nil:
					return err
				}
				return sandlot.CodeNotFound
			},
		},
		// It returns warnings of the caller's own account alone.
		"Warn": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return second(s.Runtime.Players.Warn(t.Context(), by, s.Project.ID))
			},
			Want: everybody,
		},
	})
}

func second[T any](_ T, err error) error { return err }
