package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"sandlot/internal/failpoint"
)

// Limits of the courier.
const (
	// MailsPerDay is how many messages one mailbox gets from an installation in 24 hours, whoever asks, beside logins; the rest is dropped without telling.
	MailsPerDay = 3
	// mailTries: with the waits below 20 hours. RFC 5321, 4.5.4.1, asks for 4-5 days of a relay; but a link lives for one, and the relay that took the message goes on.
	mailTries   = 12
	mailWait    = time.Minute     // before the second try; doubles up to mailWaitMax
	mailWaitMax = 6 * time.Hour   //
	mailLease   = 5 * time.Minute // a job whose courier died is tried again after it
	mailTimeout = 2 * time.Minute
	mailPoll    = time.Second // a message leaves about a second after the answer
	mailBatch   = 2           // jobs a claim: both end within the lease, so that no other courier sends them too
)

// Courier sends the messages that the jobs ask for: after the answer, again if
// it fails, also after a restart. One Run at a time; any number of couriers on
// other nodes.
type Courier struct {
	Jobs     JobStore
	Logins   LoginStore
	Recovery RecoveryStore
	Reports  ReportStore
	Stops    StopStore
	HashCode func(login int64, code string) Digest // that of the Service
	// NotMeToken is that of the Service.
	NotMeToken func(mail, address string) (string, error)
	Mailer     Mailer
	Places     Places
	Log        *slog.Logger
	Now        func() time.Time
	Random     io.Reader
}

// Run sends until ctx ends.
func (c *Courier) Run(ctx context.Context) {
	tick := time.NewTicker(mailPoll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := c.SendDue(ctx); err != nil && ctx.Err() == nil {
				c.Log.Warn("mail jobs not read", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// SendDue sends what is due now, one message after another.
func (c *Courier) SendDue(ctx context.Context) error {
	for {
		now := c.Now().UTC()
		jobs, err := c.Jobs.ClaimJobs(ctx, now, now.Add(mailLease), mailBatch)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, j := range jobs {
			if err := c.deliver(ctx, j); err != nil {
				return fmt.Errorf("mail job %d: %w", j.ID, err)
			}
		}
	}
}

// deliver sends the message of one job, or settles that it is not sent.
func (c *Courier) deliver(ctx context.Context, j Job) error {
	now := c.Now().UTC()
	mailbox, most := allowance(j)
	drop, err := c.unwanted(ctx, j, mailbox, most, now)
	if err != nil {
		return err
	}
	if drop != "" {
		c.Log.Info("mail dropped: "+drop, "job", j.ID)
		return c.Jobs.FinishJob(ctx, j.ID, mailbox, false, now)
	}
	m, err := c.write(ctx, j, now)
	if errors.Is(err, ErrMoved) || errors.Is(err, ErrNotFound) {
		return c.Jobs.FinishJob(ctx, j.ID, mailbox, false, now) // another address was given since, or nobody can log in with this one
	}
	if err != nil {
		return err
	}
	if err := c.addNotMe(&m); err != nil {
		return err
	}
	return c.send(ctx, j, m, mailbox)
}

// unwanted tells why a message is not sent, empty if it is.
func (c *Courier) unwanted(ctx context.Context, j Job, mailbox Digest, most int, now time.Time) (why string, err error) {
	stopped, err := c.stopped(ctx, j, now)
	if err != nil || stopped {
		return "the mailbox wants none", err
	}
	sent, err := c.Jobs.MailsSince(ctx, mailbox, now.Add(-24*time.Hour))
	if err != nil || sent >= most {
		return "the mailbox had enough today", err
	}
	return "", nil
}

func (c *Courier) send(ctx context.Context, j Job, m Mail, mailbox Digest) error {
	limited, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	err := c.Mailer.Send(limited, m)
	failpoint.Hit(failpoint.MidMail)
	// What was sent is settled also while the program stops, or it would be sent again.
	settle, now := context.WithoutCancel(ctx), c.Now().UTC()
	switch {
	case err == nil:
		return c.Jobs.FinishJob(settle, j.ID, mailbox, true, now)
	case errors.Is(err, ErrRefused) || j.Attempts+1 >= mailTries:
		c.Log.Warn("mail given up", "job", j.ID, "attempts", j.Attempts+1, "error", err)
		return c.Jobs.FinishJob(settle, j.ID, mailbox, false, now)
	}
	wait := min(mailWait<<min(j.Attempts, 20), mailWaitMax)
	c.Log.Warn("mail not sent yet", "job", j.ID, "attempts", j.Attempts+1, "again_in", wait, "error", err)
	return c.Jobs.RetryJob(settle, j.ID, now.Add(wait))
}

// write mints the token of a verification and puts it into a link. Only its hash
// is kept, so that a message that is tried again carries a new one.
func (c *Courier) write(ctx context.Context, j Job, now time.Time) (Mail, error) {
	switch j.Kind {
	case loginMail:
		return c.writeLogin(ctx, j, now)
	case MailEmailChange, MailEmailNotice:
		return c.writeMove(ctx, j, now)
	case reportMail:
		return c.writeReport(ctx, j)
	}
	token, err := randomText(c.Random, base62, 43) // 256 bits
	if err != nil {
		return Mail{}, fmt.Errorf("mint token: %w", err)
	}
	v := Verification{Token: digest([]byte(token)), Account: j.Account, Email: j.Address, ExpiresAt: now.Add(verificationLife)}
	handle, err := c.Jobs.AddVerification(ctx, v)
	if err != nil {
		return Mail{}, err
	}
	link := c.Places.Base.String() + "/verify?token=" + url.QueryEscape(token)
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Handle: handle, Link: link}, nil
}
