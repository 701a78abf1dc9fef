package admission

import (
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/base/meter"
)

// Denied is the error of a limit that is reached. It wraps the *sandlot.Error for the answer: sandlot.CodeRateLimited,
// or sandlot.CodeUnavailable if the limit is the service's own.
type Denied struct {
	Limit string        // the limit's name, as in RateLimit fields and after limit- in settings
	All   bool          // whether the limit is one of the whole service, not of the caller
	After time.Duration // the wait before the next try; above 0
}

// Error returns the message.
func (d *Denied) Error() string { return d.refusal().Message }

// Unwrap returns the *sandlot.Error.
func (d *Denied) Unwrap() error { return d.refusal() }

// refusal makes the *sandlot.Error. Its wait is in whole seconds.
func (d *Denied) refusal() *sandlot.Error {
	after := (d.After + time.Second - 1).Truncate(time.Second) // rounded up, so that the next try is not too early
	text, code := sentences[d.Limit], sandlot.CodeRateLimited
	if d.All {
		text, code = [2]string{"The service is busy with other uploads. Nothing was changed."}, sandlot.CodeUnavailable
	}
	e := sandlot.Refuse(code, "%s", text[0]).After(after).With(sandlot.OpWait)
	if d.Limit == names[wrongKeys] {
		return e.Note("Check the key, and send it again in %d s.", int(after/time.Second))
	}
	return e.Note("%s", text[1])
}

// sentences has two sentences for each limit: the excess, and the remedy. It never changes.
var sentences = map[string][2]string{
	"accounts": {
		"Too many accounts were made from this address without a key.",
		"Use the api_key that an earlier answer returned: with a key a publish makes no account. Or wait.",
	},
	"writes": {"Too many requests came from this address, account or key.", "Send fewer in the same time."},
	"bytes": {
		"This call costs more bytes than this address, account or key has left. " +
			"A call costs the largest of what is received, decoded and stored.",
		"Nothing was kept. Wait, or send less.",
	},
	"bodies":         {"Too many uploads at once from this address.", "Send one after the other."},
	"downloads":      {"Too many archives were asked for from this address, account or key.", "Keep the one you already downloaded."},
	"archives":       {"This account is already downloading an archive.", "Wait until it finishes."},
	"mails":          {"Too many e-mails were asked for from this address or account.", "If you have a key, leave email out. Or wait."},
	"wrong-keys":     {"Too many wrong keys came from this address, so this one wasn't checked."},
	"heartbeats":     {"Too many heartbeats come from this address.", "Send one every 20 s from each page."},
	"reports":        {"Too many reports came from this address.", "Report each project once. Or wait."},
	"likes":          {"Too many likes came from this address.", "Wait before the next one."},
	"searches":       {"Too many searches came from this address.", "Wait before the next one."},
	"player-reads":   {"Too many calls of players came from this address.", "Wait before the next one."},
	"player-writes":  {"Too many saves and scores came from this address.", "Save once a second at most."},
	"player-reports": {"Too many reports and messages came from this address.", "Send fewer."},
	"work":           {"This address has used up its share of the service's processors.", "Wait before the next, or send smaller ones."},
	"watchers":       {"Too many pages are watched from this address.", "Close some. Or wait."},
}

// label is the limit's name among those of Counted: the one of all callers together has a name of its own.
func (d *Denied) label() string {
	if d.All {
		return "max-" + d.Limit
	}
	return d.Limit
}

// newRefusals returns the counts of all limits.
func newRefusals() *meter.Counts[string] {
	return meter.NewCounts(append(slices.Collect(maps.Keys(sentences)), "max-bodies", "max-watchers")...)
}

// Refuse counts the refusal by a limit, also by a limit of its caller's own, and returns it as an error; nil if d is
// nil. A nil Limits counts nothing.
func (l *Limits) Refuse(d *Denied) error {
	if d == nil {
		return nil
	}
	if l != nil {
		l.refusals.Add(d.label())
	}
	return d
}

// Refusals counts the refusals by each limit.
func (l *Limits) Refusals() *meter.Counts[string] { return l.refusals }

// Wrong returns the number of wrong keys, and wrong codes of logins, that were tried.
func (l *Limits) Wrong() int64 { return l.wrong.Load() }

// Receiving returns the number of bodies that are being received.
func (l *Limits) Receiving() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.bodies)
}
