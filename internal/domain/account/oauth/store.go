package oauth

import (
	"time"

	"sandlot"
)

// A Grant is the record of a consent: a key with the client that presents it.
type Grant struct {
	Key    sandlot.Key // with Kind, Account, Project, Name (of the client), Client; its Hash is that of the code that made it
	Access Token
	Fresh  Token // the refresh token
}

// A Token is the record of an access or refresh token; only its hash is kept.
type Token struct {
	Hash      sandlot.Digest
	ExpiresAt time.Time
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

// A Store keeps grants, under the same promises as a publish.Store: shape and sentences are those of its owner.
type Store interface{}
