package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/base/meter"
	"sandlot/internal/base/worker"
)

// Limits of the courier.
const (
	// mailTries: with the waits below 20 hours. RFC 5321, 4.5.4.1, wants 4-5 days of a relay; but a link lives for one,
	// and the relay that took the message goes on.
	mailTries   = 12
	mailWait    = time.Minute // before the second try; doubles up to mailWaitMax
	mailWaitMax = JobWaitMax
	mailLease   = 5 * time.Minute // a job whose courier died is tried again after it
	mailTimeout = 2 * time.Minute // for one message, from connecting to the server's answer
	mailPoll    = time.Second     // a message leaves about a second after the answer
	// mailUnsettled bounds the jobs that are remembered as sent because their records could not be removed.
	mailUnsettled = 10_000
)

// JobWaitMax is the longest that a job waits for its next try. A job that seems to wait
// longer got its time from a wrong clock, and counts as due.
const JobWaitMax = 6 * time.Hour

// A Courier sends the messages of jobs. Sending begins after the call that recorded the job has been answered. A
// message that the mail server does not take is tried up to 12 times over about 20 hours, across restarts. Several
// messages are under way at once, logins first, so a slow mail server delays only messages to its own domain.
//
// All fields but Server, AtOnce, Uncounted and Failures are needed, and none may change once Run has begun. Only one
// Run or SendDue may be under way in a Courier. Any number of processes may each run a Courier on the same store: a job
// is claimed before it is sent.
type Courier struct {
	Store  MailStore
	Vault  *sandlot.Vault
	Mailer Mailer
	Server *MailServer // records whether messages get through; nil: not recorded
	Places sandlot.Places
	Log    *slog.Logger
	Now    func() time.Time
	AtOnce int // messages under way at once; 0: mailsAtOnce
	// Uncounted means that a mailbox gets all messages, however many: the instance is local.
	Uncounted bool
	// Failures counts messages that were not sent on time.
	Failures *worker.Failures
	// Outcomes counts the ends of tries; nil: they are not counted.
	Outcomes *meter.Counts[MailTry]

	mu   sync.Mutex
	sent map[int64]time.Time // times of sent messages whose jobs could not be updated
}

// Run sends the messages that are due, about a second after they became due, until ctx ends. It returns when the
// messages under way have ended. Failures are logged and counted; none ends it.
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
		switch err = errors.Join(err, r.fill(ctx)); {
		case err == nil:
			c.Failures.Worked()
		case ctx.Err() == nil:
			c.Log.Warn("mail not sent", "error", err)
		}
	}
}

// SendDue sends every message that is due now and returns when none is under way any more. A message that fails holds
// up no other. The error joins those of all messages that failed.
func (c *Courier) SendDue(ctx context.Context) error {
	r := c.newRound()
	var failed worker.Errors
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

// deliver sends the message of one job, or removes the job if its message must not be sent. A job that fails before
// there is a message is put off and given up like one whose message the server did not take.
func (c *Courier) deliver(ctx context.Context, j sandlot.Job) error {
	err := worker.Guarded(func() error { return c.try(ctx, j) })
	if err == nil || ctx.Err() != nil || errors.Is(err, errUnsettled) {
		return err
	}
	c.Failures.Add(1)
	return errors.Join(err, c.putOff(ctx, j, err))
}

// errUnsettled means that the outcome of a message could not be recorded. The job is due again when its lease ends; it
// is then recorded without sending the message again.
var errUnsettled = errors.New("not settled")

// try makes one try at a job: it drops a job whose message is unwanted or has lost its purpose, and sends the message
// otherwise.
func (c *Courier) try(ctx context.Context, j sandlot.Job) error {
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
		c.Outcomes.Add(MailTry{j.Kind, MailDropped})
		return c.drop(ctx, j, now)
	}
	m, err := c.write(ctx, j, now)
	if errors.Is(err, sandlot.ErrMoved) || errors.Is(err, sandlot.ErrNotFound) {
		c.Outcomes.Add(MailTry{j.Kind, MailDropped})
		return c.drop(ctx, j, now) // another address was given since, or nobody can log in with this one
	}
	if err != nil {
		return err
	}
	if err := c.addNotMe(j, &m); err != nil {
		return err
	}
	return c.send(ctx, j, m)
}

// unwanted returns the reason why a message must not be sent, for the log; empty if it may be. Then the message has
// been counted in its mailbox's shares. Checking and counting are one step, so that several couriers together do not
// send more than the shares allow.
func (c *Courier) unwanted(ctx context.Context, j sandlot.Job, now time.Time) (why string, err error) {
	stopped, err := c.stopped(ctx, j, now)
	if err != nil || stopped {
		return "mailbox opted out", err
	}
	if c.Uncounted {
		return "", nil
	}
	err = c.Store.CountMail(ctx, j.ID, sharesOf(j), now, now.Add(-sandlot.MailDay))
	if errors.Is(err, ErrTooOften) {
		return "daily limit of this mailbox reached", nil
	}
	return "", err
}

// send hands a message to the mail server within mailTimeout, and records the outcome.
func (c *Courier) send(ctx context.Context, j sandlot.Job, m Mail) error {
	limited, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	err := c.Mailer.Send(limited, m)
	if err == nil || ctx.Err() == nil {
		c.Server.note(err, c.Log)
	}
	failpoint.Hit(failpoint.MidMail)
	// A sent message is settled also while the program stops, or it would be sent again.
	settle := context.WithoutCancel(ctx)
	if err == nil {
		c.Outcomes.Add(MailTry{j.Kind, MailSent})
		return c.settle(settle, j, c.Now().UTC())
	}
	c.Failures.Add(1)
	return unsettled(c.putOff(settle, j, err))
}

// settle removes a job whose message was sent at a time. If that fails, the job is remembered in memory and settled
// before any other is claimed: a mailbox must not get the same message with every try while the database cannot be
// written, nor from another process, which has the job when its lease ends.
func (c *Courier) settle(ctx context.Context, j sandlot.Job, at time.Time) error {
	err := c.Store.FinishJob(ctx, j, true, at)
	if errors.Is(err, sandlot.ErrNotFound) {
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

// settleSent settles the jobs that are remembered as sent. A job that no longer exists was settled when that seemed to
// fail.
func (c *Courier) settleSent(ctx context.Context) error {
	c.mu.Lock()
	left := maps.Clone(c.sent)
	c.mu.Unlock()
	for job, at := range left {
		if err := c.settle(ctx, sandlot.Job{ID: job}, at); err != nil {
			return err
		}
	}
	return nil
}

// wasSent reports whether the message of a job was sent, and when.
func (c *Courier) wasSent(job int64) (at time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok = c.sent[job]
	return at, ok
}

// unsettled marks err as errUnsettled. It keeps nil.
func unsettled(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errUnsettled, err)
}

// putOff makes a job due again after a wait that doubles with each try, from mailWait to mailWaitMax. After mailTries
// tries, or if the server refused the message for good, it drops the job.
func (c *Courier) putOff(ctx context.Context, j sandlot.Job, why error) error {
	now := c.Now().UTC()
	if errors.Is(why, ErrRefused) || j.Attempts+1 >= mailTries {
		c.Outcomes.Add(MailTry{j.Kind, MailFailed})
		c.Log.Warn("gave up sending mail", "job", j.ID, "attempts", j.Attempts+1, "error", why)
		return c.drop(ctx, j, now)
	}
	wait := waitAfter(j.Attempts)
	c.Outcomes.Add(MailTry{j.Kind, MailPutOff})
	c.Log.Warn("mail not sent, will retry", "job", j.ID, "attempts", j.Attempts+1, "retry_in_seconds", wait.Seconds(), "error", why)
	return gone(c.Store.RetryJob(ctx, j, now.Add(wait)))
}

// waitAfter returns the wait after a failed try that followed so many others.
func waitAfter(tries int) time.Duration { return min(mailWait<<min(tries, 20), mailWaitMax) }

// Waited returns the time for which a job has been put off after so many tries.
func Waited(tries int) (all time.Duration) {
	for n := range min(tries, mailTries) {
		all += waitAfter(n)
	}
	return all
}

// drop removes a job whose message is never sent, and takes it out of the mailbox's shares.
func (c *Courier) drop(ctx context.Context, j sandlot.Job, now time.Time) error {
	return gone(c.Store.FinishJob(ctx, j, false, now))
}

// gone keeps every error but sandlot.ErrNotFound: a job that no longer exists went with its account, and nothing is
// left to do for it.
func gone(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}

// write makes the message of a job by its kind, and records the hash of the token in its link.
// sandlot.ErrMoved and sandlot.ErrNotFound mean that the message has lost its purpose.
func (c *Courier) write(ctx context.Context, j sandlot.Job, now time.Time) (Mail, error) {
	switch j.Kind {
	case MailLogin:
		return c.writeLogin(ctx, j, now)
	case MailEmailChange, MailEmailNotice:
		return c.writeMove(ctx, j, now)
	case sandlot.MailReport:
		return c.writeReport(ctx, j)
	case sandlot.MailDecision:
		return c.writeDecision(ctx, j)
	case sandlot.MailOutcome:
		return c.writeOutcome(ctx, j)
	}
	return c.writeVerify(ctx, j, now)
}

// writeVerify mints the token of a verification and puts it into a link. Only its hash
// is kept, so that a message that is tried again carries a new one.
func (c *Courier) writeVerify(ctx context.Context, j sandlot.Job, now time.Time) (Mail, error) {
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
	m := Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Handle: handle, Link: link}
	list, err := c.Store.Projects(ctx, j.Account, 0, 1)
	if len(list) > 0 {
		m.Project, m.Page = projectName(list[0]), c.Places.Project(list[0].ID, list[0].Version, list[0].Suffix).Page
	}
	return m, err
}

// maxNamed is the most characters of a title in a message.
const maxNamed = 60

// projectName returns the name of a project in a message: its title or, if mail programs could make a link of that, its
// id. Anybody can have a title sent to any address.
func projectName(p sandlot.Project) string {
	title := []rune(p.Title)
	if len(title) == 0 || strings.ContainsAny(p.Title, "@/\\<>") || linkLike.MatchString(p.Title) {
		return string(p.ID)
	}
	if len(title) > maxNamed {
		return string(title[:maxNamed-1]) + "…"
	}
	return p.Title
}

// linkLike matches text that looks like the name of a host, or a number to call.
var linkLike = regexp.MustCompile(`[^\s.。．｡][.。．｡][^\s.。．｡]|:\S|\d[\d\s()-]{5,}\d`)
