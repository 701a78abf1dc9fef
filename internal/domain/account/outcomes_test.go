package account

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestTriesAtMessagesAreCountedByTheirOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, jobs, m := newCourier(t, io.Discard)
		c.Outcomes = NewMailOutcomes()
		m.answer = func(try int) error { return []error{errors.New("451 later"), nil, ErrRefused}[try-1] }
		jobs.moved["gone@example.org"] = sandlot.ErrMoved
		jobs.add("ada@example.org")
		_ = c.SendDue(t.Context())
		testenv.Pass(time.Minute)
		_ = c.SendDue(t.Context())
		jobs.add("bob@example.org")
		_ = c.SendDue(t.Context())
		jobs.add("gone@example.org")
		_ = c.SendDue(t.Context())
		for _, outcome := range []string{MailPutOff, MailSent, MailFailed, MailDropped} {
			expect.Equal(t, outcome, c.Outcomes.Get(MailTry{sandlot.MailVerify, outcome}), 1)
		}
	})
}

func TestWaitedIsTheSumOfTheWaitsSoFar(t *testing.T) {
	expect.Equal(t, "before a try", Waited(0), 0)
	expect.Equal(t, "after three", Waited(3), 7*time.Minute)
	expect.Equal(t, "after more than there are", Waited(100), Waited(mailTries))
}
