package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Publish is the store of package publish, in the database of a DB and under the same promises.
type Publish struct{ db *DB }

var (
	_ publish.Store           = Publish{}
	_ publish.ManagementStore = Publish{}
)

// Publish is the view of the database for a publish.Service.
func (db *DB) Publish() Publish { return Publish{db} }

// Ping implements publish.Store.
func (store Publish) Ping(ctx context.Context) error { return store.db.Ping(ctx) }

// Credentials is the store of callers' credentials, in the database of a DB and under the same promises.
type Credentials struct{ db *DB }

var (
	_ publish.CredentialStore = Credentials{}
	_ publish.KeyUseStore     = Credentials{}
)

// Credentials is the view of the database for a publish.Authenticator.
func (db *DB) Credentials() Credentials { return Credentials{db} }

// Variants keeps the compressed forms of files, in the database of a DB and under the same
// promises.
type Variants struct{ db *DB }

var _ sandlot.VariantStore = Variants{}

// Variants is the view of the database for a squeeze.Worker.
func (db *DB) Variants() Variants { return Variants{db} }
