package ticket

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
)

const (
	// mostWaiting bounds the unused tickets of one account, or of one network without a key: an agent has one for each
	// file that it is about to send, and sends many as an archive.
	mostWaiting = 100
	// mostTold bounds the fields that a ticket keeps, in bytes. All fields fit at their longest, and the unused tickets
	// of one network stay under a megabyte.
	mostTold = 8 << 10
)

// Most bounds the unused tickets: of one owner, and of each of the networks around it.
type Most [3]int

// A Store keeps tickets, under the same promises as a publish.Store.
type Store interface {
	sandlot.SecretStore
	// AddTicket records a ticket. If its Owner has as many as most of unused and unexpired ones, or one of its Wider
	// networks has, it is publish.ErrTooMany.
	AddTicket(ctx context.Context, t sandlot.Ticket, most Most) error
}

// Publisher checks the calls of tickets; *publish.Service is one.
type Publisher interface {
	Foresee(ctx context.Context, by sandlot.Caller, in publish.Intended) (sandlot.Project, []sandlot.Warning, error)
}

// A Service issues tickets and opens their calls. Its methods may be called concurrently.
type Service struct {
	store     Store
	publisher Publisher
	vault     *sandlot.Vault
	now       func() time.Time
}

// Option replaces a part of a Service.
type Option func(*Service)

// WithClock makes the Service read the time from now, which may be called concurrently.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// New returns a Service. It reads the installation's secret from the store, and fails if that fails.
func New(ctx context.Context, store Store, publisher Publisher, opts ...Option) (*Service, error) {
	s := &Service{store: store, publisher: publisher, now: time.Now}
	for _, o := range opts {
		o(s)
	}
	var err error
	s.vault, err = sandlot.OpenVault(ctx, store, rand.Reader)
	return s, err
}

// Issued is a new ticket, which no other call shows again.
type Issued struct {
	ID        string
	Ticket    sandlot.Secret
	ExpiresAt time.Time
	Warnings  []sandlot.Warning
}

// Issue checks everything of a call but its bytes, as Publish or Update would, and makes a ticket for it. It makes
// nothing else: the call has had no effect.
//
// 100 tickets of an account, or of a network without a key, may be unused; one more is CodeQuotaExceeded. Only keys and
// nobody may request tickets.
func (s *Service) Issue(ctx context.Context, by sandlot.Caller, told Told) (Issued, error) {
	if by.Ticket() != nil {
		return Issued{}, sandlot.TicketElsewhere()
	}
	t := sandlot.Ticket{Key: by.Key().ID}
	warnings, err := s.check(ctx, by, &told)
	if err != nil {
		return Issued{}, err
	}
	if !by.Nobody() && t.Key == 0 {
		return Issued{}, sandlot.Refuse(sandlot.CodeKeyRequired,
			"Tickets are for callers with a key, or without any.").With(sandlot.OpPresentKey)
	}
	secret, err := s.vault.MintToken(names.TicketPrefix)
	if err != nil {
		return Issued{}, err
	}
	t.Hash, t.Project, t.ExpiresAt = secret.Hash(), sandlot.ProjectID(told.Project), s.now().UTC().Add(sandlot.TicketLife)
	if t.Told, err = s.seal(secret, told); err != nil {
		return Issued{}, err
	}
	var most Most
	t.Owner, t.Wider, most = s.owners(by)
	switch err := s.store.AddTicket(ctx, t, most); {
	case errors.Is(err, publish.ErrTooMany):
		return Issued{}, sandlot.Refuse(sandlot.CodeQuotaExceeded,
			"There are %d tickets already that were not used, which is the limit.", mostWaiting).
			Because(err).After(time.Minute).With(sandlot.OpWait).
			Note("Use some, or wait until they expire: a ticket is good for %d minutes. "+
				"Many files are sent as one archive, with one ticket.", int(sandlot.TicketLife.Minutes()))
	case err != nil:
		return Issued{}, fmt.Errorf("issue ticket: %w", err)
	}
	return Issued{t.ID(), secret, t.ExpiresAt, warnings}, nil
}

// check checks whether by may make the call, and replaces the project's address by its id.
func (s *Service) check(ctx context.Context, by sandlot.Caller, told *Told) ([]sandlot.Warning, error) {
	in := publish.Intended{Publish: told.publish()}
	if told.Update {
		update := told.update()
		update.Archive = told.Archive // or the update would lack a filename
		in.Update = &update
	}
	p, warnings, err := s.publisher.Foresee(ctx, by, in)
	told.Project = string(p.ID)
	return warnings, err
}

// Call returns the call of the ticket that by presented; its bytes are still to be added. A caller without a ticket,
// and a ticket whose ID is not id, is CodeInvalidKey.
func (s *Service) Call(_ context.Context, by sandlot.Caller, id string) (Call, error) {
	t := by.Ticket()
	if t == nil {
		return Call{}, sandlot.Refuse(sandlot.CodeInvalidKey, "This address takes the ticket that it came with, and no key.").
			With(sandlot.OpTicket).Note("Send the ticket (slt_...) in the header Authorization, as a bearer. " +
			"Ask for one, which comes with its own url:")
	}
	if t.ID() != id {
		return Call{}, sandlot.Refuse(sandlot.CodeInvalidKey, "The ticket belongs to another upload_id than that of this address.").
			With(sandlot.OpTicket).Note("Use the url that came with the ticket, or ask for another ticket:")
	}
	told, err := s.open(by, *t)
	if err != nil {
		return Call{}, fmt.Errorf("read what was told with a ticket: %w", err)
	}
	call := Call{Filename: told.Filename, Archive: told.Archive, Declared: told.Declared}
	if told.Update {
		in := told.update()
		call.Update = &in
	} else {
		in := told.publish()
		call.Publish = &in
	}
	return call, nil
}

// sealPurpose is the purpose for which the fields of tickets are sealed.
const sealPurpose = "ticket"

// seal encrypts the fields of the call under the ticket: they may hold an e-mail address, and are of no use without the
// ticket.
func (s *Service) seal(with sandlot.Secret, told Told) ([]byte, error) {
	text, err := json.Marshal(told)
	if err != nil {
		return nil, fmt.Errorf("write what was told: %w", err)
	}
	if len(text) > mostTold {
		return nil, sandlot.Refuse(sandlot.CodeInvalidField,
			"The fields take %d bytes together, and a ticket keeps at most %d.", len(text), mostTold).
			With(sandlot.OpTicket).Note("Send shorter texts. The title is cut to 200 characters in any case.")
	}
	return s.vault.SealFor(sandlot.Seal{What: sealPurpose, Secret: with.Reveal()}, text)
}

// open decrypts the fields of a ticket, with the ticket that by presented.
func (s *Service) open(by sandlot.Caller, t sandlot.Ticket) (told Told, err error) {
	text, err := s.vault.UnsealFor(sandlot.Seal{What: sealPurpose, Secret: by.Presented().Reveal()}, t.Told)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	return told, err
}

// owners returns the owners whose unused tickets are limited: the account, or else the network of the caller and the
// two around it. A network that strangers may share is counted alone.
func (s *Service) owners(by sandlot.Caller) (owner sandlot.Digest, wider [2]sandlot.Digest, most Most) {
	of := func(who string) sandlot.Digest { return s.vault.Keyed("tickets of", who) }
	most = Most{mostWaiting}
	if !by.Nobody() {
		return of(fmt.Sprintf("account %d", by.Account())), wider, most
	}
	owner = of("network " + by.From.Network)
	at, err := netip.ParseAddr(by.From.Network)
	if by.From.Shared || err != nil {
		return owner, wider, most
	}
	for i, n := range publish.Networks(at)[1:] {
		wider[i], most[i+1] = of("network "+n.Prefix.String()), mostWaiting*n.Share
	}
	return owner, wider, most
}
