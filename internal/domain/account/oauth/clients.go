package oauth

import (
	"context"

	"sandlot"
)

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

// A Registration is the metadata of a client that registers itself (RFC 7591), as far as it is read.
type Registration struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
}

// Register returns the client_id of a registration: the registration itself, sealed. Nothing is stored. Bad metadata is
// a *Refusal with invalid_redirect_uri or invalid_client_metadata.
func (s *Service) Register(ctx context.Context, by sandlot.Caller, r Registration) (Client, error) {
	panic("seam")
}

// client finds the client of a client_id: Terminal, the address of a metadata document, or a sealed registration. One
// that cannot be found is a *Refusal with invalid_client.
func (s *Service) client(ctx context.Context, id string) (Client, error) { panic("seam") }

// allows reports whether a redirect_uri is one of the client's: the same characters, but for the port of a loopback
// address (RFC 8252, section 7.3).
func (c Client) allows(redirect string) bool { panic("seam") }

// place returns where a program with this redirect runs.
func (c Client) place(redirect string) Place { panic("seam") }
