package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot"
	"sandlot/internal/base/worker"
)

// Limits of the messages that are under way at once.
const (
	mailsAtOnce    = 8 // connections to the mail server; the usual ones take more from one client
	mailsPerDomain = 2 // under way to one domain, of logins; as many again of all other messages
)

// Busy lists the domains whose due jobs have to wait until messages under way have ended.
type Busy struct {
	Logins, Others []string // domains, in lower case, that have used up their places for logins, or for other messages
	OnlyLogins     bool     // other messages have used up all their places
}

// A lane is a group of messages that share mailsPerDomain places: the logins to one domain, or the other messages.
type lane struct {
	login  bool
	domain string
}

func laneOf(j sandlot.Job) lane {
	return lane{j.Kind == MailLogin, strings.ToLower(j.Address[strings.LastIndexByte(j.Address, '@')+1:])}
}

// A round counts the messages that a courier has under way. Only the goroutine of Run or SendDue uses it; the sending
// goroutines report to it through ended.
type round struct {
	c      *Courier
	lanes  map[lane]int
	total  int
	logins int
	ended  chan ending // has room for all messages under way
}

// ending reports that the try at a job is over; err is its failure.
type ending struct {
	lane lane
	err  error
}

func (c *Courier) newRound() *round {
	return &round{c: c, lanes: map[lane]int{}, ended: make(chan ending, c.atOnce())}
}

func (c *Courier) atOnce() int {
	if c.AtOnce > 0 {
		return c.AtOnce
	}
	return mailsAtOnce
}

// busy returns the lanes that have to wait now. A quarter of the places is for logins alone, since a person sits and
// waits for each of them.
func (r *round) busy() Busy {
	most := r.c.atOnce()
	b := Busy{OnlyLogins: r.total-r.logins >= most-most/4}
	for l, n := range r.lanes {
		switch {
		case n < mailsPerDomain:
		case l.login:
			b.Logins = append(b.Logins, l.domain)
		default:
			b.Others = append(b.Others, l.domain)
		}
	}
	return b
}

// fill begins due jobs until all places are taken. Each job is claimed just before it begins, so that its lease
// outlasts its try. An error about damaged jobs does not keep others from beginning.
func (r *round) fill(ctx context.Context) error {
	var failed worker.Errors
	failed.Add(r.c.settleSent(ctx))
	for r.total < r.c.atOnce() {
		now := r.c.Now().UTC()
		jobs, err := r.c.Store.ClaimJobs(ctx, now, now.Add(mailLease), r.busy(), 1)
		if err != nil {
			if ctx.Err() == nil {
				r.c.Failures.Add(1)
			}
			failed.Add(err)
		}
		if len(jobs) == 0 {
			break
		}
		r.begin(ctx, jobs[0])
	}
	return failed.Err()
}

// begin tries a job in a goroutine of its own.
func (r *round) begin(ctx context.Context, j sandlot.Job) {
	l := laneOf(j)
	r.count(l, 1)
	go func() {
		err := r.c.deliver(ctx, j)
		if err != nil {
			err = fmt.Errorf("mail job %d: %w", j.ID, err)
		}
		r.ended <- ending{l, err}
	}()
}

// end frees the place of a try that is over, and returns its error.
func (r *round) end(e ending) error {
	r.count(e.lane, -1)
	return e.err
}

func (r *round) count(l lane, by int) {
	r.total += by
	if l.login {
		r.logins += by
	}
	if r.lanes[l] += by; r.lanes[l] == 0 {
		delete(r.lanes, l)
	}
}

// drain waits until no message is under way, and joins the errors of the failed ones.
func (r *round) drain() error {
	var errs []error
	for r.total > 0 {
		errs = append(errs, r.end(<-r.ended))
	}
	return errors.Join(errs...)
}
