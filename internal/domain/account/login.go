package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
)

// Login is a login that a browser has requested and not finished: it has named an address, and has yet to prove that
// its user reads the messages to that address.
type Login struct {
	ID        int64
	Browser   sandlot.Digest // of the token in the browser
	Email     string         // as it was typed; once the message is written, in the accounts' spelling
	Back      string         // the page to go to after the login: a path of the website
	Tries     int            // wrong codes so far
	Proved    bool           // whether the link or the code was used
	AskedAt   time.Time
	ExpiresAt time.Time
}

// LoginMessage is the record of the message of a login: hashes of its token and code.
type LoginMessage struct {
	Token, Code sandlot.Digest
	ExpiresAt   time.Time // of the login, from now on
}

// Limits of a login.
const (
	loginLife     = 15 * time.Minute // time to find a message that came late; a code of six digits must not be good for long
	formAgain     = 10 * time.Second // a form that is sent twice within this time has its effect once
	loginTries    = 5                // wrong codes: five of a million are guessed once in 200,000 logins
	loginAccounts = 100              // the most accounts of one address that a browser may choose from
	browserToken  = 43               // characters of base62: 256 bits
)

// A LoginStore keeps logins that are not finished, under the same promises as a publish.Store. It has none past its
// ExpiresAt.
type LoginStore interface {
	// AddLogin records a login in place of the browser's former one, and enqueues its job. It returns the login's ID.
	// job.Asks is checked in the same step: see sandlot.Job.
	AddLogin(ctx context.Context, l Login, job sandlot.Job) (int64, error)
	// Login returns the login of a browser.
	Login(ctx context.Context, browser sandlot.Digest, now time.Time) (Login, error)
	// LoginOfToken returns the login whose message has this token, until it is proved.
	LoginOfToken(ctx context.Context, token sandlot.Digest, now time.Time) (Login, error)
	// ProveLogin marks the login with this browser and token as proved, and forgets its token and code.
	ProveLogin(ctx context.Context, browser, token sandlot.Digest, now time.Time) error
	// TryLogin marks a login as proved if code is its own, and forgets its token and code. Otherwise it counts a try,
	// and ends the login at the most-th. A proved login is sandlot.ErrNotFound.
	TryLogin(ctx context.Context, id int64, code sandlot.Digest, most int, now time.Time) (right bool, err error)
	// LogIn ends a proved login and records a session under the hash of its token, in an account that has verified the
	// login's address; if had has an ID, that session of its browser ends. It returns the new session's ID. A login
	// that is over or not proved, and any other account, is sandlot.ErrNotFound.
	LogIn(ctx context.Context, login int64, token sandlot.Digest, s, had sandlot.Session) (int64, error)
	// AccountsOf returns the accounts that have verified an address, in exactly this spelling, at most limit.
	AccountsOf(ctx context.Context, email string, limit int) ([]sandlot.Account, error)
	// CountProjects returns the number of projects of an account.
	CountProjects(ctx context.Context, id sandlot.AccountID) (int, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
}

// Logins holds the calls by which a browser logs in to an account. Its methods keep the promises of a Service.
type Logins struct {
	store     LoginStore
	vault     *sandlot.Vault
	now       func() time.Time
	forms     *turns.Locks[sandlot.Digest] // held while a form that causes a message is recorded
	Uncounted bool                         // messages have no limit per sender
}

// LoginInput is a browser's request for a login.
type LoginInput struct {
	Email   string
	Browser string // the token that the browser has from an earlier AskLogin or MintBrowser, if any
	Back    string // a path of the website, of at most 500 bytes
	Lang    string // of the message, as BCP 47
	Known   string // the words that the browser has from Remember, if any
}

// AskLogin has a message with a link and a code sent to an address, if an account has verified it. If accounts have the
// address and none has verified it, the message has the link that verifies it instead. If no account has it, nothing is
// sent.
//
// AskLogin returns the token that binds the login to the browser, for at most 15 minutes. It does not look for an
// account: the Courier does that, after the answer, so that neither the answer nor its time reveals one. A second call
// with the same token and address within ten seconds sends nothing more; a later one replaces the login. A missing or
// malformed address is sandlot.CodeEmailRequired or sandlot.CodeInvalidEmail. The fourth message to one mailbox from a
// network within a day is sandlot.CodeRateLimited, whether or not an account has the address; a browser that was logged
// in with it may request more.
func (s *Logins) AskLogin(ctx context.Context, by sandlot.Caller, in LoginInput) (browser string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", err
	}
	email, err := sandlot.CleanEmail(in.Email)
	if err == nil && email == "" {
		err = sandlot.Refuse(sandlot.CodeEmailRequired, "The address is missing.").In("email")
	}
	if err != nil {
		return "", err
	}
	if browser = in.Browser; !isBrowserToken(browser) {
		if browser, err = s.mintBrowser(); err != nil {
			return "", err
		}
	}
	unlock, err := s.forms.Lock(ctx, digest(browser))
	if err != nil {
		return "", err
	}
	defer unlock()
	now := s.now().UTC()
	l := Login{Browser: digest(browser), Email: email, Back: in.Back, AskedAt: now, ExpiresAt: now.Add(loginLife)}
	before, err := s.store.Login(ctx, l.Browser, now)
	if err == nil && before.Email == email && !before.Proved && now.Sub(before.AskedAt).Abs() < formAgain {
		return browser, nil
	}
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return "", err
	}
	job := sandlot.Job{Kind: MailLogin, Address: email, Lang: in.Lang, Due: now, Asker: s.loginAsker(by, in.Known, email)}
	if !s.Uncounted {
		job.Asks = loginAsks(job)
	}
	_, err = s.store.AddLogin(ctx, l, job)
	if errors.Is(err, ErrTooOften) {
		err = sandlot.Refuse(sandlot.CodeRateLimited, "This network asked for %d messages to this address in a day.",
			loginsByOne).In("email").After(sandlot.MailDay)
	}
	return browser, err
}

// MintBrowser returns a token for a browser that has not requested a login yet. If it is kept with the form, a form
// that is sent twice causes one message.
func (s *Logins) MintBrowser(_ context.Context, by sandlot.Caller) (string, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", err
	}
	return s.mintBrowser()
}

// mintBrowser draws a token of a browser.
func (s *Logins) mintBrowser() (string, error) {
	token, err := s.vault.Text(base62, browserToken)
	if err != nil {
		return "", fmt.Errorf("mint login: %w", err)
	}
	return token, nil
}

// isBrowserToken reports whether s has the form of a token of a browser.
func isBrowserToken(s string) bool {
	return len(s) == browserToken && strings.Trim(s, base62) == ""
}

// PendingLogin returns the login that a browser has requested. If there is none, or it is older than 15 minutes, the
// error is sandlot.ErrNotFound.
func (s *Logins) PendingLogin(ctx context.Context, by sandlot.Caller, browser string) (Login, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Login{}, err
	}
	return s.store.Login(ctx, digest(browser), s.now().UTC())
}

// LoginLink reports whether the token of a link belongs to the browser's own login. It changes
// nothing. A token that is used, expired or unknown is sandlot.ErrNotFound.
func (s *Logins) LoginLink(ctx context.Context, by sandlot.Caller, browser, token string) (own bool, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return false, err
	}
	l, err := s.store.LoginOfToken(ctx, digest(token), s.now().UTC())
	return l.Browser == digest(browser), err
}

// UseLoginLink consumes the token of a link and marks the browser's login as proved. Any other token, that of another
// browser's login included, is sandlot.ErrNotFound and is not consumed.
func (s *Logins) UseLoginLink(ctx context.Context, by sandlot.Caller, browser, token string) error {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return err
	}
	return s.store.ProveLogin(ctx, digest(browser), digest(token), s.now().UTC())
}

// UseLoginCode marks the browser's login as proved if code is the one in its message, and
// counts a wrong code otherwise. The fifth wrong code ends the login: then, and if there is no
// login to prove, the error is sandlot.ErrNotFound.
func (s *Logins) UseLoginCode(ctx context.Context, by sandlot.Caller, browser, code string) (right bool, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return false, err
	}
	now := s.now().UTC()
	l, err := s.store.Login(ctx, digest(browser), now)
	if err != nil {
		return false, err
	}
	right, err = s.store.TryLogin(ctx, l.ID, hashCode(s.vault, l.ID, code), loginTries, now)
	if err == nil && !right && l.Tries+1 >= loginTries {
		return false, sandlot.ErrNotFound
	}
	return right, err
}

// LoginProjects is the most projects of an account in a LoginChoice.
const LoginProjects = 3

// LoginChoice is an account that a browser may enter, or take over, with details that distinguish it from others of the
// same address.
type LoginChoice struct {
	sandlot.Account
	Projects []sandlot.Project // at most LoginProjects, the last changed first
	More     int               // the number of other projects of the account
}

// LoginChoices returns the accounts of LoginAccounts with projects of each, and the same errors.
func (s *Logins) LoginChoices(ctx context.Context, by sandlot.Caller, browser string) ([]LoginChoice, error) {
	list, err := s.LoginAccounts(ctx, by, browser)
	if err != nil {
		return nil, err
	}
	return choices(ctx, s.store, list)
}

// LoginAccounts returns the accounts that a browser may enter with its proved login, at most
// 100. If there is none, or the login is not proved, the error is sandlot.ErrNotFound.
func (s *Logins) LoginAccounts(ctx context.Context, by sandlot.Caller, browser string) ([]sandlot.Account, error) {
	l, err := s.PendingLogin(ctx, by, browser)
	if err != nil {
		return nil, err
	}
	if !l.Proved {
		return nil, sandlot.ErrNotFound
	}
	list, err := s.store.AccountsOf(ctx, l.Email, loginAccounts)
	if err == nil && len(list) == 0 {
		err = sandlot.ErrNotFound // the address was changed since
	}
	return list, err
}

// FinishLogin ends a proved login with a session in the account of that handle. It returns the token of the session,
// which is kept nowhere else, and the path of the website to go to. agent is the browser's name for itself; 200 bytes
// of it are kept, as far as they are text. A session that the caller has ends; in the same account, the new session
// keeps the time at which the old one began. A handle that is not among LoginAccounts is sandlot.ErrNotFound.
func (s *Logins) FinishLogin(ctx context.Context, by sandlot.Caller, browser, handle, agent string) (token, back string, err error) {
	list, err := s.LoginAccounts(ctx, by, browser)
	if err != nil {
		return "", "", err
	}
	l, err := s.PendingLogin(ctx, by, browser)
	if err != nil {
		return "", "", err
	}
	had, _, _ := by.Login()
	for _, a := range list {
		if a.Handle == handle {
			token, err = s.logIn(ctx, l, a.ID, agent, had)
			return token, l.Back, err
		}
	}
	return "", "", sandlot.ErrNotFound
}

// logIn records a session whose owner has just proved that they read the account's address. Of two calls with the same
// login one succeeds. None does once the account has another address.
func (s *Logins) logIn(ctx context.Context, l Login, id sandlot.AccountID, agent string, had sandlot.Session) (token string, err error) {
	token, in, err := newSession(s.vault, s.now().UTC(), id, agent)
	if err != nil {
		return "", err
	}
	if had.ID != 0 && had.Account == id {
		in.CreatedAt = had.CreatedAt
	}
	_, err = s.store.LogIn(ctx, l.ID, digest(token), in, had)
	return token, err
}

// newSession draws a session in an account whose owner has just proved that they read its address.
func newSession(v *sandlot.Vault, now time.Time, id sandlot.AccountID, agent string) (token string, in sandlot.Session, err error) {
	if token, err = v.Text(base62, browserToken); err != nil {
		return "", in, fmt.Errorf("mint session: %w", err)
	}
	return token, sandlot.Session{
		Account: id, Agent: asText(agent[:min(len(agent), maxAgent)]),
		CreatedAt: now, ProvedAt: now, SeenAt: now, ExpiresAt: now.Add(sandlot.SessionLife),
	}, nil
}

// asText returns s without the bytes that some databases cannot hold in a text.
func asText(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
}

// hashCode hashes the code of a login's message under the installation's secret. There are only a million codes, and a
// reader of the records must not find one by trying them all.
func hashCode(vault *sandlot.Vault, login int64, code string) sandlot.Digest {
	return vault.Keyed("login code", fmt.Sprintf("%d %s", login, code))
}
