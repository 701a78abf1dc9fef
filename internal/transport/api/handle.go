package api

import (
	"sandlot/internal/base/failpoint"
	"sandlot/internal/transport/intake"
)

// takes returns the handler of an endpoint with a body: it reads the body once, staging its content as it arrives,
// decodes the fields, makes one call of the Service and answers.
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
