package listed

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// Limits of a Looker.
const (
	every        = 24 * time.Hour
	again        = time.Hour // after a failure
	poll         = 5 * time.Minute
	lookTime     = 10 * time.Minute
	mostReported = 200
)

// A List is a service that lists hosts. It may be used concurrently.
type List interface {
	Name() string // as metrics and commands name it
	// Look reports which of the hosts are listed. With an error the result has those that could be looked up.
	Look(ctx context.Context, hosts []string) (map[string]bool, error)
}

// A Looker looks up the hosts of an installation. Of all nodes one looks at each List.
type Looker struct {
	Store    Store
	Lists    []List
	Own      []string // hosts of the installation
	Places   sandlot.Places
	Log      *slog.Logger
	Failures *worker.Failures
	Counts   *Counts
}

// Counts counts looks since the process began. It may be read concurrently.
type Counts struct{ Done, Failed atomic.Int64 }

// Run looks at each List once a day, and an hour after a failure, until ctx ends.
func (l *Looker) Run(ctx context.Context) {
	worker.Every(ctx, poll, func() {
		switch err := l.Round(ctx); {
		case err == nil:
			l.Failures.Worked()
		case ctx.Err() == nil:
			l.Log.Warn("not all lists could be looked at; it is tried again within an hour", "error", err)
		}
	})
}

// Round looks at the Lists that are due.
func (l *Looker) Round(ctx context.Context) error { return l.look(ctx, every, again) }

// Now looks at all Lists, due or not.
func (l *Looker) Now(ctx context.Context) error { return l.look(ctx, 0, 0) }

func (l *Looker) look(ctx context.Context, every, again time.Duration) error {
	var failed worker.Errors
	for _, list := range l.Lists {
		due, err := l.Store.ClaimLook(ctx, list.Name(), every, again)
		if err == nil && due {
			err = l.at(ctx, list)
			l.count(err)
		}
		failed.Add(err)
	}
	return failed.Err()
}

func (l *Looker) count(err error) {
	if err != nil {
		l.Counts.Failed.Add(1)
		l.Failures.Add(1)
		return
	}
	l.Counts.Done.Add(1)
}

// at looks at one List, and records its findings.
func (l *Looker) at(ctx context.Context, list List) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	hosts, err := l.hosts(ctx)
	if err != nil || len(hosts) == 0 {
		return err
	}
	var found map[string]bool
	failed := worker.Guarded(func() (err error) {
		found, err = list.Look(ctx, hosts)
		return err
	})
	if err := l.Store.RecordLook(context.WithoutCancel(ctx), list.Name(), found, failed == nil); err != nil {
		return fmt.Errorf("record a look at %s: %w", list.Name(), err)
	}
	if failed != nil {
		return fmt.Errorf("look at %s: %w", list.Name(), failed)
	}
	return nil
}

// hosts returns the hosts to look up, each once: those of the installation, and those of projects with open reports.
func (l *Looker) hosts(ctx context.Context) ([]string, error) {
	hosts := slices.Clone(l.Own)
	reported, err := l.Store.Reported(ctx, mostReported)
	if err != nil {
		return nil, fmt.Errorf("look for reported projects: %w", err)
	}
	for _, id := range reported {
		if at, err := url.Parse(l.Places.Project(id, 0, "").URL); err == nil {
			hosts = append(hosts, at.Hostname())
		}
	}
	slices.Sort(hosts)
	return slices.DeleteFunc(slices.Compact(hosts), func(h string) bool { return !named(h) }), nil
}

// named reports whether a host is a name that others may know, and no address.
func named(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(host, ".")
}
