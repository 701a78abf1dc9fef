package trial_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsToldOfTrials calls every method of the Service as every kind of caller: a caller who may list the versions of a project gets them.
func TestWhoIsToldOfTrials(t *testing.T) {
	t.Parallel()
	broken := func(s *testworld.Scene) {
		due, err := s.DB.Trials().ClaimTrial(t.Context(), 2, 50, time.Minute)
		for ; err == nil && due.Project != s.Project.ID; due, err = s.DB.Trials().ClaimTrial(t.Context(), 2, 50, time.Minute) {
			continue
		}
		if err == nil {
			expect.OK(t, s.DB.Trials().EndTrial(t.Context(), due, trial.Done, []byte(`{"blank":true}`)))
		}
	}
	testworld.CheckAccess(t, reflect.TypeFor[*trial.Service](), broken, map[string]testworld.Gate{
		"Checks": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Trials.Checks(t.Context(), by, string(s.Project.ID))
				return err
			},
			Want: wanted,
		},
		"Await": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := s.Trials.Await(t.Context(), by, trial.Checks{Project: s.Project}, 0)
				return err
			},
			Want: func(seen testworld.Seen) error {
				if owner := warningsWanted(seen) == errWarned; owner {
					return nil // the project is as it was read
				}
				return wanted(seen)
			},
		},
		"After": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, warnings, err := s.Trials.After(t.Context(), by, s.Project, s.Project.Version)
				return warned(warnings, err)
			},
			Want: warningsWanted,
		},
		"Warnings": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return warned(s.Trials.Warnings(t.Context(), by, s.Project))
			},
			Want: warningsWanted,
		},
	})
}

func wanted(seen testworld.Seen) error {
	owner := seen.Who == "the account's key" || seen.Who == "the project's key" || seen.Who == "the owner's session"
	switch {
	case seen.Who == "nobody", seen.Who == "the operator":
		return sandlot.CodeKeyRequired
	case seen.Who == "another's session":
		return sandlot.ErrNotFound
	case !owner:
		return sandlot.CodeWrongProject
	case seen.State == "active":
		return nil
	}
	return sandlot.CodeTakenDown
}

// errWarned stands for a warning where a caller gets one.
var errWarned = errors.New("a warning")

func warned(list []sandlot.Warning, err error) error {
	if err == nil && len(list) > 0 {
		return errWarned
	}
	return err
}

// warningsWanted wants a warning for the owner of the project alone.
func warningsWanted(seen testworld.Seen) error {
	switch seen.Who {
	case "the account's key", "the project's key", "the owner's session":
		return errWarned
	}
	return nil
}
