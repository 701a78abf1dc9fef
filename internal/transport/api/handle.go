package api

import (
	"sandlot/internal/base/failpoint"
	"sandlot/internal/transport/intake"
)

// takes is what all endpoints with a body have in common: read the body once,
// staging its content as it comes; decode the fields; make one call of the
// Service; answer.
func takes[In any](decode func(*intake.Fields) In, do func(*API, *call, In) (reply, error)) func(*API, *call) error {
	return func(a *API, c *call) error {
		return intake.Take(a.Intake, c.Call, decode, func(in In) error {
			re, err := do(a, c, in)
			if err != nil {
				return err
			}
			failpoint.Hit(failpoint.BeforeAnswer)
			return c.answer(re)
		})
	}
}
