package trial_test

import (
	"reflect"
	"testing"

	"sandlot/internal/publish"
	"sandlot/internal/testworld"
	"sandlot/internal/trial"
)

// TestWhoIsToldOfTrials calls every method of the Service as every kind of caller: who may list the versions of a project is told.
func TestWhoIsToldOfTrials(t *testing.T) {
	t.Parallel()
	testworld.CheckAccess(t, reflect.TypeFor[*trial.Service](), nil, map[string]testworld.Gate{
		"Checks": {
			Call: func(s *testworld.Scene, by publish.Caller) error {
				_, err := s.Trials.Checks(t.Context(), by, string(s.Project.ID))
				return err
			},
			Want: wanted,
		},
	})
}

func wanted(seen testworld.Seen) error {
	owner := seen.Who == "the account's key" || seen.Who == "the project's key" || seen.Who == "the owner's session"
	switch {
	case seen.Who == "nobody", seen.Who == "the operator":
		return publish.CodeKeyRequired
	case seen.Who == "another's session":
		return publish.ErrNotFound
	case !owner:
		return publish.CodeWrongProject
	case seen.State == "active":
		return nil
	}
	return publish.CodeTakenDown
}
