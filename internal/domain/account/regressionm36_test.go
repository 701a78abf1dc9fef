package account_test

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM36WhoAsksTooOftenIsTold: the fourth message of a day was dropped, and the page said that it was sent. A
// network learns what it asked for itself, and nothing about the address.
func TestRegressionM36WhoAsksTooOftenIsTold(t *testing.T) {
	t.Parallel()
	const kim = "kim@example.org"
	w := newWorld(t)
	w.member(kim)
	ask := func(email, network, known string) error {
		_, err := w.AskLogin(t.Context(), from(network), account.LoginInput{Email: email, Known: known})
		return err
	}
	word, err := w.Remember(t.Context(), nobody(), "", kim)
	if err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{kim, "nobody-has-this@example.org"} {
		for range 3 {
			if err := ask(email, "203.0.113.7", ""); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, ask(email, "203.0.113.7", ""), sandlot.CodeRateLimited)
		if err := ask(email, "203.0.113.8", ""); err != nil {
			t.Errorf("another network: %v", err)
		}
	}
	if n := kinds(w.postman())["login"]; n != 4 {
		t.Errorf("%d of 4 messages were sent", n)
	}
	if err := ask(kim, "203.0.113.7", word); err != nil {
		t.Errorf("a browser that was logged in before: %v", err)
	}
	w.clock.move(25 * time.Hour)
	if err := ask(kim, "203.0.113.7", ""); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

// TestRegressionM36AnOwnerWhoProposesOneAddressTooOftenIsTold, for the page promised a message that was dropped.
func TestRegressionM36AnOwnerWhoProposesOneAddressTooOftenIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.owner(w.member("kim@example.org").ID)
	for range 3 {
		w.clock.move(time.Minute)
		expect.OK(t, w.ProposeEmail(t.Context(), by, "new@example.org", ""))
	}
	w.clock.move(time.Minute)
	refused(t, w.ProposeEmail(t.Context(), by, "new@example.org", ""), sandlot.CodeRateLimited)
	expect.OK(t, w.ProposeEmail(t.Context(), by, "other@example.org", ""))
}
