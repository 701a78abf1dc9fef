package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/ticket"
	"sandlot/internal/domain/trial"
)

// Stores of one subject each. Below are those of the domain's rooms, which are made of them.
type (
	SecretStore   struct{ db *DB }
	AccountStore  struct{ db *DB }
	ProjectStore  struct{ db *DB }
	FileStore     struct{ db *DB }
	UploadStore   struct{ db *DB }
	KeyStore      struct{ db *DB }
	TrashStore    struct{ db *DB }
	LoginStore    struct{ db *DB }
	SessionStore  struct{ db *DB }
	OwnerStore    struct{ db *DB }
	RecoveryStore struct{ db *DB }
	ClaimStore    struct{ db *DB }
	StopStore     struct{ db *DB }
	RemovalStore  struct{ db *DB }
)

type (
	// Publish is the store of a publish.Service.
	Publish struct {
		SecretStore
		AccountStore
		ProjectStore
		FileStore
		UploadStore
		KeyStore
		TrashStore
	}
	// Credentials is the store of a publish.Authenticator.
	Credentials struct{ db *DB }
	// Variants is the store of a squeeze.Worker.
	Variants struct{ db *DB }
	// Account is the store of an account.Service.
	Account struct {
		SecretStore
		AccountStore
		ProjectStore
		LoginStore
		SessionStore
		OwnerStore
		RecoveryStore
		ClaimStore
		StopStore
		RemovalStore
	}
	// Mail is the store of an account.Courier.
	Mail struct {
		db *DB
		ProjectStore
		StopStore
	}
	// Gallery is the store of package gallery.
	Gallery struct {
		db *DB
		SecretStore
		ProjectStore
	}
	// People is the store of an account.Profiles.
	People struct{ Gallery }
	// Covers is the store of package cover.
	Covers struct{ db *DB }
	// Tickets is the store of a ticket.Service.
	Tickets struct {
		db *DB
		SecretStore
	}
	// Trials is the store of package trial.
	Trials struct{ db *DB }
	// Operate is the store of an operate.Service.
	Operate struct {
		db *DB
		SecretStore
		ProjectStore
		FileStore
		KeyStore
		RemovalStore
	}
	// Upkeep is the store of the workers of package operate, of verify and of backup.
	Upkeep struct {
		db *DB
		FileStore
	}
)

var (
	_ publish.Store           = Publish{}
	_ publish.ManagementStore = Publish{}
	_ publish.CredentialStore = Credentials{}
	_ publish.KeyUseStore     = Credentials{}
	_ sandlot.VariantStore    = Variants{}
	_ account.MailStore       = Mail{}
	_ account.ProfileStore    = People{}
	_ gallery.Store           = Gallery{}
	_ gallery.CountStore      = Gallery{}
	_ figures.Store           = Gallery{}
	_ cover.Store             = Covers{}
	_ ticket.Store            = Tickets{}
	_ trial.Store             = Trials{}
	_ operate.Store           = Operate{}
	_ operate.SweepStore      = Upkeep{}
	_ operate.TrimStore       = Upkeep{}
	_ operate.ForgetStore     = Upkeep{}
	_ operate.VerifyStore     = Upkeep{}
	_ operate.SpaceStore      = Upkeep{}
	_ operate.ClockStore      = Upkeep{}
	_ operate.SaltStore       = Upkeep{}
	_ operate.LeaseStore      = Upkeep{}
)

func (db *DB) Publish() Publish {
	return Publish{SecretStore{db}, AccountStore{db}, ProjectStore{db}, FileStore{db}, UploadStore{db}, KeyStore{db}, TrashStore{db}}
}

func (db *DB) Account() Account {
	return Account{
		SecretStore{db},
		AccountStore{db},
		ProjectStore{db},
		LoginStore{db},
		SessionStore{db},
		OwnerStore{db},
		RecoveryStore{db},
		ClaimStore{db},
		StopStore{db},
		RemovalStore{db},
	}
}

// Stores returns the parts for an account.Service.
func (a Account) Stores() account.Stores {
	return account.Stores{Secrets: a, Logins: a, Sessions: a, Owners: a, Recovery: a, Claims: a, Stops: a}
}

func (db *DB) Credentials() Credentials { return Credentials{db} }
func (db *DB) Variants() Variants       { return Variants{db} }
func (db *DB) Mail() Mail               { return Mail{db, ProjectStore{db}, StopStore{db}} }
func (db *DB) Gallery() Gallery         { return Gallery{db, SecretStore{db}, ProjectStore{db}} }
func (db *DB) People() People           { return People{db.Gallery()} }
func (db *DB) Covers() Covers           { return Covers{db} }
func (db *DB) Tickets() Tickets         { return Tickets{db, SecretStore{db}} }
func (db *DB) Trials() Trials           { return Trials{db} }
func (db *DB) Upkeep() Upkeep           { return Upkeep{db, FileStore{db}} }

func (db *DB) Operate() Operate {
	return Operate{db, SecretStore{db}, ProjectStore{db}, FileStore{db}, KeyStore{db}, RemovalStore{db}}
}

func (store ProjectStore) Ping(ctx context.Context) error { return store.db.Ping(ctx) }
