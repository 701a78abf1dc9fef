package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
)

// base62 is the alphabet of tokens.
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Config holds the parts of the installation that a Service uses.
type Config struct {
	// Spend frees the room on the disk that is reserved for steps which free room or protect people; nil if there is
	// none.
	Spend func()
	// Uncounted means that messages have no limit per sender: the instance is local.
	Uncounted bool
	// Blocklist refuses addresses; nil: none is blocked.
	Blocklist Blocklist
}

// Stores are the stores of a Service. All are needed. One value may implement several of them.
type Stores struct {
	Secrets  sandlot.SecretStore
	Logins   LoginStore
	Sessions SessionStore
	Owners   OwnerStore
	Recovery RecoveryStore
	Claims   ClaimStore
	Stops    StopStore
}

// A Service applies the rules of this package. Its methods may be called concurrently. Each takes the caller, and
// returns a *sandlot.Error for a refusal and sandlot.ErrLoginNeeded for a caller without a session where only the owner
// of an account may act. sandlot.ErrNotFound and sandlot.ErrExists are returned where a method says so. Any other error
// is a fault of the service, for sandlot.AsError to translate. The effect of a method is durable when it returns nil.
type Service struct {
	Config
	// Logins holds the calls by which a browser logs in.
	Logins *Logins

	store Stores
	vault *sandlot.Vault
	now   func() time.Time
	forms *turns.Locks[sandlot.Digest] // held while a form that causes a message is recorded
}

// Option replaces a part of a Service.
type Option func(*Service)

// WithClock makes the Service read the time from now.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// New returns a Service. It reads the installation's secret from the store, and returns the error if that fails.
func New(ctx context.Context, cfg Config, stores Stores, opts ...Option) (*Service, error) {
	s := &Service{
		Config: cfg, store: stores,
		now: time.Now, forms: turns.NewLocks[sandlot.Digest](),
	}
	for _, o := range opts {
		o(s)
	}
	var err error
	s.vault, err = sandlot.OpenVault(ctx, stores.Secrets, rand.Reader)
	s.Logins = &Logins{stores.Logins, s.vault, s.now, s.forms, cfg.Uncounted}
	return s, err
}

func (s *Service) evenFull(step func() error) error { return sandlot.EvenFull(s.Spend, step) }

// ownerMay translates the error of an owner's step. If the account was suspended after the caller was authorized, it is
// the refusal that a suspended account gets.
func ownerMay(err error) error {
	if errors.Is(err, sandlot.ErrSuspended) {
		return sandlot.AccountSuspended()
	}
	return err
}

// digest hashes a token. Tokens have 256 random bits, so the hash needs no secret.
func digest(text string) sandlot.Digest { return sha256.Sum256([]byte(text)) }
