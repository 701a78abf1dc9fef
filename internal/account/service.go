package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"sandlot/internal/publish"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Config is what a Service needs to know about the rest of the installation.
type Config struct {
	// Spend frees room on the disk that is kept for deletions; nil: there is none.
	Spend func()
	// Heads is told of each step that changed how the projects of an account are read; nil: nothing is cached.
	Heads *publish.Heads
}

// Stores is what a Service keeps things in.
type Stores struct {
	Secrets  publish.SecretStore
	Logins   LoginStore
	Sessions SessionStore
	Owners   OwnerStore
	Recovery RecoveryStore
	Claims   ClaimStore
	Stops    StopStore
}

// Service is the rules. Its methods may be called concurrently. Each takes the caller and
// returns a *publish.Error for what it refuses, and publish.ErrLoginNeeded for a caller
// without a session where only the owner of an account may act. Any other error is a fault
// of the service, for publish.AsError to translate.
type Service struct {
	Config
	store  Stores
	vault  *publish.Vault
	now    func() time.Time
	random io.Reader
	forms  *publish.Locks[publish.Digest] // forms that ask for a message
}

// Option replaces a part of a Service in tests.
type Option func(*Service)

// WithClock makes the Service read the time from now.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// New makes a Service. It asks the store for the installation's secret, and fails with it.
func New(ctx context.Context, cfg Config, stores Stores, opts ...Option) (*Service, error) {
	s := &Service{Config: cfg, store: stores, now: time.Now, random: rand.Reader, forms: publish.NewLocks[publish.Digest]()}
	for _, o := range opts {
		o(s)
	}
	var err error
	s.vault, err = publish.OpenVault(ctx, stores.Secrets, s.random)
	return s, err
}

// changed follows a step after which all projects of an account are read otherwise,
// unless err says that it certainly had no effect.
func (s *Service) changed(id publish.AccountID, err error) {
	if s.Heads != nil && !errors.Is(err, publish.ErrNoEffect) {
		s.Heads.Drop(publish.Changed{Account: id})
	}
}

// ownerMay is the error of a step that an owner took: where the account was suspended
// since its owner was let in, the refusal of one that is.
func ownerMay(err error) error {
	if errors.Is(err, publish.ErrSuspended) {
		return publish.AccountSuspended()
	}
	return err
}

func digest(text string) publish.Digest { return sha256.Sum256([]byte(text)) }
