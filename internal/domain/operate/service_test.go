package operate_test

import (
	"errors"
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/testworld"
)

// TestOnlyTheOperatorOperates calls every method of the Service, found by reflection, as every kind of caller.
func TestOnlyTheOperatorOperates(t *testing.T) {
	t.Parallel()
	forAnybody := map[string]bool{"Reportable": true, "Report": true}
	service, gates := reflect.TypeFor[*operate.Service](), map[string]testworld.Gate{}
	for i := range service.NumMethod() {
		name := service.Method(i).Name
		gates[name] = testworld.Gate{
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				if err := call(t, s, i, by); errors.Is(err, sandlot.ErrOperatorNeeded) {
					return err
				}
				return nil // whatever became of arguments that mean nothing
			},
			Want: func(seen testworld.Seen) error {
				if forAnybody[name] || seen.Who == "the operator" {
					return nil
				}
				return sandlot.ErrOperatorNeeded
			},
		}
	}
	testworld.CheckAccess(t, service, nil, gates)
}

// call calls a method with the project's id for each text, and with nothing for each other argument.
func call(t *testing.T, s *testworld.Scene, method int, by sandlot.Caller) error {
	m := reflect.ValueOf(s.Operate).Method(method)
	args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(by)}
	for in := 2; in < m.Type().NumIn(); in++ {
		arg := reflect.New(m.Type().In(in)).Elem()
		if arg.Kind() == reflect.String {
			arg.SetString(string(s.Project.ID))
		}
		args = append(args, arg)
	}
	results := m.Call(args)
	err, _ := results[len(results)-1].Interface().(error)
	return err
}
