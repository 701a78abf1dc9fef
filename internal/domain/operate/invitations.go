package operate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sandlot"
)

// Limits of invitations.
const (
	InvitationDays    = 7                   // the default life of a link
	MaxInvitationDays = 365                 // a link that lives longer is forgotten by its maker, and not by a thief
	MostProjects      = 1_000_000           // of the account that an invitation opens
	InvitationsKept   = 90 * 24 * time.Hour // after the end of its link an invitation stays listed this long
)

// An Invitation is a link that opens one account.
type Invitation struct {
	ID        int64
	Projects  int    // the most projects of the account; 0: as many as any
	By        string // the name of the person who made it
	MadeAt    time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero until an account was opened with it
	EndedAt   time.Time // zero unless the operator ended it before
	Handle    string    // of the account that it opened; empty if there is none, or no more
}

// InvitationState says whether a link opens an account, or why not.
type InvitationState string

// The states of an invitation.
const (
	InvitationOpen    InvitationState = "open"
	InvitationUsed    InvitationState = "used"
	InvitationEnded   InvitationState = "ended"
	InvitationExpired InvitationState = "expired"
)

// State returns the state at that time.
func (i Invitation) State(now time.Time) InvitationState {
	switch {
	case !i.UsedAt.IsZero():
		return InvitationUsed
	case !i.EndedAt.IsZero():
		return InvitationEnded
	case !now.Before(i.ExpiresAt):
		return InvitationExpired
	}
	return InvitationOpen
}

// InvitationStore keeps invitations, under the same promises as a publish.Store, which uses them up.
type InvitationStore interface {
	// AddInvitation records an invitation under the hash of its token, with e, whose Target becomes its number, and
	// returns the number. A token that is there already is sandlot.ErrExists.
	AddInvitation(ctx context.Context, token sandlot.Digest, i Invitation, e sandlot.LogEntry) (int64, error)
	// Invitation returns the invitation of a token, also if it is used, ended or past its ExpiresAt.
	Invitation(ctx context.Context, token sandlot.Digest) (Invitation, error)
	// Invitations returns invitations with an ID below before (0: all), newest first, at most limit.
	Invitations(ctx context.Context, before int64, limit int) ([]Invitation, error)
	// EndInvitation ends an invitation at e.At and records e. An invitation that is not open then is
	// sandlot.ErrNotFound.
	EndInvitation(ctx context.Context, id int64, e sandlot.LogEntry) error
	sandlot.SecretStore
}

// Invitations makes, lists and ends the links by which an operator lets people in: as the operator of the machine, or in
// a session of an account with sandlot.OperatorRole. Any other caller gets sandlot.ErrOperatorNeeded. Only the hash of a
// link's token is kept. Its methods may be called concurrently.
type Invitations struct {
	store InvitationStore
	vault *sandlot.Vault
	spend func()
	now   func() time.Time
}

// NewInvitations returns Invitations. spend is as in Config. It reads the installation's secret from the store, and
// returns the error if that fails.
func NewInvitations(ctx context.Context, store InvitationStore, spend func(), now func() time.Time) (*Invitations, error) {
	vault, err := sandlot.OpenVault(ctx, store, rand.Reader)
	return &Invitations{store, vault, spend, now}, err
}

// InviteInput describes an invitation. Form is the token of the form that asks for it: the same form makes one
// invitation, however often it is sent. Empty means that there is no form.
type InviteInput struct {
	Projects, Days int // 0: as many projects as any account, and InvitationDays
	Form           string
}

// Invite makes an invitation and returns the token of its link, which is kept nowhere. Numbers out of their limits are
// sandlot.CodeInvalidField.
func (s *Invitations) Invite(ctx context.Context, by sandlot.Caller, in InviteInput) (i Invitation, token string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActInvite, nil); err != nil {
		return i, "", err
	}
	if in.Days == 0 {
		in.Days = InvitationDays
	}
	switch {
	case in.Days < 1 || in.Days > MaxInvitationDays:
		return i, "", sandlot.Refuse(sandlot.CodeInvalidField, "The days of an invitation are 1 to %d.", MaxInvitationDays).In("days")
	case in.Projects < 0 || in.Projects > MostProjects:
		return i, "", sandlot.Refuse(sandlot.CodeInvalidField, "The projects of an invitation are 0 to %d.", MostProjects).In("projects")
	}
	if token, err = s.token(in.Form); err != nil {
		return i, "", err
	}
	now := s.now().UTC()
	i = Invitation{
		Projects: in.Projects, By: by.OperatorName(), MadeAt: now,
		ExpiresAt: now.Add(time.Duration(in.Days) * 24 * time.Hour),
	}
	e := s.entry(by, sandlot.ActionInvite)
	err = sandlot.EvenFull(s.spend, func() (err error) {
		i.ID, err = s.store.AddInvitation(ctx, sandlot.DigestOf([]byte(token)), i, e)
		return err
	})
	if errors.Is(err, sandlot.ErrExists) {
		i, err = s.store.Invitation(ctx, sandlot.DigestOf([]byte(token)))
	}
	return i, token, err
}

// token returns the token of an invitation: the same for the same form.
func (s *Invitations) token(form string) (string, error) {
	if len(form) > sandlot.MaxFormToken {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The form token is too long.").In("form_token")
	}
	if form == "" {
		var err error
		if form, err = s.vault.FormToken(); err != nil {
			return "", fmt.Errorf("mint invitation: %w", err)
		}
	}
	d := s.vault.Keyed("invitation", form)
	return hex.EncodeToString(d[:]), nil
}

// Opens returns the invitation of a link's token, for anybody, and changes nothing. A link that opens no account any
// more is sandlot.ErrNotFound.
func (s *Invitations) Opens(ctx context.Context, by sandlot.Caller, token string) (Invitation, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Invitation{}, err
	}
	i, err := s.store.Invitation(ctx, sandlot.DigestOf([]byte(token)))
	if err == nil && i.State(s.now()) != InvitationOpen {
		err = sandlot.ErrNotFound
	}
	return i, err
}

// List returns invitations with an ID below before (0: all), newest first, at most limit.
func (s *Invitations) List(ctx context.Context, by sandlot.Caller, before int64, limit int) ([]Invitation, error) {
	if err := sandlot.Authorize(by, sandlot.ActInvite, nil); err != nil {
		return nil, err
	}
	return s.store.Invitations(ctx, before, limit)
}

// End ends the link of an invitation at once. A link that opens no account any more is sandlot.ErrNotFound.
func (s *Invitations) End(ctx context.Context, by sandlot.Caller, id int64) error {
	if err := sandlot.Authorize(by, sandlot.ActInvite, nil); err != nil {
		return err
	}
	e := s.entry(by, sandlot.ActionEndInvitation)
	e.Target = InvitationName(id)
	return sandlot.EvenFull(s.spend, func() error { return s.store.EndInvitation(ctx, id, e) })
}

// InvitationName returns the name of an invitation in the audit log.
func InvitationName(id int64) string { return "invitation:" + strconv.FormatInt(id, 10) }

func (s *Invitations) entry(by sandlot.Caller, action string) sandlot.LogEntry {
	return sandlot.LogEntry{At: s.now().UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(), Action: action}
}
