package account_test

import (
	"errors"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM25ASuspendedMailboxConfirmsNoOtherAccount: the same page by the same mailbox was in the gallery within seconds.
func TestRegressionM25ASuspendedMailboxConfirmsNoOtherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	_, err := w.Verify(t.Context(), nobody(), w.mail()[0])
	expect.OK(t, err)
	err = w.db.Operate().Suspend(t.Context(), sandlot.Subject{Account: out.Project.Account}, sandlot.LogEntry{At: w.clock.now(), Actor: sandlot.ActorOperator, Action: sandlot.ActionSuspend, Target: "@x"})
	expect.OK(t, err)
	w.publish(nobody(), page)
	link := w.mail()[0]
	if _, err := w.Verify(t.Context(), nobody(), link); !errors.Is(err, sandlot.CodeAccountSuspended) {
		t.Errorf("another account of the mailbox: %v", err)
	}
	expect.OK(t, w.db.Operate().LiftStops(t.Context(), sandlot.MailboxOf(address), sandlot.LogEntry{At: w.clock.now(), Actor: sandlot.ActorOperator, Action: sandlot.ActionAllowMail, Target: "x"}))
	if a, err := w.Verify(t.Context(), nobody(), link); err != nil || !a.EmailVerified {
		t.Errorf("after the operator allowed it: %+v, %v", a, err)
	}
}
