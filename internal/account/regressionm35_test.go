package account_test

import (
	"fmt"
	"slices"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

// TestRegressionM35NoAnswerPromisesAMessageThatIsDropped: four publishes with one address said that a message was on its
// way, and two were sent.
func TestRegressionM35NoAnswerPromisesAMessageThatIsDropped(t *testing.T) {
	t.Parallel()
	const kim = "kim@example.org"
	w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
	promised := 0
	count := func(mailed bool, warnings []publish.Warning) {
		limited := slices.ContainsFunc(warnings, func(w publish.Warning) bool { return w.Code == "mail_limit" })
		if mailed == limited {
			t.Errorf("sent is %v, with warnings %+v", mailed, warnings)
		}
		if mailed {
			promised++
		}
	}
	stranger := from("203.0.113.7")
	for i := range 2 {
		for again := range 2 { // the second answer is that of the record
			in := publish.PublishInput{Email: kim, Content: w.in.Stage(page), Idempotency: fmt.Sprint("publish", i)}
			out, _, err := w.Publish(t.Context(), stranger, in)
			expect.OK(t, err)
			expect.Same(t, "replayed", out.FromRecord, again == 1)
			if again == 0 {
				count(out.Mailed, out.Warnings)
			}
		}
	}
	for i := range 2 {
		var said [2]bool
		for again := range 2 {
			out, err := w.Signup(t.Context(), stranger, publish.SignupInput{Email: kim, Idempotency: fmt.Sprint("signup", i)})
			expect.OK(t, err)
			if said[again] = out.Mailed; again == 0 {
				count(out.Mailed, out.Warnings)
			}
		}
		expect.Same(t, "the answer of the record", said[1], said[0])
	}
	expect.Same(t, "sent", len(w.postman()), promised)
	expect.Same(t, "promised", promised, 2)
	by := w.account()
	for range 4 {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Email: "lee@example.org", Content: w.in.Stage(page)})
		expect.OK(t, err)
		count(out.Mailed, out.Warnings)
	}
	expect.Same(t, "sent", len(w.postman()), promised-2)
	if address, _ := w.email(by); address != "lee@example.org" {
		t.Errorf("the address is %q", address)
	}
}
