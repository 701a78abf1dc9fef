package judge_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/testkit/testworld"
)

func TestOnlyTheOperatorReadsVerdicts(t *testing.T) {
	t.Parallel()
	testworld.CheckAccess(t, reflect.TypeFor[*judge.Service](), nil, map[string]testworld.Gate{
		"Verdicts": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				service := judge.Service{Store: s.DB.Operate().Verdicts()}
				_, err := service.Verdicts(t.Context(), by, judge.Query{Limit: 1})
				return err
			},
			Want: func(seen testworld.Seen) error {
				if seen.Who == "the operator" {
					return nil
				}
				return sandlot.ErrOperatorNeeded
			},
		},
	})
}
