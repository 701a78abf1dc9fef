package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// mail sends what is due, which are links that verify an address, and returns their tokens.
func (w *world) mail() []string { w.t.Helper(); return w.in.VerifyTokens() }

// email returns the account's address as whoami has it.
func (w *world) email(by sandlot.Caller) (string, bool) { w.t.Helper(); return w.in.Email(by) }

func TestEmailOnAKeyedCall(t *testing.T) {
	t.Parallel()
	// Each call that takes an email, on a project that has a file to delete.
	calls := map[string]func(w *world, by sandlot.Caller, id sandlot.ProjectID, email string) ([]sandlot.Warning, error){
		"publish": func(w *world, by sandlot.Caller, _ sandlot.ProjectID, email string) ([]sandlot.Warning, error) {
			out, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Email: email, Title: "Of " + email, Content: w.stage(page + email)})
			return out.Warnings, err
		},
		"update": func(w *world, by sandlot.Caller, id sandlot.ProjectID, email string) ([]sandlot.Warning, error) {
			out, _, err := w.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "b", Email: email, Content: w.stage(page)})
			return out.Warnings, err
		},
		"delete-file": func(w *world, by sandlot.Caller, id sandlot.ProjectID, email string) ([]sandlot.Warning, error) {
			w.put(by, id, "a", "x")
			out, err := w.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a", Email: email})
			return out.Warnings, err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
			by := w.account()
			out := w.publish(by, page)
			id := out.Project.ID
			scoped := w.caller(out.Keys.Project)
			if name != "publish" {
				t.Run("a project key changes nothing, with a warning", func(t *testing.T) {
					warnings, err := call(w, scoped, id, address)
					if err != nil || len(w.mail()) != 0 {
						t.Errorf("mail, or %v", err)
					}
					expect.Same(t, "warnings", codes(warnings), []string{"email_ignored"})
				})
			}
			t.Run("with an account key and no verified address it is set pending and the link is sent", func(t *testing.T) {
				warnings, err := call(w, by, id, "Ada@mail.internal")
				expect.OK(t, err)
				expect.Same(t, "warnings", codes(warnings), nil)
				if email, verified := w.email(by); !strings.EqualFold(email, address) || verified {
					t.Errorf("%s, verified %v", email, verified)
				}
			})
			tokens := w.mail()
			if len(tokens) != 1 {
				t.Fatalf("%d links", len(tokens))
			}
			_, err := w.Verify(t.Context(), nobody(), tokens[0])
			expect.OK(t, err)
			t.Run("with a verified address it is ignored with a warning", func(t *testing.T) {
				warnings, err := call(w, by, id, "eve@example.org")
				if err != nil || len(w.mail()) != 0 {
					t.Errorf("mail, or %v", err)
				}
				expect.Same(t, "warnings", codes(warnings), []string{"email_ignored"})
				if email, verified := w.email(by); !strings.EqualFold(email, address) || !verified {
					t.Errorf("%s, verified %v", email, verified)
				}
			})
		})
	}
}
