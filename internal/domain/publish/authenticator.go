package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// sessionSeen is how often it is noted that a session lives: a write for each page would be many.
const sessionSeen = time.Hour

// A CredentialStore finds what callers present by its hash, under the same promises as a Store.
type CredentialStore interface {
	// KeyByHash returns the key with this hash. A revoked key, and one whose project is gone, is ErrNotFound.
	KeyByHash(ctx context.Context, hash sandlot.Digest) (sandlot.Key, error)
	// UploadOfToken returns the key of the upload with this token. One that is past its ExpiresAt
	// is ErrNotFound.
	UploadOfToken(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Digest, error)
	// Ticket returns a ticket by its hash, with the key that asked for it if one did. One that is
	// past its ExpiresAt is ErrNotFound, and so is one whose key was revoked or is of a project or
	// account that is gone.
	Ticket(ctx context.Context, hash sandlot.Digest, now time.Time) (sandlot.Ticket, sandlot.Key, error)
	// Session returns the session of a token and its account. One that has expired, and one of an
	// account that is gone, is ErrNotFound.
	Session(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Session, sandlot.Account, error)
	// SeeSession records that a session was seen, and until when it lives now.
	SeeSession(ctx context.Context, id int64, seen, expires time.Time) error
}

// An Authenticator makes the Caller of what a request presented; except AsOperator nothing else
// makes one. Every look-up asks the store, so a key that is revoked and a session that is ended
// count from the next request on, in every process. Its fields are set before it is used. It
// may be used concurrently.
//
// It does not slow down whoever tries keys: package admission does, above it.
type Authenticator struct {
	Store CredentialStore
	Uses  *KeyUses // of the keys that it finds; nil: they are not remembered
	Now   func() time.Time
	Log   *slog.Logger
}

// Identify finds out who asks. Nothing presented is nobody. A key that is mistyped is told so
// without a look-up; one that is unknown, revoked or belongs to a deleted project is
// CodeInvalidKey, as is an upload_token that is unknown or whose upload has expired. An
// upload_token that is known is nobody, who may join its upload. A ticket is who asked for it, as
// they stand now; see Caller.Ticket. A session that is unknown or
// over is ErrNotFound; one that is not is noted as seen, once an hour at most, and lives for
// SessionLife from then on.
//
// The key of a suspended account is found: Authorize decides what it may still do. Any other
// error is the store's.
func (a *Authenticator) Identify(ctx context.Context, presented sandlot.Presented, from sandlot.Sender) (sandlot.Caller, error) {
	switch {
	case presented.Session != "":
		return a.session(ctx, presented.Session, from)
	case presented.Key == "":
		return sandlot.Caller{From: from}, nil
	case isUploadToken(presented.Key):
		return a.uploadToken(ctx, presented.Key, from)
	case strings.HasPrefix(presented.Key.Reveal(), names.TicketPrefix):
		return a.ticket(ctx, presented.Key, from)
	}
	return a.key(ctx, presented.Key, from)
}

// key looks a key up by its hash. The checksum comes first: most wrong keys are mistyped or
// cut, and are told so without asking the store.
func (a *Authenticator) key(ctx context.Context, secret sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	if !inspect.LooksLikeKey(secret.Reveal()) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The key is mistyped or cut off.").
			With(sandlot.OpPresentKey).Note("Copy the whole key: sla_ or slp_ and 36 characters.")
	}
	k, err := a.Store.KeyByHash(ctx, secret.Hash())
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, unknownKey()
	}
	if err != nil {
		return sandlot.Caller{}, fmt.Errorf("look up key: %w", err)
	}
	a.Uses.note(k.ID, a.Now().UTC())
	return sandlot.Identified(from, sandlot.Credential{Secret: secret, Key: &k}), nil
}

// unknownKey is the refusal of a key that is not in force. Whether it ever was is not told.
func unknownKey() error {
	return sandlot.Refuse(sandlot.CodeInvalidKey, "The key is unknown here or was revoked.").
		With(sandlot.OpPresentKey).Note("Use the api_key that an earlier publish or signup on this instance returned.")
}

// uploadToken finds the upload of an upload_token.
func (a *Authenticator) uploadToken(ctx context.Context, token sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	if !inspect.LooksLikeUploadToken(token.Reveal()) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The upload_token is mistyped or cut: it does not have the form or the checksum of one.").
			With(sandlot.OpWait).Note("Copy the whole upload_token from the answer to part 1: slu_ and 36 characters.")
	}
	upload, err := a.Store.UploadOfToken(ctx, token.Hash(), a.Now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The upload_token is unknown here, or its upload has expired.").
			With(sandlot.OpWait).Note("Begin the upload anew: send part 1 without a key, and use the upload_token of its answer.")
	}
	if err != nil {
		return sandlot.Caller{}, fmt.Errorf("look up upload_token: %w", err)
	}
	return sandlot.Identified(from, sandlot.Credential{Upload: &upload}), nil
}

// ticket finds out who asked for a ticket.
func (a *Authenticator) ticket(ctx context.Context, secret sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	if !inspect.LooksLikeTicket(secret.Reveal()) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The ticket is mistyped or cut: it does not have the form or the checksum of one.").
			With(sandlot.OpTicket).Note("Copy the whole ticket: slt_ and 36 characters. Or ask for another.")
	}
	t, key, err := a.Store.Ticket(ctx, secret.Hash(), a.Now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The ticket is unknown here or has expired, or the key that asked for it was revoked.").
			With(sandlot.OpTicket).Note("A ticket is good for %d minutes. Ask for another, with the same fields:", int(sandlot.TicketLife.Minutes()))
	}
	if err != nil {
		return sandlot.Caller{}, fmt.Errorf("look up ticket: %w", err)
	}
	found := sandlot.Credential{Secret: secret, Ticket: &t}
	if t.Key != 0 {
		a.Uses.note(t.Key, a.Now().UTC())
		found.Key = &key
	}
	return sandlot.Identified(from, found), nil
}

// session looks a browser's session up by its token.
func (a *Authenticator) session(ctx context.Context, token string, from sandlot.Sender) (sandlot.Caller, error) {
	now := a.Now().UTC()
	found, account, err := a.Store.Session(ctx, sandlot.DigestOf([]byte(token)), now)
	if err != nil {
		return sandlot.Caller{}, err
	}
	if now.Sub(found.SeenAt).Abs() >= sessionSeen {
		found.SeenAt, found.ExpiresAt = now, now.Add(sandlot.SessionLife)
		if err := a.Store.SeeSession(ctx, found.ID, found.SeenAt, found.ExpiresAt); err != nil {
			a.Log.Warn("session not noted as seen", "error", err) // it goes on, only not for longer
		}
	}
	return sandlot.Identified(from, sandlot.Credential{Session: &found, Account: &account}), nil
}

// A KeyUseStore records when keys were used, under the same promises as a Store.
type KeyUseStore interface {
	// TouchKeys records when keys were last used; a time earlier than the recorded one changes nothing.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
}

// KeyUses remembers when keys were used and writes it every two seconds, all at once, so that
// no request waits for it. A crash loses what was not written yet. A nil one remembers nothing.
// The methods may be called concurrently.
type KeyUses struct {
	store    KeyUseStore
	log      *slog.Logger
	failures *worker.Failures

	mu sync.Mutex
	at map[int64]time.Time
}

// NewKeyUses makes KeyUses, which whoever made it has to run. failures counts what could not be
// written.
func NewKeyUses(store KeyUseStore, log *slog.Logger, failures *worker.Failures) *KeyUses {
	return &KeyUses{store: store, log: log, failures: failures, at: map[int64]time.Time{}}
}

// note remembers a use of a key.
func (u *KeyUses) note(key int64, at time.Time) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[key] = at
}

// take returns what was noted and begins anew, so that noting does not wait for the write.
func (u *KeyUses) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = map[int64]time.Time{}
	return taken
}

// Flush writes what is still in memory. What cannot be written is lost, and counted: a key's
// next use is remembered again.
func (u *KeyUses) Flush(ctx context.Context) error {
	used := u.take()
	if len(used) == 0 {
		return nil
	}
	if err := u.store.TouchKeys(ctx, used); err != nil {
		u.failures.Add(1)
		return fmt.Errorf("write key uses: %w", err)
	}
	return nil
}

// Run writes every two seconds until ctx ends, and then once more. It returns after that.
func (u *KeyUses) Run(ctx context.Context) { worker.FlushUntil(ctx, "key uses", u.Flush, u.log) }
