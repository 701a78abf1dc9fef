package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// Identity is a person at an OpenID provider. The subject names that person there for ever; an address may pass to
// another person.
type Identity struct{ Issuer, Subject string }

// An Assertion is the provider's statement about the person who has logged in there.
type Assertion struct {
	Identity
	Email         string
	EmailVerified bool      // only if the provider says so
	ProvedAt      time.Time // when the person logged in there; zero if the provider does not say
}

// AuthRequest is a login at the provider that one browser has begun. State comes back with the answer, Nonce in the
// token; Verifier is the secret of PKCE, which the browser's address bar never has.
type AuthRequest struct {
	State, Nonce, Verifier string
	Redirect               string        // where the answer goes
	MaxAge                 time.Duration // how old a login at the provider may be; 0: any
}

// A Provider is an OpenID provider. Its methods may be called concurrently, and return within some seconds. Their errors
// are ErrProviderAway and ErrProviderRefused, with the cause.
type Provider interface {
	// Up reports whether the provider answered its last request. It sends none.
	Up() bool
	// AuthURL returns the address at which a browser logs in.
	AuthURL(ctx context.Context, r AuthRequest) (string, error)
	// Exchange returns the person of a code, once it has checked all that the provider signed for this request.
	Exchange(ctx context.Context, code string, r AuthRequest) (Assertion, error)
}

// The errors of logins with a provider.
var (
	// ErrProviderAway: the provider cannot be reached, or does not answer in time.
	ErrProviderAway = errors.New("the OpenID provider is away")
	// ErrProviderRefused: the provider refused the login, or its answer is not signed for it.
	ErrProviderRefused = errors.New("the OpenID provider refused the login")
	// ErrNotAdmitted: the person's verified address has none of the domains, or there is none.
	ErrNotAdmitted = errors.New("not a person whom the instance lets in")
	// ErrAddressTaken: an account has verified the address, and its owner has not linked it.
	ErrAddressTaken = errors.New("the address has an account")
)

// An IdentityStore keeps the identities of accounts, under the same promises as a publish.Store.
type IdentityStore interface {
	sandlot.SecretStore
	// AccountOfIdentity returns the account that an identity enters.
	AccountOfIdentity(ctx context.Context, i Identity) (sandlot.Account, error)
	// AccountsOf is that of LoginStore.
	AccountsOf(ctx context.Context, email string, limit int) ([]sandlot.Account, error)
	// LinkIdentity lets an identity enter an account that has verified the address; an account that has not is
	// sandlot.ErrNotFound. An identity that has an account is sandlot.ErrExists.
	LinkIdentity(ctx context.Context, i Identity, id sandlot.AccountID, email string, at time.Time) error
	// OpenAccount records an account without a key that the identity enters, under the first of its handles that was
	// never taken. An identity that has an account, and handles that were all taken, are sandlot.ErrExists; a verified
	// address whose mailbox is reserved by a suspended account is sandlot.ErrSuspended.
	OpenAccount(ctx context.Context, i Identity, n NewPerson) (sandlot.Account, error)
	// AddSession and EndSession are those of SessionStore.
	AddSession(ctx context.Context, token sandlot.Digest, s sandlot.Session) (id int64, err error)
	EndSession(ctx context.Context, account sandlot.AccountID, id int64) error
}

// NewPerson is an account to be recorded for a person of a provider.
type NewPerson struct {
	Handles       []string // in order of preference
	Email         string
	EmailVerified bool
	Lang          string
	CreatedAt     time.Time
	Job           *sandlot.Job // the message that verifies the address, if it is not verified
	Blocks        int64        // the number of the blocklist that allows the address: see ClaimStore.UseVerification
}

// OpenIDConfig holds the settings of logins with a provider.
type OpenIDConfig struct {
	Provider  Provider
	Name      string   // of the provider, for people
	Domains   []string // of the addresses that are let in, in lower case; none: all
	Redirect  string   // the address to which the provider sends browsers back
	Opening   sandlot.Opening
	Uncounted bool // as in Config
	Blocklist Blocklist
}

// OpenID lets people log in by one OpenID provider, with a code and PKCE. An identity is the issuer with the subject.
// Its first login opens an account, unless the instance is sandlot.Closed; the handle of the account does not identify
// the person. A verified address that belongs to an account already enters that account, if its domain is one of
// Domains, for which the operator trusts the provider. Otherwise only the owner links it, by logging in to the account
// first. An address that the provider has not verified is a claim like any other, and enters no account.
//
// The state of a login is in the browser, under the installation's secret: any node can finish it.
type OpenID struct {
	OpenIDConfig
	store IdentityStore
	vault *sandlot.Vault
	now   func() time.Time
}

// NewOpenID returns an OpenID. It reads the installation's secret from the store, and returns the error if that fails.
func NewOpenID(ctx context.Context, cfg OpenIDConfig, store IdentityStore, now func() time.Time) (*OpenID, error) {
	vault, err := sandlot.OpenVault(ctx, store, rand.Reader)
	return &OpenID{cfg, store, vault, now}, err
}

// Limits of a login with a provider.
const (
	openIDLife  = 10 * time.Minute // time to log in at the provider
	openIDFresh = 15 * time.Minute // a login this old is proved again before it may change keys, as everywhere
)

// BeginOpenID returns the address at which the browser logs in, and the text that it keeps meanwhile, for ten minutes.
// back is a path of the website, of at most 500 bytes. A caller who is logged in has to log in there anew.
func (o *OpenID) BeginOpenID(ctx context.Context, by sandlot.Caller, back string) (address, kept string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", "", err
	}
	token, err := o.vault.Text(base62, browserToken)
	if err != nil {
		return "", "", fmt.Errorf("mint login: %w", err)
	}
	at := strconv.FormatInt(o.now().Unix(), 10)
	kept = at + "." + token + "." + base64.RawURLEncoding.EncodeToString([]byte(back))
	r := o.request(kept)
	if by.InSession() {
		r.MaxAge = openIDFresh
	}
	address, err = o.Provider.AuthURL(ctx, r)
	return address, kept, err
}

// request derives the login from the text in the browser, so that nobody else can know or choose its parts.
func (o *OpenID) request(kept string) AuthRequest {
	derive := func(purpose string) string {
		d := o.vault.Keyed(purpose, kept)
		return base64.RawURLEncoding.EncodeToString(d[:])
	}
	return AuthRequest{
		State: derive("openid state"), Nonce: derive("openid nonce"), Verifier: derive("openid verifier"), Redirect: o.Redirect,
	}
}

// read returns the path in the browser's text. A text that is older than ten minutes, or none of ours, is not ok.
func (o *OpenID) read(kept string) (back string, ok bool) {
	parts := strings.Split(kept, ".")
	if len(parts) != 3 || !isBrowserToken(parts[1]) {
		return "", false
	}
	at, err := strconv.ParseInt(parts[0], 10, 64)
	path, bad := base64.RawURLEncoding.DecodeString(parts[2])
	age := o.now().Sub(time.Unix(at, 0))
	return string(path), err == nil && bad == nil && age.Abs() < openIDLife
}

// OpenIDAnswer is the provider's answer, which the browser brings.
type OpenIDAnswer struct {
	Kept        string // the text that the browser kept
	State, Code string
	Agent, Lang string // of the browser, as for FinishLogin
}

// Entered is a finished login.
type Entered struct {
	sandlot.Account
	Session string // the token of the session, which is kept nowhere else
	Back    string // the path of the website to go to
	Opened  bool   // whether the account is new
}

// FinishOpenID logs the browser in to the account of the person, and opens one at a first login. A session that the
// caller has ends. An answer to a login of another browser, to one that began over ten minutes ago, or to none is
// sandlot.ErrNotFound; an instance that is closed answers sandlot.CodePublishClosed, and an address of a suspended
// account sandlot.CodeAccountSuspended.
func (o *OpenID) FinishOpenID(ctx context.Context, by sandlot.Caller, in OpenIDAnswer) (out Entered, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return out, err
	}
	back, ok := o.read(in.Kept)
	r := o.request(in.Kept)
	if !ok || subtle.ConstantTimeCompare([]byte(r.State), []byte(in.State)) != 1 {
		return out, sandlot.ErrNotFound
	}
	out.Back = back
	if in.Code == "" {
		return out, ErrProviderRefused
	}
	p, err := o.Provider.Exchange(ctx, in.Code, r)
	if err != nil {
		return out, err
	}
	if p.Email, err = sandlot.CleanEmail(p.Email); err != nil {
		p.Email, p.EmailVerified = "", false
	}
	if !o.admits(p) {
		return out, ErrNotAdmitted
	}
	if out.Account, out.Opened, err = o.enter(ctx, by, p, in.Lang); err != nil {
		return out, ownerMay(err)
	}
	out.Session, err = o.session(ctx, by, out.Account.ID, p, in.Agent)
	return out, err
}

// admits reports whether the instance lets a person in: with Domains, by a verified address of one of them.
func (o *OpenID) admits(p Assertion) bool { return len(o.Domains) == 0 || o.vouched(p) }

// vouched reports whether the provider speaks for the person's address.
func (o *OpenID) vouched(p Assertion) bool {
	_, domain, _ := strings.Cut(p.Email, "@")
	return p.EmailVerified && slices.Contains(o.Domains, strings.ToLower(domain))
}

// enter returns the account of a person: of the identity, else of the address if the identity may link it, else a new
// one. Of two first logins at once the second finds the account of the first.
func (o *OpenID) enter(ctx context.Context, by sandlot.Caller, p Assertion, lang string) (a sandlot.Account, opened bool, err error) {
	for range 2 {
		if a, err = o.store.AccountOfIdentity(ctx, p.Identity); !errors.Is(err, sandlot.ErrNotFound) {
			return a, false, err
		}
		if a, err = o.linked(ctx, by, p); err == nil || !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrExists) {
			return a, false, err
		}
		if a, err = o.open(ctx, by, p, lang); !errors.Is(err, sandlot.ErrExists) {
			return a, err == nil, err
		}
	}
	return a, false, err
}

// linked links an identity to the account of its address. Without such an account it is sandlot.ErrNotFound.
func (o *OpenID) linked(ctx context.Context, by sandlot.Caller, p Assertion) (sandlot.Account, error) {
	if !p.EmailVerified {
		return sandlot.Account{}, sandlot.ErrNotFound
	}
	list, err := o.store.AccountsOf(ctx, p.Email, loginAccounts)
	if err != nil || len(list) == 0 {
		return sandlot.Account{}, errors.Join(err, sandlot.ErrNotFound)
	}
	own := slices.IndexFunc(list, func(a sandlot.Account) bool { return a.ID == by.Account() })
	s, _, in := by.Login()
	switch {
	case in && own >= 0 && o.now().Sub(s.ProvedAt).Abs() < openIDFresh:
	case o.vouched(p):
		own = max(own, 0) // of several the oldest, unless its owner is logged in to another
	default:
		return sandlot.Account{}, ErrAddressTaken
	}
	return list[own], o.store.LinkIdentity(ctx, p.Identity, list[own].ID, p.Email, o.now().UTC())
}

// open opens an account for a person.
func (o *OpenID) open(ctx context.Context, by sandlot.Caller, p Assertion, lang string) (sandlot.Account, error) {
	if o.Opening == sandlot.Closed {
		return sandlot.Account{}, sandlot.Refuse(sandlot.CodePublishClosed, "This instance accepts no new projects or accounts.")
	}
	lang, _ = sandlot.CleanLang(lang)
	n := NewPerson{
		Handles: names.HandleChoices(names.FriendlyHandle(o.vault.Intn), o.vault.Intn),
		Email:   p.Email, EmailVerified: p.EmailVerified, Lang: lang, CreatedAt: o.now().UTC(),
	}
	if p.Email != "" && !p.EmailVerified {
		job := sandlot.Job{Kind: sandlot.MailVerify, Address: p.Email, Lang: lang, Due: n.CreatedAt, Asker: o.vault.Asker(by)}
		if !o.Uncounted {
			job.Asks = sandlot.ClaimAsks(job)
		}
		n.Job = &job
	}
	var a sandlot.Account
	err := Unblocked(ctx, o.Blocklist, p.Email, func(checked int64) (err error) {
		n.Blocks = checked
		if a, err = o.store.OpenAccount(ctx, p.Identity, n); errors.Is(err, ErrTooOften) {
			n.Job = nil // enough messages were sent to that address
			a, err = o.store.OpenAccount(ctx, p.Identity, n)
		}
		return err
	})
	return a, err
}

// session logs the browser in. The login counts as proved when it was at the provider.
func (o *OpenID) session(ctx context.Context, by sandlot.Caller, id sandlot.AccountID, p Assertion, agent string) (string, error) {
	token, in, err := newSession(o.vault, o.now().UTC(), id, agent)
	if err != nil {
		return "", err
	}
	if !p.ProvedAt.IsZero() && p.ProvedAt.Before(in.ProvedAt) {
		in.ProvedAt = p.ProvedAt.UTC()
	}
	if _, err = o.store.AddSession(ctx, digest(token), in); err != nil {
		return "", err
	}
	if had, _, ok := by.Login(); ok {
		if err := o.store.EndSession(ctx, had.Account, had.ID); err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return "", err
		}
	}
	return token, nil
}
