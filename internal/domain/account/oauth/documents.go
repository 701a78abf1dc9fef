package oauth

import (
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"sandlot"
	"sandlot/internal/base/recent"
	"sandlot/internal/domain/admission"
)

// maxDocument bounds the address of a metadata document, in bytes.
const maxDocument = 1 << 10

// Ages of metadata documents, and the room of those that are kept.
const (
	documentAge = 24 * time.Hour
	mistakeAge  = time.Minute // so that their authors see soon that they have mended them
	mostKnown   = 4 << 20     // bytes: some ten thousand of the usual size
)

// Documents that are read at once, for all callers and for those of one network: a server can hold up each for 5 s.
const (
	mostReads  = 64
	mostOfEach = 16
)

// Documents fetches the metadata documents of clients.
type Documents interface {
	// Document returns the JSON at an https address: at most 64 KiB within 5 s, from a public address, without following
	// redirects. Errors name the reason without the content.
	Document(ctx context.Context, url string) ([]byte, error)
}

// known are the clients of the metadata documents that were read. Its zero value is empty.
type known struct {
	once    sync.Once
	list    *recent.Map[string, outcome] // by address
	reads   *admission.Slots
	flights singleflight.Group
}

// An outcome is that of reading a document.
type outcome struct {
	client Client
	err    error
	until  time.Time
}

// client returns the client of a document. Several calls for one address at a time fetch it once.
func (k *known) client(ctx context.Context, by sandlot.Caller, from Documents, address string, now time.Time) (Client, error) {
	k.once.Do(func() {
		k.list = recent.New[string, outcome](mostKnown)
		k.reads = admission.NewSlots(mostOfEach, mostReads, func(netip.Addr) bool { return false })
	})
	host, reason := documentHost(address)
	if reason != "" {
		return Client{}, unknownClient(reason)
	}
	if was, ok := k.list.Get(address); ok && now.Before(was.until) {
		return was.client, was.err
	}
	done := k.flights.DoChan(address, func() (any, error) {
		network := admission.Peer(by.From.Network)
		if taken, _ := k.reads.Take(network); !taken {
			return outcome{err: busy()}, nil
		}
		defer k.reads.Give(network)
		o := read(context.WithoutCancel(ctx), from, address, host) // other calls wait for it
		if o.until = now.Add(documentAge); o.err != nil {
			o.until = now.Add(mistakeAge)
		}
		k.list.Put(address, o, o.weight(address))
		return o, nil
	})
	select {
	case <-ctx.Done():
		return Client{}, ctx.Err()
	case r := <-done:
		o := r.Val.(outcome)
		return o.client, o.err
	}
}

// busy returns the refusal of a read beyond the bounds.
func busy() error {
	return sandlot.Refuse(sandlot.CodeUnavailable, "Too many programs are looked up at once.").After(5 * time.Second).With(sandlot.OpWait)
}

// weight returns some bytes more than an outcome takes.
func (o outcome) weight(address string) int64 {
	n := len(address) + len(o.client.Name) + 256
	for _, uri := range o.client.Redirects {
		n += len(uri) + 16
	}
	return int64(n)
}

// documentHost returns the host of the address of a metadata document, or the reason why it is none.
func documentHost(address string) (host, reason string) {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxDocument || err != nil || u.Hostname() == "" || !plainURI(address):
		return "", "The client_id is no valid https address."
	case u.User != nil || strings.Contains(address, "#"):
		return "", "The address of a metadata document has neither userinfo nor a fragment."
	case u.Path == "" || u.Path == "/":
		return "", "The address of a metadata document has a path."
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "." || s == ".." }):
		return "", "The path of a metadata document has no segments . and .."
	}
	return u.Host, ""
}

// read fetches and checks a metadata document.
func read(ctx context.Context, from Documents, address, host string) outcome {
	text, err := from.Document(ctx, address)
	if err != nil {
		return outcome{err: unknownClient("The metadata document was not read: " + ascii(err.Error()) + ".")}
	}
	var d struct {
		Registration
		ID     string          `json:"client_id"`
		Secret json.RawMessage `json:"client_secret"`
	}
	switch err := json.Unmarshal(text, &d); {
	case err != nil:
		return outcome{err: unknownClient("The metadata document is no valid JSON.")}
	case d.ID != address:
		return outcome{err: unknownClient("The client_id in the metadata document is not its address.")}
	case d.Secret != nil || strings.HasPrefix(d.AuthMethod, "client_secret"):
		return outcome{err: unknownClient("A metadata document must have no secret.")}
	}
	c := Client{ID: address, Name: cleanName(d.Name), Document: host, Device: slices.Contains(d.GrantTypes, deviceGrant)}
	for _, uri := range d.RedirectURIs { // it is the same for all servers: redirects that are refused here are left out
		if refusedRedirect(uri) == "" {
			c.Redirects = append(c.Redirects, uri)
		}
	}
	if len(c.Redirects) == 0 && !c.Device {
		return outcome{err: unknownClient("The metadata document has no redirect_uris that are taken here.")}
	}
	return outcome{client: c}
}

// ascii returns a text for a description, which has printable ASCII alone.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, s)
}
