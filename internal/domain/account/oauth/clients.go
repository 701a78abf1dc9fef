package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
)

// Bounds of a client. The client_id of a registration holds all of it, and must fit into an address.
const (
	maxName      = 100     // characters
	maxRedirects = 10      // some editors register six
	maxURIs      = 1 << 10 // bytes of the redirects of a registration together
	maxClientID  = 4 << 10 // bytes of a client_id; a registration makes some 2,400 at most
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

// A Registration is the metadata of a client that registers itself (RFC 7591), as far as it is read. A client that wants
// to authenticate is registered without: the answer says so, as section 3.2.1 allows.
type Registration struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
}

// A sealed registration is the content of a client_id. Its names are short, and never change.
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
