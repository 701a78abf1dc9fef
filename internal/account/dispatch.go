package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot/internal/publish"
)

// Limits of the messages that are under way at once.
const (
	mailsAtOnce    = 8 // connections to the mail server; the usual ones take more from one client
	mailsPerDomain = 2 // under way to one domain, of logins and again of all other messages
)

// Busy says which due jobs have to wait for messages that are under way.
type Busy struct {
	Logins, Others []string // domains, in lower case, that have their share of logins, or of other messages
	OnlyLogins     bool     // other messages have all the places that they may have
}

// lane is what shares mailsPerDomain places.
type lane struct {
	login  bool
	domain string
}

func laneOf(j publish.Job) lane {
	return lane{j.Kind == MailLogin, strings.ToLower(j.Address[strings.LastIndexByte(j.Address, '@')+1:])}
}

// round is what a courier has under way. Only its own goroutine touches it.
type round struct {
	c      *Courier
	lanes  map[lane]int
	total  int
	logins int
	ended  chan ending // has room for all that are under way
}

// ending says that no message of a job is on its way any more; err is why it could not be settled.
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

// busy says what has to wait now. A quarter of the places is for logins alone: a
// person sits and waits for each of them.
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

// fill begins what is due until all places are taken. Each job is claimed when its
// message begins, so that its lease is longer than it may take.
// What is told of damaged jobs keeps no other.
func (r *round) fill(ctx context.Context) error {
	var failed publish.Errors
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

func (r *round) begin(ctx context.Context, j publish.Job) {
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

// end takes note of a message that is not under way any more.
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

// drain waits for all that is under way.
func (r *round) drain() error {
	var errs []error
	for r.total > 0 {
		errs = append(errs, r.end(<-r.ended))
	}
	return errors.Join(errs...)
}
