package oauth

import (
	"context"
	"time"

	"sandlot"
)

// A Grant is the record of a consent: a key with the client that presents it.
type Grant struct {
	Key sandlot.Key // with Kind, Account, Project, Name and ID of the client; its Hash is that of the code that made it
	Pair
}

// A Pair is the record of an access token and the refresh token that came with it.
type Pair struct{ Access, Fresh Token }

// A Token is the record of a token; only its hash is kept.
type Token struct {
	Hash      sandlot.Digest
	ExpiresAt time.Time
}

// A Renewal replaces a refresh token of a client by a Pair.
type Renewal struct {
	Old    sandlot.Digest
	Client string
	At     time.Time
	Pair
}

// A Waiting is the record of a device that waits for consent.
type Waiting struct {
	Code      sandlot.Digest // the hash of the device_code
	UserCode  sandlot.Digest // keyed, for it is short
	Client    Client         // ID and Name alone
	Project   sandlot.ProjectID
	Scope     string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// A Poll is the question of a device whether it has got consent. If it has, it gets the Pair.
type Poll struct {
	Code   sandlot.Digest
	Client string
	At     time.Time
	Pair
}

// A State is the answer to a Poll.
type State int

// The states of a device.
const (
	Pending State = iota // nobody has decided
	Slow                 // it asked before its interval was over, which has grown by DeviceInterval
	Denied               // the owner said no, or has ended the grant
	Expired              // its time is over
	Granted              // it has the Pair of the Poll, and the device_code has ended
)

// A Store keeps grants, under the same promises as a publish.Store. A grant that was revoked, or belongs to a deleted
// project or account, is ErrNotFound, as is a token past its ExpiresAt. The key of a grant is found by access tokens
// alone, never by its Hash.
type Store interface {
	// Project is that of publish.Store.
	Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error)
	// AddGrant records a grant. If one with the Hash of its key is there, whatever became of it, that one ends in place
	// of it, and again is true. A suspended account is ErrSuspended, a project that is not the account's ErrNotFound.
	AddGrant(ctx context.Context, g Grant) (again bool, err error)
	// EndGrant ends the grant that a code has made, if it has made one.
	EndGrant(ctx context.Context, code sandlot.Digest, at time.Time) error
	// EndGrantOf ends the grant of an access or refresh token, if it is the client's.
	EndGrantOf(ctx context.Context, token sandlot.Digest, client string, at time.Time) error
	// Renew records the Pair, and when the old refresh token was replaced first. If that is RefreshGrace ago or more, the
	// grant ends, and again is true. Another client's token is ErrNotFound.
	Renew(ctx context.Context, r Renewal) (k sandlot.Key, again bool, err error)
	// AddDevice records a device.
	AddDevice(ctx context.Context, w Waiting) error
	// Device returns a device that waits, by its UserCode. One that is decided or past its ExpiresAt is ErrNotFound.
	Device(ctx context.Context, userCode sandlot.Digest, now time.Time) (Waiting, error)
	// Decide ends the waiting of a device: it records the key of the grant, or that there is none if k is nil. Of two
	// calls about a device the second is ErrNotFound. Other errors are those of AddGrant.
	Decide(ctx context.Context, userCode sandlot.Digest, k *sandlot.Key, at time.Time) error
	// Poll answers a device, and records when it asked. Of several calls one gets Granted, with the key of its grant.
	// Another client's device is ErrNotFound.
	Poll(ctx context.Context, p Poll) (State, sandlot.Key, error)
}
