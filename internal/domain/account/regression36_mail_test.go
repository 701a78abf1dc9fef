package account

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegression36AJobThatFailsBeforeItIsSentStarvesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, jobs, m := newCourier(t, io.Discard)
		c.AtOnce, c.Failures = 1, &worker.Failures{}
		broken := errors.New("broken")
		jobs.moved["bad@example.org"] = broken
		bad := jobs.add("bad@example.org")
		jobs.add("good@example.org")
		if err := c.SendDue(t.Context()); !errors.Is(err, broken) || len(m.sent) != 1 || m.sent[0].To != "good@example.org" {
			t.Fatalf("%v sent, %v", m.sent, err)
		}
		if j := jobs.jobs[bad]; j.Attempts != 1 || time.Until(j.Due) != mailWait {
			t.Errorf("%d attempts, again in %v", j.Attempts, time.Until(j.Due))
		}
		for range 4 * mailTries {
			testenv.Pass(mailWaitMax)
			_ = c.SendDue(t.Context())
		}
		if len(jobs.jobs) != 0 || c.Failures.Count() != mailTries {
			t.Errorf("%d jobs left after %d failures", len(jobs.jobs), c.Failures.Count())
		}
	})
}

func TestRegression36AMessageThatPanicsEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, jobs, m := newCourier(t, io.Discard)
		c.AtOnce, c.Failures = 1, &worker.Failures{}
		send := c.Mailer
		c.Mailer = mailerFunc(func(ctx context.Context, mail Mail) error {
			if mail.To == "bad@example.org" {
				panic("poison")
			}
			return send.Send(ctx, mail)
		})
		bad := jobs.add("bad@example.org")
		jobs.add("good@example.org")
		if err := c.SendDue(t.Context()); err == nil || len(m.sent) != 1 {
			t.Fatalf("%v sent, %v", m.sent, err)
		}
		if j := jobs.jobs[bad]; j.Attempts != 1 || c.Failures.Count() != 1 {
			t.Errorf("%d attempts, %d failures", j.Attempts, c.Failures.Count())
		}
	})
}

type mailerFunc func(context.Context, Mail) error

func (f mailerFunc) Send(ctx context.Context, m Mail) error { return f(ctx, m) }

func TestRegression36AMessageThatCouldNotBeSettledIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, jobs, m := newCourier(t, io.Discard)
		jobs.add("ada@example.org")
		jobs.fail = sandlot.ErrUnavailable
		for range 3 {
			if err := c.SendDue(t.Context()); !errors.Is(err, sandlot.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
			testenv.Pass(2 * mailLease)
		}
		jobs.fail = nil
		send(t, c)
		if len(m.sent) != 1 || len(jobs.jobs) != 0 || len(jobs.mails) == 0 {
			t.Errorf("%d sent, %d jobs left, %d counted", len(m.sent), len(jobs.jobs), len(jobs.mails))
		}
		expect.Equal(t, "jobs are remembered", len(c.sent), 0)
	})
}
