package publish_test

import (
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// public makes an instance one that strangers come to.
func public(c *publish.Config) { c.Public = true }

// warnedOf are the codes of warnings.
func warnedOf(list []sandlot.Warning) (codes []string) {
	for _, w := range list {
		codes = append(codes, w.Code)
	}
	return codes
}

// TestRegression27PublishTellsThatAProjectIsNotListed: also when the answer is given again.
func TestRegression27PublishTellsThatAProjectIsNotListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public)
	in := publish.PublishInput{Email: "ada@mail.internal", Idempotency: "0123456789abcdef"}
	for _, name := range []string{"the first answer", "the same again"} {
		in.Content = w.stage(page)
		out, _, err := w.Publish(t.Context(), nobody(), in)
		expect.OK(t, err)
		i := slices.Index(warnedOf(out.Warnings), "not_listed")
		if i < 0 || !strings.Contains(out.Warnings[i].Hint, "link in the message") {
			t.Errorf("%s: %+v", name, out.Warnings)
		}
	}
	maker := w.account()
	w.exec("UPDATE accounts SET verified = 1 WHERE id = ?", maker.Account())
	if out := w.publish(maker, page); slices.Contains(warnedOf(out.Warnings), "not_listed") {
		t.Errorf("a verified account was warned: %+v", out.Warnings)
	}
}
