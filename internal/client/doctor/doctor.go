// Package doctor checks a running instance from outside, and the parts on which it depends, and says how to mend each
// fault: names, certificates, the proxy in front, mail, clock, bucket, Redis, disk.
//
// It reaches the instance by its public URL, as visitors do. There an [Examiner] describes each request as it arrived,
// but only to a doctor that proves the installation's secret.
package doctor

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A State is the result of a check.
type State string

// The states of a Finding.
const (
	OK      State = "ok"
	Warn    State = "warn"    // it works, and could be better
	Mend    State = "mend"    // something has to be mended
	Skipped State = "skipped" // there is nothing to check
)

// A Finding is a result in one sentence. Mend says what to do; it is set with the states Warn and Mend.
type Finding struct {
	Check  string `json:"check"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"`
}

// A Check looks at one part. It returns at least one finding, and obeys the end of its context.
type Check struct {
	Name string
	Run  func(ctx context.Context) []Finding
}

// limit is the longest duration of a check: together they take no longer, since all run at once.
const limit = 20 * time.Second

// Run runs all checks at once, for 20 seconds at most, and returns their findings in the order of the checks. A check
// that does not return in time has the state Mend.
func Run(ctx context.Context, checks []Check) (all []Finding) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make([][]Finding, len(checks))
	var running sync.WaitGroup
	for i, c := range checks {
		running.Go(func() { found[i] = c.within(ctx) })
	}
	running.Wait()
	for _, list := range found {
		all = append(all, list...)
	}
	return all
}

// late is the time that a check has to report the end of its context.
const late = time.Second

func (c Check) within(ctx context.Context) []Finding {
	done := make(chan []Finding, 1)
	go func() { done <- c.Run(ctx) }()
	select {
	case list := <-done:
		return named(c.Name, list)
	case <-ctx.Done():
	}
	select {
	case list := <-done:
		return named(c.Name, list)
	case <-time.After(late):
		return named(c.Name, []Finding{bad("It did not answer within "+limit.String()+".", "Look at the log of that server, and at the network.")})
	}
}

func named(name string, list []Finding) []Finding {
	for i, f := range list {
		list[i].Check = cmp.Or(f.Check, name)
	}
	return list
}

// about gives findings the name of a part of a check.
func about(part string, list ...Finding) []Finding { return named(part, list) }

func good(detail string) Finding { return Finding{State: OK, Detail: detail} }

func bad(detail, mend string) Finding { return Finding{State: Mend, Detail: detail, Mend: mend} }

func warn(detail, mend string) Finding { return Finding{State: Warn, Detail: detail, Mend: mend} }

func skipped(detail string) Finding { return Finding{State: Skipped, Detail: detail} }
