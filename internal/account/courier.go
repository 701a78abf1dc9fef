package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"sandlot/internal/failpoint"
	"sandlot/internal/publish"
)

// Limits of the courier.
const (
	// mailTries: with the waits below 20 hours. RFC 5321, 4.5.4.1, asks for 4-5 days of a relay; but a link lives for one, and the relay that took the message goes on.
	mailTries   = 12
	mailWait    = time.Minute     // before the second try; doubles up to mailWaitMax
	mailWaitMax = JobWaitMax      //
	mailLease   = 5 * time.Minute // a job whose courier died is tried again after it
	mailTimeout = 2 * time.Minute
	mailPoll    = time.Second // a message leaves about a second after the answer
	// mailUnsettled bounds the messages that were sent and are to be settled still: some only while the records cannot be written.
	mailUnsettled = 10_000
)

// JobWaitMax is the longest that a job waits. One that seems to wait longer got its
// time from a wrong clock.
const JobWaitMax = 6 * time.Hour

// Courier sends the messages that the jobs ask for: after the answer, again if
// it fails, also after a restart. It sends several at once, logins first, so that
// no slow mail server holds the others. One Run at a time; any number of couriers
// on other nodes.
type Courier struct {
	Store  MailStore
	Vault  *publish.Vault
	Mailer Mailer
	Server *MailServer // learns whether messages get through; nil: nobody asks
	Places publish.Places
	Log    *slog.Logger
	Now    func() time.Time
	AtOnce int // messages under way at once; 0: mailsAtOnce
	// Failures counts messages that were not sent when they were to be.
	Failures *publish.Failures

	mu   sync.Mutex
	sent map[int64]time.Time // jobs whose message was sent, which could not be recorded: when that was
}

// Run sends until ctx ends.
func (c *Courier) Run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() { c.watch(ctx) })
	defer watching.Wait()
	tick := time.NewTicker(mailPoll)
	defer tick.Stop()
	r := c.newRound()
	for {
		var err error
		select {
		case <-tick.C:
		case e := <-r.ended:
			err = r.end(e)
		case <-ctx.Done():
			_ = r.drain()
			return
		}
		if err = errors.Join(err, r.fill(ctx)); err != nil && ctx.Err() == nil {
			c.Log.Warn("mail not sent", "error", err)
		}
	}
}

// SendDue sends what is due now, and returns when nothing is under way any more. A
// message that fails keeps no other; the error tells all that failed.
func (c *Courier) SendDue(ctx context.Context) error {
	r := c.newRound()
	var failed publish.Errors
	for {
		if err := r.fill(ctx); err != nil {
			failed.Add(err)
			failed.Add(r.drain())
			return failed.Err()
		}
		if r.total == 0 {
			return failed.Err()
		}
		failed.Add(r.end(<-r.ended))
	}
}

// deliver sends the message of one job, or settles that it is not sent. A job that
// fails before is put off like a message that was not taken, and given up like one.
func (c *Courier) deliver(ctx context.Context, j publish.Job) error {
	err := publish.Guarded(func() error { return c.attempt(ctx, j) })
	if err == nil || ctx.Err() != nil || errors.Is(err, errUnsettled) {
		return err
	}
	c.Failures.Add(1)
	return errors.Join(err, c.putOff(ctx, j, err))
}

// errUnsettled: what became of a message is known and could not be recorded. The job
// is due again when its lease ends, and then is settled without another message.
var errUnsettled = errors.New("not settled")

func (c *Courier) attempt(ctx context.Context, j publish.Job) error {
	now := c.Now().UTC()
	if at, sent := c.wasSent(j.ID); sent {
		return c.settle(ctx, j, at)
	}
	drop, err := c.unwanted(ctx, j, now)
	if err != nil {
		return err
	}
	if drop != "" {
		c.Log.Info("mail dropped: "+drop, "job", j.ID)
		return c.drop(ctx, j, now)
	}
	m, err := c.write(ctx, j, now)
	if errors.Is(err, publish.ErrMoved) || errors.Is(err, publish.ErrNotFound) {
		return c.drop(ctx, j, now) // another address was given since, or nobody can log in with this one
	}
	if err != nil {
		return err
	}
	if err := c.addNotMe(&m); err != nil {
		return err
	}
	return c.send(ctx, j, m)
}

// unwanted tells why a message is not sent, empty if it is. Then it is counted: in
// the step that looks whether it may be, so that no number of couriers sends more.
func (c *Courier) unwanted(ctx context.Context, j publish.Job, now time.Time) (why string, err error) {
	stopped, err := c.stopped(ctx, j, now)
	if err != nil || stopped {
		return "mailbox opted out", err
	}
	err = c.Store.CountMail(ctx, j.ID, sharesOf(j), now, now.Add(-mailDay))
	if errors.Is(err, ErrTooOften) {
		return "daily limit of this mailbox reached", nil
	}
	return "", err
}

func (c *Courier) send(ctx context.Context, j publish.Job, m Mail) error {
	limited, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	err := c.Mailer.Send(limited, m)
	if err == nil || ctx.Err() == nil {
		c.Server.note(err, c.Log)
	}
	failpoint.Hit(failpoint.MidMail)
	// What was sent is settled also while the program stops, or it would be sent again.
	settle := context.WithoutCancel(ctx)
	if err == nil {
		return c.settle(settle, j, c.Now().UTC())
	}
	c.Failures.Add(1)
	return unsettled(c.putOff(settle, j, err))
}

// settle removes a job whose message was sent. If that fails it is remembered, for a
// mailbox must not get the same again and again while nothing can be written.
func (c *Courier) settle(ctx context.Context, j publish.Job, at time.Time) error {
	err := c.Store.FinishJob(ctx, j, true, at)
	if errors.Is(err, publish.ErrNotFound) {
		err = nil // it was removed when that seemed to fail
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == nil {
		c.sent = map[int64]time.Time{}
	}
	if err == nil {
		delete(c.sent, j.ID)
	} else if len(c.sent) < mailUnsettled {
		c.sent[j.ID] = at
	}
	return unsettled(err)
}

// wasSent tells whether the message of a job was sent, and when.
func (c *Courier) wasSent(job int64) (at time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok = c.sent[job]
	return at, ok
}

func unsettled(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errUnsettled, err)
}

// putOff lets a job wait, longer with each attempt, or gives it up.
func (c *Courier) putOff(ctx context.Context, j publish.Job, why error) error {
	now := c.Now().UTC()
	if errors.Is(why, ErrRefused) || j.Attempts+1 >= mailTries {
		c.Log.Warn("gave up sending mail", "job", j.ID, "attempts", j.Attempts+1, "error", why)
		return c.drop(ctx, j, now)
	}
	wait := min(mailWait<<min(j.Attempts, 20), mailWaitMax)
	c.Log.Warn("mail not sent, will retry", "job", j.ID, "attempts", j.Attempts+1, "retry_in_seconds", wait.Seconds(), "error", why)
	return gone(c.Store.RetryJob(ctx, j, now.Add(wait)))
}

// drop removes a job whose message is not sent.
func (c *Courier) drop(ctx context.Context, j publish.Job, now time.Time) error {
	return gone(c.Store.FinishJob(ctx, j, false, now))
}

// gone takes a job that is not there for settled: it went with its account.
func gone(err error) error {
	if errors.Is(err, publish.ErrNotFound) {
		return nil
	}
	return err
}

// write makes the message of a job.
func (c *Courier) write(ctx context.Context, j publish.Job, now time.Time) (Mail, error) {
	switch j.Kind {
	case MailLogin:
		return c.writeLogin(ctx, j, now)
	case MailEmailChange, MailEmailNotice:
		return c.writeMove(ctx, j, now)
	case publish.MailReport:
		return c.writeReport(ctx, j)
	}
	return c.writeVerify(ctx, j, now)
}

// writeVerify mints the token of a verification and puts it into a link. Only its hash
// is kept, so that a message that is tried again carries a new one.
func (c *Courier) writeVerify(ctx context.Context, j publish.Job, now time.Time) (Mail, error) {
	token, err := c.Vault.Text(base62, 43) // 256 bits
	if err != nil {
		return Mail{}, fmt.Errorf("mint token: %w", err)
	}
	v := Verification{Token: digest(token), Account: j.Account, Email: j.Address, ExpiresAt: now.Add(verificationLife)}
	handle, err := c.Store.AddVerification(ctx, v)
	if err != nil {
		return Mail{}, err
	}
	link := c.Places.Base.String() + "/verify?token=" + url.QueryEscape(token)
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Handle: handle, Link: link}, nil
}
