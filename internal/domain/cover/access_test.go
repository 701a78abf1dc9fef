package cover_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsLetInToCovers calls every method of the Service as every kind of caller: pictures are for everybody, and what a picture is made of
// is the business of its owner's session.
func TestWhoIsLetInToCovers(t *testing.T) {
	t.Parallel()
	// own is for the owner's session: to change, only while nothing is suspended.
	own := func(changes bool, taken error) func(testworld.Seen) error {
		return func(seen testworld.Seen) error {
			switch {
			case seen.Who == "another's session" && taken != nil:
				return sandlot.ErrNotFound
			case seen.Who == "another's session":
				return nil
			case seen.Who != "the owner's session":
				return sandlot.ErrLoginNeeded
			case !changes || seen.State == "active" || taken == nil && seen.State == "project suspended":
				return nil
			case taken == nil && seen.State == "account suspended meanwhile":
				return sandlot.ErrSuspended
			case taken == nil:
				return sandlot.CodeAccountSuspended
			}
			return taken
		}
	}
	sent := plain("red", 64, 64)
	owners := func(seen testworld.Seen) error {
		switch {
		case seen.Who == "nobody", seen.Who == "the operator":
			return sandlot.CodeKeyRequired
		case seen.Who == "another's session":
			return sandlot.ErrNotFound
		case seen.Who != "the account's key" && seen.Who != "the project's key" && seen.Who != "the owner's session":
			return sandlot.CodeWrongProject
		}
		return nil
	}
	testworld.CheckAccess(t, reflect.TypeFor[*cover.Service](), nil, map[string]testworld.Gate{
		"Picture": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Covers.Picture(t.Context(), by, "jnone", 320)
				return err
			},
			Want: func(testworld.Seen) error { return sandlot.ErrNotFound },
		},
		"Cover": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Covers.Cover(t.Context(), by, s.Project.ID)
				return err
			},
			Want: own(false, sandlot.CodeTakenDown),
		},
		"Findings": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Covers.Findings(t.Context(), by, s.Project.ID)
				return err
			},
			Want: owners,
		},
		"Shot": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Covers.Shot(t.Context(), by, s.Project.ID)
				return err
			},
			Want: owners,
		},
		"Upload": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Covers.Upload(t.Context(), by, s.Project.ID, strings.NewReader(sent))
			},
			Want: own(true, sandlot.CodeTakenDown),
		},
		"ChooseFile": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				err := s.Covers.ChooseFile(t.Context(), by, s.Project.ID, "a.css")
				if err != nil && strings.Contains(err.Error(), "not a picture") {
					return nil // they were let in
				}
				return err
			},
			Want: own(true, sandlot.CodeTakenDown),
		},
		"ChooseNone": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Covers.ChooseNone(t.Context(), by, s.Project.ID)
			},
			Want: own(true, sandlot.CodeTakenDown),
		},
		"ChooseAutomatic": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Covers.ChooseAutomatic(t.Context(), by, s.Project.ID)
			},
			Want: own(true, sandlot.CodeTakenDown),
		},
		"SetPortrait": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return s.Covers.SetPortrait(t.Context(), by, strings.NewReader(sent))
			},
			Want: own(true, nil),
		},
		"Bring": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Covers.Bring(t.Context(), by, publish.Brought{Account: s.Kim.ID, Portrait: true, Bytes: strings.NewReader(sent)})
				return err
			},
			Want: func(seen testworld.Seen) error {
				switch {
				case seen.Who == "nobody":
					return sandlot.CodeKeyRequired
				case seen.Who == "the operator":
					return nil
				case seen.State == "account suspended" && seen.Who != "another account's key" && seen.Who != "another's session":
					return sandlot.CodeAccountSuspended
				case seen.Who == "the project's key" || strings.Contains(seen.Who, "another project"):
					return sandlot.CodeAccountKeyRequired
				}
				return nil
			},
		},
		"RemovePortrait": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				err := s.Covers.RemovePortrait(t.Context(), by)
				if errors.Is(err, sandlot.ErrSuspended) && by.Account() != s.Kim.ID {
					return nil
				}
				return err
			},
			Want: own(true, nil),
		},
	})
}
