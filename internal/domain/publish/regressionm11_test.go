package publish_test

import (
	"errors"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM11APlaceholderIsNoAddressWhereStrangersCome: each call that takes an address refuses it, and nothing is made.
func TestRegressionM11APlaceholderIsNoAddressWhereStrangersCome(t *testing.T) {
	t.Parallel()
	const placeholder = "me@example.com"
	w := newWorld(t, public)
	maker := w.account()
	p := w.publish(maker, page)
	calls := map[string]func(email string) error{
		"publish": func(email string) error {
			_, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Email: email, Content: w.stage(page)})
			return err
		},
		"signup": func(email string) error {
			_, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: email})
			return err
		},
		"update": func(email string) error {
			_, _, err := w.Update(t.Context(), maker, publish.UpdateInput{Project: string(p.Project.ID), Filename: "a.txt", Email: email, Content: w.stage("A")})
			return err
		},
		"delete-file": func(email string) error {
			_, err := w.DeleteFile(t.Context(), maker, publish.DeleteInput{Project: string(p.Project.ID), Filename: "a.txt", Email: email})
			return err
		},
	}
	for _, name := range []string{"publish", "signup", "update", "delete-file"} {
		w.unchanged(t, func() {
			err := calls[name](placeholder)
			if e := sandlot.AsError(err); !errors.Is(err, sandlot.CodeInvalidEmail) || e.Field != "email" {
				t.Errorf("%s with a placeholder: %v", name, err)
			}
		})
		expect.OK(t, calls[name]("ada@mail.internal"), name)
	}
	local := newWorld(t)
	_, _, err := local.Publish(t.Context(), nobody(), publish.PublishInput{Email: placeholder, Content: local.stage(page)})
	expect.OK(t, err, "on a local instance")
}
