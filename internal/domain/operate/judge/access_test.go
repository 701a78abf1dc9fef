package judge_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/testkit/testworld"
)

// TestOnlyTheOperatorReadsAndReversesVerdicts calls every method as every kind of caller.
func TestOnlyTheOperatorReadsAndReversesVerdicts(t *testing.T) {
	t.Parallel()
	of := func(s *testworld.Scene) *judge.Service {
		return &judge.Service{Store: s.DB.Operate().Verdicts(), Now: s.Now}
	}
	wanted := func(otherwise error) func(testworld.Seen) error {
		return func(seen testworld.Seen) error {
			if seen.Who == "the operator" {
				return otherwise
			}
			return sandlot.ErrOperatorNeeded
		}
	}
	testworld.CheckAccess(t, reflect.TypeFor[*judge.Service](), nil, map[string]testworld.Gate{
		"Verdicts": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := of(s).Verdicts(t.Context(), by, judge.Query{Limit: 1})
				return err
			},
			Want: wanted(nil),
		},
		"Reverse": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				return of(s).Reverse(t.Context(), by, s.Project.ID, "")
			},
			Want: wanted(sandlot.ErrNotFound), // there is no verdict
		},
	})
}
