package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// createTries bounds the draws of fresh names after every name of one draw was taken.
const createTries = 5

// Signup creates an account without a project. The account is always a new one: a key means nothing here. It is durable
// when Signup returns, and no other answer has its key. With an address, a message with a link that verifies it is due.
// With in.Idempotency a repeat within IdempotencyLife returns the first answer and creates nothing. An instance that
// takes no new accounts answers CodePublishClosed.
//
// With an invitation it also creates one where a key is needed, and uses the invitation up: an invitation that opens no
// account any more is ErrNotFound.
func (s *Service) Signup(ctx context.Context, by sandlot.Caller, in SignupInput) (SignedUp, error) {
	by = sandlot.Caller{From: by.From}
	if err := s.admitNew(by); err != nil && (in.Invitation == "" || s.Opening == sandlot.Closed) {
		return SignedUp{}, err
	}
	asked := []any{in.Handle, in.Email, in.Lang}
	if in.Invitation != "" {
		asked = append(asked, in.Invitation)
	}
	req, err := s.idempotency.newRequest(by, in.Idempotency, sandlot.OpSignup, nil, Content{}, asked...)
	if err != nil {
		return SignedUp{}, err
	}
	email, warnings, err := s.readEmail(in.Email)
	if err != nil {
		return SignedUp{}, err
	}
	lang, w := sandlot.CleanLang(in.Lang)
	out, err := idempotent(ctx, s.idempotency, req, func() (SignedUp, error) {
		return s.createAccount(ctx, by, in, email, lang, req)
	}, func(rec IdempotencyRecord, keys Minted) (SignedUp, error) {
		return s.recordedSignup(ctx, email, rec, keys)
	})
	out.Mailed = out.email == EmailSet && s.sends()
	out.Warnings = slices.Concat(warnings, w, s.mailWarnings(by, out.email))
	return out, err
}

// createAccount records an account under the first free handle.
func (s *Service) createAccount(ctx context.Context, by sandlot.Caller, in SignupInput, email, lang string,
	req *request,
) (out SignedUp, err error) {
	err = retryTaken(func() error {
		words := newProject{Handle: in.Handle, Email: email, Described: Described{Lang: lang}}
		na, keys, err := s.newAccount(by, words, &out.email)
		if err != nil {
			return err
		}
		if in.Invitation != "" {
			entry := sandlot.LogEntry{At: na.CreatedAt, Actor: sandlot.ActorOwner, Action: sandlot.ActionJoin}
			na.Join = &Joining{sandlot.DigestOf([]byte(in.Invitation)), entry}
		}
		if na.Idempotency, err = s.idempotency.record(req, "", 0, out.email, keys, made{}); err != nil {
			return err
		}
		if na.Blocks, err = s.unblocked(ctx, by, Screening{Email: email}); err != nil {
			return err
		}
		out.Key, out.Connect = keys.Account, keys.Connect
		out.Account, err = s.store.CreateAccount(ctx, na)
		return out.email.unlessFull(err)
	})
	return out, err
}

// owners makes accounts, and their addresses. It may be used concurrently.
type owners struct {
	accounts  Store
	vault     *sandlot.Vault
	now       func() time.Time
	uncounted bool // messages have no limit per sender
}

// handleChoices returns the handles to try, best first. A wish is never refused: a handle that is taken, reserved or
// badly formed becomes the nearest free one.
func (s *owners) handleChoices(want string) []string {
	if want == "" {
		want = names.FriendlyHandle(s.vault.Intn)
	}
	return names.HandleChoices(want, s.vault.Intn)
}

// newAccount draws the names of a new account, the code of its connect_url, and its key unless a tool makes it. outcome
// is that of the previous try, and is set to that of this one.
func (s *owners) newAccount(by sandlot.Caller, words newProject, outcome *EmailOutcome) (na NewAccount, keys Minted, err error) {
	na = NewAccount{Handles: s.handleChoices(words.Handle), Email: words.Email, Lang: words.Lang, CreatedAt: s.now().UTC()}
	if !words.Tool {
		if na.Key, keys.Account, err = newKey(s.vault, na.CreatedAt, sandlot.AccountKey, "account key"); err != nil {
			return na, keys, err
		}
	}
	if keys.Connect, err = s.vault.MintToken(names.ConnectPrefix); err != nil {
		return na, keys, err
	}
	na.Connect = Connecting{keys.Connect.Hash(), na.CreatedAt.Add(ConnectLife)}
	if na.Email != "" && *outcome != EmailUnsent {
		job := s.verifyJob(by, na.Email, na.Lang)
		na.Job, *outcome = &job, EmailSet
	}
	return na, keys, nil
}

// newKey draws a key, and returns its record and its secret. Neither has an owner yet: the step that records it sets
// the owner.
func newKey(v *sandlot.Vault, now time.Time, kind sandlot.KeyKind, name string) (sandlot.Key, sandlot.Secret, error) {
	prefix := map[sandlot.KeyKind]string{
		sandlot.AccountKey: names.AccountPrefix, sandlot.ProjectKey: names.ProjectPrefix, sandlot.EditToken: names.EditPrefix,
	}[kind]
	secret, err := v.MintToken(prefix)
	if err != nil {
		return sandlot.Key{}, "", err
	}
	k := sandlot.Key{Hash: secret.Hash(), Kind: kind, Name: name, CreatedAt: now.UTC()}
	k.LastFour = string(secret[len(secret)-4:])
	return k, secret, nil
}

// verifyJob returns the job of the message with the link that verifies an address. It counts against the caller, so
// that the requests of strangers take nothing from an owner's share.
func (s *owners) verifyJob(by sandlot.Caller, email, lang string) sandlot.Job {
	j := sandlot.Job{Kind: sandlot.MailVerify, Account: by.Account(), Address: email, Lang: lang, Due: s.now().
		UTC(), Asker: s.vault.Asker(by)}
	if !s.uncounted {
		j.Asks = sandlot.ClaimAsks(j)
	}
	return j
}

// unlessFull sets the outcome to EmailUnsent if a step was refused because the sender of its message has reached a
// limit: the step is tried again without the message.
func (e *EmailOutcome) unlessFull(err error) error {
	if errors.Is(err, sandlot.ErrTooOften) {
		*e = EmailUnsent
	}
	return err
}

// pendingEmail decides the effect of an address on a keyed call. It becomes the unverified address of the account,
// unless the account has a verified one; a project key cannot change the account. An ignored address does not fail the
// call: mailWarnings warns about it. before is the outcome of the previous try.
func (s *owners) pendingEmail(ctx context.Context, by sandlot.Caller, address, lang string,
	before EmailOutcome,
) (*NewEmail, EmailOutcome, error) {
	email, err := sandlot.CleanEmail(address)
	if err != nil || email == "" {
		return nil, EmailNone, err
	}
	if by.Scoped() {
		return nil, EmailIgnored, nil
	}
	a, err := s.accounts.Account(ctx, by.Account())
	if err != nil {
		return nil, EmailNone, fmt.Errorf("read account: %w", err)
	}
	if a.EmailVerified {
		return nil, EmailIgnored, nil
	}
	if lang == "" {
		lang = a.Lang
	}
	if before == EmailUnsent {
		return &NewEmail{Address: email}, EmailUnsent, nil
	}
	return &NewEmail{Address: email, Job: s.verifyJob(by, email, lang)}, EmailSet, nil
}

// sends reports whether messages leave by SMTP now. If they do not, they are kept and sent
// later, or written to the folder of the operator.
func (s *warner) sends() bool { return s.SMTP && (s.MailUp == nil || s.MailUp()) }

// mailWarnings warns why an address was ignored, or in which folder the message lies if it is not sent.
func (s *warner) mailWarnings(by sandlot.Caller, outcome EmailOutcome) []sandlot.Warning {
	switch {
	case outcome == EmailIgnored && by.Scoped():
		return []sandlot.Warning{sandlot.Warn("email_ignored",
			"The field email was ignored: a project key cannot change the account.",
			"Send it with the account's api_key.")}
	case outcome == EmailIgnored:
		return []sandlot.Warning{sandlot.Warn("email_ignored",
			"The field email was ignored: the account has a verified address.",
			"Leave email out; to use another address, sign up for a new account.")}
	case outcome == EmailUnsent:
		return []sandlot.Warning{sandlot.Warn(
			"mail_limit", "No message was sent: enough messages with a verification link were sent to this address for you today.",
			"You need not publish again. "+
				"Whoever reads the address logs in with it at "+s.Places.Base.String()+"/login and finds this account under /account.",
		)}
	case outcome == EmailNone || s.sends():
		return nil
	case s.SMTP:
		return []sandlot.Warning{sandlot.Warn(
			"mail_delayed", "The mail server of this instance cannot be reached now: "+
				"the message with the verification link is kept, and sent when it can be.",
			"You need not send anything again. If no message comes within a day, send the address again with update and the api_key.",
		)}
	}
	return []sandlot.Warning{sandlot.Warn(
		"mail_not_sent", "This instance doesn't send email. The message with the verification link was saved to "+s.MailFolder+".",
		"The operator can read it there, or start the service with --smtp-url.",
	)}
}

// retryTaken tries a step again with freshly drawn names while a name is taken, or if the account's address was
// verified since it was read, or a message was over a limit. Names are random enough that a second try nearly always
// succeeds. It also tries again while the blocklist changes, more often: somebody may be adding to it.
func retryTaken(try func() error) error {
	var err error
	for tries, moves := 0, 0; tries < createTries && moves < editTries; {
		switch err = try(); {
		case errors.Is(err, sandlot.ErrBlocksMoved):
			moves++
		case errors.Is(err, sandlot.ErrExists), errors.Is(err, sandlot.ErrVerified), errors.Is(err, sandlot.ErrTooOften):
			tries++
		default:
			return err
		}
	}
	if errors.Is(err, sandlot.ErrBlocksMoved) {
		return sandlot.Refuse(sandlot.CodeUnavailable, "The blocklist changed too often meanwhile. Nothing was changed.").
			With(sandlot.OpWait).After(time.Second)
	}
	return fmt.Errorf("no free name after %d draws: %w", createTries, err)
}

// Admit makes the decisions that need no body, before one is read: whether by may do act at all, and whether the
// instance takes new projects. The call itself decides again.
func (s *Service) Admit(_ context.Context, by sandlot.Caller, act sandlot.Action) error {
	if err := sandlot.Authorize(by, act, nil); err != nil || act != sandlot.ActPublish && act != sandlot.ActImport {
		return err
	}
	return s.admitNew(by)
}

// EmailOutcome is the effect of a call on the e-mail address that came with it.
type EmailOutcome int

// The outcomes. Stores keep the numbers, so they never change.
const (
	EmailNone    EmailOutcome = iota // no address came
	EmailSet                         // it was set, and is to be verified
	EmailIgnored                     // it was ignored, with a warning
	EmailUnsent                      // it was set, and no message sent: its sender has reached a limit
)
