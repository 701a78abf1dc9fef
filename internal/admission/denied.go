package admission

import (
	"time"

	"sandlot/internal/publish"
)

// Denied is the error of a limit that is reached. errors.As finds in it the
// *publish.Error to answer with as well: CodeRateLimited, or CodeUnavailable where the
// limit is the service's own.
type Denied struct {
	Limit string        // its name, which is also the name of its setting and of its RateLimit field
	All   bool          // whether it is one of the whole service, not of the caller
	After time.Duration // when to try again; above 0
}

// Error gives the message.
func (d *Denied) Error() string { return d.refusal().Message }

// Unwrap gives the *publish.Error.
func (d *Denied) Unwrap() error { return d.refusal() }

func (d *Denied) refusal() *publish.Error {
	after := (d.After + time.Second - 1).Truncate(time.Second) // what is told in seconds must not be too early
	if d.All {
		return publish.Refuse(publish.CodeUnavailable, "The service is busy with other uploads. Nothing was changed.").After(after).With(publish.OpWait)
	}
	text := told[d.Limit]
	e := publish.Refuse(publish.CodeRateLimited, "%s", text[0]).After(after).With(publish.OpWait)
	if d.Limit == names[wrongKeys] {
		return e.Note("Check the key, and send it again in %d s.", int(after/time.Second))
	}
	return e.Note("%s", text[1])
}

// told says of each limit what there was too much of, and what else could be done. It never
// changes.
var told = map[string][2]string{
	"accounts":   {"Too many accounts were made from this address without a key.", "Use the api_key that an earlier answer returned: with a key a publish makes no account. Or wait."},
	"writes":     {"Too many requests came from this address, account or key.", "Send fewer in the same time."},
	"bytes":      {"This call costs more bytes than this address, account or key has left. A call costs the largest of what is received, decoded and stored.", "Nothing was kept. Wait, or send less."},
	"bodies":     {"Too many uploads at once from this address.", "Send one after the other."},
	"downloads":  {"Too many archives were asked for from this address, account or key.", "Keep the one you already downloaded."},
	"archives":   {"This account is already downloading an archive.", "Wait until it finishes."},
	"mails":      {"Too many e-mails were asked for from this address or account.", "If you have a key, leave email out. Or wait."},
	"wrong-keys": {"Too many wrong keys came from this address, so this one wasn't checked."},
	"heartbeats": {"Too many heartbeats come from this address.", "Send one every 20 s from each page."},
	"reports":    {"Too many reports came from this address.", "Report each project once. Or wait."},
	"likes":      {"Too many likes came from this address.", "Wait before the next one."},
	"searches":   {"Too many searches came from this address.", "Wait before the next one."},
	"watchers":   {"Too many pages are watched from this address.", "Close some. Or wait."},
}

// refused makes an error of a limit that is reached; nil of nil.
func refused(d *Denied) error {
	if d == nil {
		return nil
	}
	return d
}
