// Package identity finds the caller of a request by the presented credential: a key, a token, a ticket or a session.
package identity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// sessionSeen is the least time between two notes that a session is in use: a write for each page would be too many.
const sessionSeen = time.Hour

// editTokenSeen is the same for an edit_token.
const editTokenSeen = 24 * time.Hour

// A Store finds keys, tokens, tickets and sessions by their hashes, under the same promises as a publish.Store.
type Store interface {
	// KeyByHash returns the key with this hash. A revoked key, or one of a deleted project, is ErrNotFound.
	KeyByHash(ctx context.Context, hash sandlot.Digest) (sandlot.Key, error)
	// KeyByToken returns the key of the grant of an access token. A token past its ExpiresAt is ErrNotFound, and so is
	// one whose grant was revoked or belongs to a deleted project or account.
	KeyByToken(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Key, error)
	// UploadOfToken returns the key of the upload with this token. An upload past its ExpiresAt is ErrNotFound.
	UploadOfToken(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Digest, error)
	// Ticket returns a ticket by its hash, with the key that requested it, if any. A ticket past its ExpiresAt is
	// ErrNotFound, and so is one whose key was revoked or belongs to a deleted project or account.
	Ticket(ctx context.Context, hash sandlot.Digest, now time.Time) (sandlot.Ticket, sandlot.Key, error)
	// Session returns the session of a token and its account. An expired session, or one of a deleted account, is
	// ErrNotFound.
	Session(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Session, sandlot.Account, error)
	// SeeSession records when a session was seen, and its new expiry.
	SeeSession(ctx context.Context, id int64, seen, expires time.Time) error
}

// An Authenticator makes the Caller from the credentials of a request; nothing else makes one, except AsOperator. Every
// look-up queries the store, so a revoked key and an ended session count from the next request on, in every process.
// Its fields are set before it is used. It may be used concurrently.
//
// It does not slow down guesses at keys: package admission does, above it.
type Authenticator struct {
	Store Store
	Uses  *KeyUses // of the keys that it finds; nil: uses are not recorded
	Now   func() time.Time
	Log   *slog.Logger
}

// Identify finds the caller of a request. No credential is nobody. A mistyped key is refused without a look-up; one
// that is unknown, revoked or belongs to a deleted project is CodeInvalidKey, as is an upload_token that is unknown or
// whose upload has expired. A known upload_token is nobody, who may join its upload. A ticket is the caller that
// requested it, with the rights of now; see Caller.Ticket. An edit_token that a tool presents is a caller who edits one
// project; from any other it is CodeInvalidKey, and so is one without use for EditTokenIdle. An access token is its grant's
// key; a refresh token and a device_code are CodeInvalidKey. A session that is unknown or
// over is ErrNotFound; any other is noted as seen, once an hour at most, and lives for SessionLife from then on.
//
// The key of a suspended account is found: Authorize decides its rights. Any other error is the store's.
func (a *Authenticator) Identify(ctx context.Context, presented sandlot.Presented, from sandlot.Sender) (sandlot.Caller, error) {
	switch {
	case presented.Session != "":
		return a.session(ctx, presented.Session, from)
	case presented.Key == "":
		return sandlot.Caller{From: from}, nil
	case strings.HasPrefix(presented.Key.Reveal(), names.UploadPrefix):
		return a.uploadToken(ctx, presented.Key, from)
	case strings.HasPrefix(presented.Key.Reveal(), names.TicketPrefix):
		return a.ticket(ctx, presented.Key, from)
	case strings.HasPrefix(presented.Key.Reveal(), names.EditPrefix):
		return a.editToken(ctx, presented, from)
	case strings.HasPrefix(presented.Key.Reveal(), names.AccessPrefix):
		return a.accessToken(ctx, presented.Key, from)
	case strings.HasPrefix(presented.Key.Reveal(), names.RefreshPrefix), strings.HasPrefix(presented.Key.Reveal(), names.DevicePrefix):
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "That gets an access token at /oauth/token, and is none itself.").
			With(sandlot.OpSame).Note("Send the access_token (slo_...) of the answer of /oauth/token.")
	}
	return a.key(ctx, presented.Key, from)
}

// editToken looks an edit_token up, which only a tool may present. It notes a use once a day at most.
func (a *Authenticator) editToken(ctx context.Context, presented sandlot.Presented, from sandlot.Sender) (sandlot.Caller, error) {
	if !presented.Tool {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey,
			"That is an edit_token, which is no key: it is for the tools of /mcp, as their argument edit_token.").
			With(sandlot.OpPresentKey).Note("Call the tool with it. A call of the API needs a key, which the user makes under /account/keys.")
	}
	var k sandlot.Key
	err := error(sandlot.ErrNotFound)
	if inspect.LooksLikeEditToken(presented.Key.Reveal()) {
		k, err = a.Store.KeyByHash(ctx, presented.Key.Hash())
	}
	now := a.Now().UTC()
	if err == nil && (k.Kind != sandlot.EditToken || now.Sub(k.LastUsedAt) >= sandlot.EditTokenIdle) {
		err = sandlot.ErrNotFound
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey,
			"The edit_token is mistyped, unknown here, or has ended: after %d days without use, or because an account has the project now.",
			int(sandlot.EditTokenIdle.Hours()/24)).
			With(sandlot.OpPresentKey).Note("Copy the whole edit_token: sle_ and 36 characters. " +
			"If it has ended, the user logs in under /account, and makes a key for the project.")
	}
	if err != nil {
		return sandlot.Caller{}, fmt.Errorf("look up edit_token: %w", err)
	}
	if now.Sub(k.LastUsedAt) >= editTokenSeen {
		a.Uses.note(k.ID, now)
	}
	return sandlot.Identified(from, sandlot.Credential{Secret: presented.Key, Key: &k}), nil
}

// accessToken looks an access token up. The caller has its grant's key, and no secret to seal with: the next access token
// of the grant has to open the answers that are sealed for this one.
func (a *Authenticator) accessToken(ctx context.Context, token sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	now := a.Now().UTC()
	var k sandlot.Key
	err := error(sandlot.ErrNotFound)
	if inspect.LooksLikeAccessToken(token.Reveal()) {
		k, err = a.Store.KeyByToken(ctx, token.Hash(), now)
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey,
			"The access token is mistyped, unknown here or over, or its user has ended the grant.").
			With(sandlot.OpSame).Note("Get another from /oauth/token with the refresh_token (slr_...). " +
			"If that is refused, ask the user to log in again.")
	}
	if err != nil {
		return sandlot.Caller{}, fmt.Errorf("look up access token: %w", err)
	}
	a.Uses.note(k.ID, now)
	return sandlot.Identified(from, sandlot.Credential{Key: &k}), nil
}

// key looks a key up by its hash. The checksum comes first: most wrong keys are mistyped or cut, and are refused
// without a query.
func (a *Authenticator) key(ctx context.Context, secret sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	if !inspect.LooksLikeKey(secret.Reveal()) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The key is mistyped or cut off.").
			With(sandlot.OpPresentKey).Note("Copy the whole key: sla_ or slp_ and 36 characters.")
	}
	k, err := a.Store.KeyByHash(ctx, secret.Hash())
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, sandlot.UnknownKey()
	}
	if err != nil {
		return sandlot.Caller{}, fmt.Errorf("look up key: %w", err)
	}
	a.Uses.note(k.ID, a.Now().UTC())
	return sandlot.Identified(from, sandlot.Credential{Secret: secret, Key: &k}), nil
}

// uploadToken finds the upload of an upload_token.
func (a *Authenticator) uploadToken(ctx context.Context, token sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	if !inspect.LooksLikeUploadToken(token.Reveal()) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey,
			"The upload_token is mistyped or cut: it does not have the form or the checksum of one.").
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

// ticket finds the caller that requested a ticket.
func (a *Authenticator) ticket(ctx context.Context, secret sandlot.Secret, from sandlot.Sender) (sandlot.Caller, error) {
	if !inspect.LooksLikeTicket(secret.Reveal()) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey,
			"The ticket is mistyped or cut: it does not have the form or the checksum of one.").
			With(sandlot.OpTicket).Note("Copy the whole ticket: slt_ and 36 characters. Or ask for another.")
	}
	t, key, err := a.Store.Ticket(ctx, secret.Hash(), a.Now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Caller{}, sandlot.Refuse(sandlot.CodeInvalidKey,
			"The ticket is unknown here or has expired, or the key that asked for it was revoked.").
			With(sandlot.OpTicket).Note("A ticket is good for %d minutes. Ask for another, with the same fields:",
			int(sandlot.TicketLife.Minutes()))
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
			a.Log.Warn("session not noted as seen", "error", err) // the session goes on, only not for longer
		}
	}
	return sandlot.Identified(from, sandlot.Credential{Session: &found, Account: &account}), nil
}
