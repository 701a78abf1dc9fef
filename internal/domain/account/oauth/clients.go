package oauth

import (
	"context"
	"encoding/base64"
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
	"sandlot/internal/format/names"
)

// Bounds of a client. The client_id of a registration holds all of it, and must fit into an address.
const (
	maxName      = 100     // characters
	maxRedirects = 10      // some editors register six
	maxURIs      = 1 << 10 // bytes of the redirects of a registration together
	maxClientID  = 4 << 10 // bytes of a client_id; a registration makes some 2,400 at most
	maxDocument  = 1 << 10 // bytes of the address of a metadata document
)

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

// deviceGrant is the grant_type of RFC 8628.
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// A Client is a program that asks for consent. It has no secret. All texts in it are its own claims: data.
type Client struct {
	ID        string
	Name      string   // at most 100 characters, cleaned as a title is; empty: none
	Redirects []string // as compared
	Document  string   // the host of its metadata document; empty: it registered itself, or is Terminal
	Device    bool     // whether it may use the device grant
}

// Documents fetches the metadata documents of clients.
type Documents interface {
	// Document returns the JSON at an https address: at most 64 KiB within 5 s, from a public address, without following
	// redirects. Errors name the reason without the content.
	Document(ctx context.Context, url string) ([]byte, error)
}

// A Registration is the metadata of a client that registers itself (RFC 7591), as far as it is read. A client that wants
// to authenticate is registered without: the answer says so, as section 3.2.1 allows.
type Registration struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
}

// A sealed registration is what a client_id holds. Its names are short, and never change.
type sealed struct {
	Name      string   `json:"n,omitempty"`
	Redirects []string `json:"r,omitempty"`
	Device    bool     `json:"d,omitempty"`
}

// sealOfClient is that of a client_id.
var sealOfClient = sandlot.Seal{What: "oauth client"}

// Register returns the client_id of a registration: the registration itself, sealed. Nothing is stored. Bad metadata is
// a *Refusal with invalid_redirect_uri or invalid_client_metadata.
func (s *Service) Register(_ context.Context, by sandlot.Caller, r Registration) (Client, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Client{}, err
	}
	c, err := r.client()
	if err != nil {
		return Client{}, err
	}
	plain, err := json.Marshal(sealed{c.Name, c.Redirects, c.Device})
	if err != nil {
		return Client{}, err
	}
	id, err := s.Vault.SealFor(sealOfClient, plain)
	c.ID = base64.RawURLEncoding.EncodeToString(id)
	return c, err
}

// client returns the client that a registration describes, without an ID.
func (r Registration) client() (Client, error) {
	c := Client{Name: cleanName(r.Name), Redirects: r.RedirectURIs, Device: slices.Contains(r.GrantTypes, deviceGrant)}
	size := 0
	for _, uri := range r.RedirectURIs {
		if reason := refusedRedirect(uri); reason != "" {
			return Client{}, &Refusal{Code: "invalid_redirect_uri", Description: reason}
		}
		size += len(uri)
	}
	switch codes := len(r.GrantTypes) == 0 || slices.Contains(r.GrantTypes, "authorization_code"); {
	case len(r.RedirectURIs) > maxRedirects || size > maxURIs:
		return Client{}, &Refusal{Code: "invalid_redirect_uri", Description: "At most 10 redirect_uris with 1024 bytes together are taken."}
	case codes && size == 0:
		return Client{}, &Refusal{Code: "invalid_redirect_uri", Description: "redirect_uris is missing."}
	case !codes && !c.Device:
		return Client{}, &Refusal{Code: "invalid_client_metadata", Description: "grant_types needs authorization_code or " + deviceGrant + "."}
	}
	return c, nil
}

// client finds the client of a client_id: Terminal, the address of a metadata document, or a sealed registration. One
// that cannot be found is a *Refusal with invalid_client. It is sandlot.CodeUnavailable while the caller's network has
// many documents read.
func (s *Service) client(ctx context.Context, by sandlot.Caller, id string) (Client, error) {
	switch {
	case id == Terminal:
		return Client{ID: Terminal, Device: true}, nil
	case strings.HasPrefix(id, "https://"):
		return s.documents.client(ctx, by, s.Documents, id, s.Now())
	case id == "":
		return Client{}, unknownClient("client_id is missing.")
	}
	data, err := base64.RawURLEncoding.DecodeString(id[:min(len(id), maxClientID)])
	var plain []byte
	if err == nil && base64.RawURLEncoding.EncodeToString(data) == id { // a client has one client_id, and decoding skips line ends
		plain, err = s.Vault.UnsealFor(sealOfClient, data)
	}
	var r sealed
	if err != nil || json.Unmarshal(plain, &r) != nil {
		return Client{}, unknownClient("The client_id is not known. Register again.")
	}
	return Client{ID: id, Name: r.Name, Redirects: r.Redirects, Device: r.Device}, nil
}

func unknownClient(reason string) *Refusal {
	return &Refusal{Code: "invalid_client", Description: reason}
}

// cleanName returns the name of a client as it is shown.
func cleanName(s string) string {
	name, _, _ := names.Title(s)
	if list := []rune(name); len(list) > maxName {
		name = strings.TrimSpace(string(list[:maxName]))
	}
	return name
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
	for _, uri := range d.RedirectURIs { // it is the same for all servers: what is not taken here is left out
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
