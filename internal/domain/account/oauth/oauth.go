// Package oauth lets programs work for an account after its owner has consented in the browser: an authorization server
// for public clients (OAuth 2.1 with PKCE), and the device grant (RFC 8628) for programs in a terminal.
//
// A grant is the record of one consent. It is a key of the account, or of one project, that is presented by access
// tokens: Authorize decides about it as about any key, it is listed under /account/keys, and ended there.
package oauth

import (
	"time"

	"sandlot"
)

// Lives of codes and tokens.
const (
	CodeLife       = time.Minute         // of an authorization code
	AccessLife     = time.Hour           // of an access token
	RefreshLife    = 30 * 24 * time.Hour // of a refresh token that is not used
	RefreshGrace   = time.Minute         // in which a refresh token that was replaced still works
	DeviceLife     = 10 * time.Minute    // of a device_code
	DeviceInterval = 5 * time.Second     // between two questions of a device
)

// The scopes of a grant.
const (
	ScopeAccount = "account" // the rights of an account key
	ScopeProject = "project" // the rights of a project key
)

// Terminal is the client_id of programs in a terminal, which need no registration. It has no redirects: it may use the
// device grant alone.
const Terminal = "terminal"

// A Refusal is an error of OAuth (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5).
type Refusal struct {
	Code        string // such as invalid_grant
	Description string // for developers: ASCII, no secret, nothing from the request but quoted names
	// Redirect is the complete address to which the browser is sent, with error, state and iss. It is empty if the client
	// or the redirect_uri of the request is not to be trusted: then the browser shows a page.
	Redirect string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Code + ": " + r.Description }

// A Request is one of the authorization endpoint, as received.
type Request struct {
	ClientID, RedirectURI, ResponseType, Challenge, ChallengeMethod, State, Resource, Scope string
}

// A Consent is the question to the owner of an account.
type Consent struct {
	Client  Client
	Place   Place             // of the program
	Wish    string            // ScopeProject if the program asks for no more
	Project sandlot.ProjectID // for which a device asks; empty: none in particular
	Form    string            // the token of the form: good for this session and this request alone
	Asked   time.Time         // when a device asked; zero for a Request
}

// A Place says where a client runs, as far as its redirect or its document proves it.
type Place struct {
	Host    string // of its metadata document, or of its redirect; empty: this machine, or a terminal
	Machine bool   // the redirect leads to a program on the machine of the browser
}

// A Choice is the answer of the owner. With a Project the grant covers that project alone, else the account.
type Choice struct {
	Project sandlot.ProjectID
	Form    string // of the Consent
}

// Tokens are the answer of the token endpoint.
type Tokens struct {
	Access, Refresh sandlot.Secret
	Life            time.Duration // of Access
	Scope           string
	Project         sandlot.ProjectID // for ScopeProject
}

// A CodeInput is the exchange of an authorization code.
type CodeInput struct{ Code, ClientID, RedirectURI, Verifier, Resource string }

// A RefreshInput is the exchange of a refresh token. An empty ClientID is Terminal.
type RefreshInput struct {
	Token              sandlot.Secret
	ClientID, Resource string
}

// A DeviceInput is a request for a device_code. An empty ClientID is Terminal.
type DeviceInput struct {
	ClientID, Scope, Resource string
	Project                   string // any reference to a project, see sandlot.Places.ProjectID; empty: none
}

// A Device is the answer to a DeviceInput.
type Device struct {
	Code     sandlot.Secret
	UserCode string // WXYZ-WXYZ, of consonants
	Life     time.Duration
	Interval time.Duration
}

// A Service applies the rules of this package. Its fields are set before it is used, and its methods may be called
// concurrently, on any node.
type Service struct {
	Store     Store
	Vault     *sandlot.Vault
	Documents Documents
	Places    sandlot.Places
	Now       func() time.Time
	Spend     func() // see sandlot.EvenFull

	documents known // that were read
}

// Issuer returns the identifier of the authorization server.
func Issuer(p sandlot.Places) string { return p.Base.String() + "/oauth" }

// Resource returns the only protected resource.
func Resource(p sandlot.Places) string { return p.Base.String() + "/mcp/account" }
