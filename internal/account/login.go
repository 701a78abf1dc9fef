package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot/internal/publish"
)

// Login is a browser's wish to log in, on its way from an address to the proof
// that whoever uses the browser reads it.
type Login struct {
	ID        int64
	Browser   publish.Digest // of the token in the browser that asked
	Email     string         // as it was typed; since the message was written, as accounts have it
	Back      string         // where to go after it: a path of the site
	Tries     int            // wrong codes so far
	Proved    bool
	AskedAt   time.Time
	ExpiresAt time.Time
}

// LoginMessage is what a store keeps of the message of a login.
type LoginMessage struct {
	Token, Code publish.Digest
	ExpiresAt   time.Time // of the login, from now on
}

// Limits of a login.
const (
	loginLife     = 15 * time.Minute // time to find a message that came late; a code of six digits must not be good for long
	formAgain     = 10 * time.Second // a form that was sent twice within it asks once
	loginTries    = 5                // wrong codes: five of a million are guessed once in 200,000 logins
	loginAccounts = 100              // of one address, to choose from
	browserToken  = 43               // letters of base62: 256 bits
)

// A LoginStore keeps logins that are not finished, under the same promises as a
// publish.Store. One that is past its ExpiresAt is not there.
type LoginStore interface {
	// AddLogin records a login in place of the one that its browser had, and enqueues its job. It returns the login's ID.
	AddLogin(ctx context.Context, l Login, job publish.Job) (int64, error)
	// Login returns the login of a browser.
	Login(ctx context.Context, browser publish.Digest, now time.Time) (Login, error)
	// LoginOfToken returns the login whose message has this token, until it is proved.
	LoginOfToken(ctx context.Context, token publish.Digest, now time.Time) (Login, error)
	// ProveLogin marks the login that has both as proved, and forgets its token and code.
	ProveLogin(ctx context.Context, browser, token publish.Digest, now time.Time) error
	// TryLogin marks a login as proved if code is its own, and forgets its token and code. Otherwise it counts a try, and ends the login at the most-th. A login that is proved is publish.ErrNotFound.
	TryLogin(ctx context.Context, id int64, code publish.Digest, most int, now time.Time) (right bool, err error)
	// LogIn ends a proved login and records a session under the hash of its token, in an account that has verified the login's address; a session that its browser had ends, if had has an ID. It returns the new session's ID. A login that is over or not proved, and any other account, is publish.ErrNotFound.
	LogIn(ctx context.Context, login int64, token publish.Digest, s, had publish.Session) (int64, error)
	// AccountsOf returns the accounts that have verified an address, in exactly this spelling, at most limit.
	AccountsOf(ctx context.Context, email string, limit int) ([]publish.Account, error)
	// CountProjects returns how many projects an account has.
	CountProjects(ctx context.Context, id publish.AccountID) (int, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id publish.AccountID, before int64, limit int) ([]publish.Project, error)
}

// LoginInput is what a browser sends to ask for a login.
type LoginInput struct {
	Email   string
	Browser string // the token it has from an earlier time, if any
	Back    string // a path of the site, of at most 500 bytes
	Lang    string // of the message
	Known   string // what Remember gave the browser, if anything
}

// AskLogin has a message sent to an address, if an account has verified it, or, if one
// has it and none has verified it, the link that verifies it once more. It
// returns the token that binds the login to the browser. Whether there is such an
// account it does not find out: the courier does, after the answer. So neither
// the answer nor its time tells.
func (s *Service) AskLogin(ctx context.Context, by publish.Caller, in LoginInput) (browser string, err error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return "", err
	}
	email, err := publish.CleanEmail(in.Email)
	if err == nil && email == "" {
		err = publish.Refuse(publish.CodeEmailRequired, "The address is missing.").In("email")
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
	before, err := s.store.Logins.Login(ctx, l.Browser, now)
	if err == nil && before.Email == email && !before.Proved && now.Sub(before.AskedAt).Abs() < formAgain {
		return browser, nil
	}
	if err != nil && !errors.Is(err, publish.ErrNotFound) {
		return "", err
	}
	_, err = s.store.Logins.AddLogin(ctx, l, publish.Job{Kind: MailLogin, Address: email, Lang: in.Lang, Due: now, Asker: s.loginAsker(by, in.Known, email)})
	return browser, err
}

// MintBrowser returns a token that binds a login to a browser, for one that has
// asked for none yet: so a form that it sends twice asks once.
func (s *Service) MintBrowser(_ context.Context, by publish.Caller) (string, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return "", err
	}
	return s.mintBrowser()
}

func (s *Service) mintBrowser() (string, error) {
	token, err := s.vault.Text(base62, browserToken)
	if err != nil {
		return "", fmt.Errorf("mint login: %w", err)
	}
	return token, nil
}

func isBrowserToken(s string) bool {
	return len(s) == browserToken && strings.Trim(s, base62) == ""
}

// PendingLogin returns the login that a browser has asked for; publish.ErrNotFound if
// there is none, or it is too old.
func (s *Service) PendingLogin(ctx context.Context, by publish.Caller, browser string) (Login, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return Login{}, err
	}
	return s.store.Logins.Login(ctx, digest(browser), s.now().UTC())
}

// LoginLink tells whether the token of a link is that of the browser's own login.
// It uses nothing up. A token that is used, too old or unknown is publish.ErrNotFound.
func (s *Service) LoginLink(ctx context.Context, by publish.Caller, browser, token string) (own bool, err error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return false, err
	}
	l, err := s.store.Logins.LoginOfToken(ctx, digest(token), s.now().UTC())
	return l.Browser == digest(browser), err
}

// UseLoginLink uses the token of a link up, which proves the browser's login. Any
// other token, and that of another browser's login, is publish.ErrNotFound.
func (s *Service) UseLoginLink(ctx context.Context, by publish.Caller, browser, token string) error {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return err
	}
	return s.store.Logins.ProveLogin(ctx, digest(browser), digest(token), s.now().UTC())
}

// UseLoginCode proves the browser's login by the code of its message, or counts a
// wrong one. After five wrong ones, and where there is none to prove, it is
// publish.ErrNotFound.
func (s *Service) UseLoginCode(ctx context.Context, by publish.Caller, browser, code string) (right bool, err error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return false, err
	}
	now := s.now().UTC()
	l, err := s.store.Logins.Login(ctx, digest(browser), now)
	if err != nil {
		return false, err
	}
	right, err = s.store.Logins.TryLogin(ctx, l.ID, hashCode(s.vault, l.ID, code), loginTries, now)
	if err == nil && !right && l.Tries+1 >= loginTries {
		return false, publish.ErrNotFound
	}
	return right, err
}

// LoginProjects is how many projects of an account a LoginChoice names.
const LoginProjects = 3

// LoginChoice is an account that a browser may enter, with the projects that were changed
// last, and how many more it has.
type LoginChoice struct {
	publish.Account
	Projects []publish.Project
	More     int
}

// LoginChoices returns what tells the accounts of LoginAccounts apart.
func (s *Service) LoginChoices(ctx context.Context, by publish.Caller, browser string) ([]LoginChoice, error) {
	list, err := s.LoginAccounts(ctx, by, browser)
	if err != nil {
		return nil, err
	}
	choices := make([]LoginChoice, len(list))
	for i, a := range list {
		c := LoginChoice{Account: a}
		if c.Projects, err = s.store.Logins.Projects(ctx, a.ID, 0, LoginProjects); err != nil {
			return nil, fmt.Errorf("list projects: %w", err)
		}
		all, err := s.store.Logins.CountProjects(ctx, a.ID)
		if err != nil {
			return nil, fmt.Errorf("count projects: %w", err)
		}
		c.More = max(all-len(c.Projects), 0)
		choices[i] = c
	}
	return choices, nil
}

// LoginAccounts returns the accounts that a browser may enter after its proof.
// None is publish.ErrNotFound, as is a login without a proof.
func (s *Service) LoginAccounts(ctx context.Context, by publish.Caller, browser string) ([]publish.Account, error) {
	l, err := s.PendingLogin(ctx, by, browser)
	if err != nil {
		return nil, err
	}
	if !l.Proved {
		return nil, publish.ErrNotFound
	}
	list, err := s.store.Logins.AccountsOf(ctx, l.Email, loginAccounts)
	if err == nil && len(list) == 0 {
		err = publish.ErrNotFound // the address was changed since
	}
	return list, err
}

// FinishLogin makes a proved login a session in the account of that handle, and
// returns the session's token and where to go. It ends the session that the
// caller had, if any: one in the same account goes on as the new one. An account that is not the address's is publish.ErrNotFound.
func (s *Service) FinishLogin(ctx context.Context, by publish.Caller, browser, handle, agent string) (token, back string, err error) {
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
	return "", "", publish.ErrNotFound
}

// logIn records a session whose owner has just proved that they read the
// account's address. Of two at once one gets in, and none after the account has
// another address.
func (s *Service) logIn(ctx context.Context, l Login, id publish.AccountID, agent string, had publish.Session) (token string, err error) {
	if token, err = s.vault.Text(base62, browserToken); err != nil {
		return "", fmt.Errorf("mint session: %w", err)
	}
	now := s.now().UTC()
	in := publish.Session{Account: id, Agent: agent[:min(len(agent), maxAgent)], CreatedAt: now, ProvedAt: now, SeenAt: now, ExpiresAt: now.Add(publish.SessionLife)}
	if had.ID != 0 && had.Account == id {
		in.CreatedAt = had.CreatedAt
	}
	_, err = s.store.Logins.LogIn(ctx, l.ID, digest(token), in, had)
	return token, err
}

// hashCode hashes the code of a login's message under the installation's secret:
// who reads the records cannot find it by trying.
func hashCode(vault *publish.Vault, login int64, code string) publish.Digest {
	return vault.Keyed("login code", fmt.Sprintf("%d %s", login, code))
}
