package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

// Account is the store of package account, in the database of a DB and under the same promises.
type Account struct{ db *DB }

// AccountStore is the view of the database for package account.
func (db *DB) Account() Account { return Account{db} }

// Stores are those of an account.Service.
func (store Account) Stores() account.Stores {
	return account.Stores{Secrets: store, Logins: store, Sessions: store, Owners: store, Recovery: store, Claims: store, Stops: store}
}

// Secret implements publish.SecretStore.
func (store Account) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	return store.db.Publish().Secret(ctx, name, fresh)
}

// Account implements account.OwnerStore.
func (store Account) Account(ctx context.Context, id sandlot.AccountID) (sandlot.Account, error) {
	return store.db.Publish().Account(ctx, id)
}

// Projects implements account.ClaimStore.
func (store Account) Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error) {
	return store.db.Publish().Projects(ctx, id, before, limit)
}

// Remove implements account.OwnerStore.
func (store Account) Remove(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) (sandlot.Changed, error) {
	return store.db.Operate().Remove(ctx, s, e)
}

// Mail keeps the messages that are to be sent, in the database of a DB and under the same
// promises.
type Mail struct{ db *DB }

var _ account.MailStore = Mail{}

// MailStore is the view of the database for an account.Courier.
func (db *DB) Mail() Mail { return Mail{db} }

// StopOf implements account.MailStore.
func (store Mail) StopOf(ctx context.Context, mailbox sandlot.Digest, kind string, now time.Time) (sandlot.Stop, error) {
	return store.db.Account().StopOf(ctx, mailbox, kind, now)
}
