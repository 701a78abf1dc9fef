package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
)

const (
	// MaxIdempotencyKey is the contract's: a UUID has 36 characters.
	MaxIdempotencyKey = 255
	// IdempotencyLife is the contract's: longer than any client retries.
	IdempotencyLife = 24 * time.Hour
	idempotencyWait = time.Second // most calls are done by then
)

// CheckIdempotencyKey refuses a key that does not have 1 to MaxIdempotencyKey visible ASCII characters, as
// CodeInvalidField.
func CheckIdempotencyKey(key string) error {
	if len(key) >= 1 && len(key) <= MaxIdempotencyKey && visible(key) {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField,
		"The idempotency key must be 1 to %d visible ASCII characters; %d bytes came.", MaxIdempotencyKey, len(key)).
		In("idempotency_key").
		With(sandlot.OpSame).Note("Send a fresh random value, such as a UUID, with each new request, " +
		"and the same value only when that request is sent again.")
}

// idempotency keeps repeated calls and forms from having their effect again. It may be used concurrently.
type idempotency struct {
	store    Store
	vault    *sandlot.Vault
	now      func() time.Time
	inFlight *turns.Locks[sandlot.Digest] // calls under an idempotency key
	places   sandlot.Places
}

// request is a call with an idempotency key, or a form with its token; nil is a call without one.
type request struct {
	by        sandlot.Caller
	text      string         // the idempotency key, which is not stored; empty for a form
	key       sandlot.Digest // of the idempotency key and its principal; the record is found by it
	elsewhere sandlot.Digest // of the idempotency key and the request, for callers distinguished by their network alone; zero for others
	asked     sandlot.Digest // of the request: the same for the same fields and content, however they were sent
	lease     sandlot.Digest // the lock that one call in flight holds, and no other
	waits     bool           // whether a second call waits for the first one, or is refused
}

// newRequest describes a call by its operation, its fields and its bytes. A malformed idempotency key is refused. The
// purposes of the digests stay as they are, because the records of the last day are found by them.
func (c *idempotency) newRequest(by sandlot.Caller, key string, op sandlot.Op, part *PartInput, sent Content,
	words ...any,
) (*request, error) {
	if by.Ticket() != nil {
		key = by.Ticket().ID() // and not the call's: a ticket is good for one call
	}
	if key == "" {
		return nil, nil
	}
	if err := CheckIdempotencyKey(key); err != nil {
		return nil, err
	}
	if sent.Missing {
		sent.SHA256 = sandlot.Digest{}
	}
	asked, err := json.Marshal([]any{op, words, part.asked(), sent.Missing, sent.SHA256})
	if err != nil {
		return nil, fmt.Errorf("describe the request: %w", err)
	}
	r := &request{by: by, text: key, asked: c.vault.Keyed("request", string(asked))}
	r.key = c.vault.Keyed("once", r.principal()+"\x00"+key)
	if by.Bare() {
		r.elsewhere = c.vault.Keyed("once elsewhere", string(r.asked[:])+key)
	}
	if r.lease = r.key; part != nil {
		// The parts of an upload may come concurrently, also under one idempotency key.
		r.lease = c.vault.Keyed("part", string(r.key[:])+string(r.asked[:]))
	}
	return r, nil
}

// importRequest describes one project of an import, each of which has a record of its own.
func (c *idempotency) importRequest(by sandlot.Caller, in Adoption, position int) (*request, error) {
	r, err := c.newRequest(by, in.Idempotency, sandlot.OpImport, nil, Content{Blob: sandlot.Blob{SHA256: in.Import}}, position)
	if r == nil {
		return nil, err
	}
	r.key = c.vault.Keyed("once", r.principal()+"\x00import "+strconv.Itoa(position)+"\x00"+in.Idempotency)
	r.lease = r.key
	return r, nil
}

// noOtherImport refuses an import whose idempotency key came with another one, before it makes anything. The record of
// that other import may be at any position, because none of its earlier projects may have come in.
func (c *idempotency) noOtherImport(ctx context.Context, by sandlot.Caller, in Adoption) error {
	if in.Idempotency == "" || in.FirstOf == 0 {
		return nil
	}
	asked := map[sandlot.Digest]sandlot.Digest{}
	for i := range in.FirstOf {
		r, err := c.importRequest(by, in, i)
		if err != nil {
			return err
		}
		asked[r.key] = r.asked
	}
	rec, err := c.store.IdempotencyRecord(ctx, sandlot.Digest{}, c.now().UTC(), slices.Collect(maps.Keys(asked))...)
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("look for another import: %w", err)
	case rec.Request != asked[rec.Key]:
		return otherRequest()
	}
	return nil
}

// formRequest describes a form from a page, whose token permits this act once. The token of a page may come with
// several acts, each of which counts.
func (c *idempotency) formRequest(by sandlot.Caller, act, token string) (*request, error) {
	if token == "" || len(token) > sandlot.MaxFormToken {
		return nil, sandlot.Refuse(sandlot.CodeInvalidField, "The form has no token.").In("form_token")
	}
	return &request{by: by, key: c.vault.Keyed("form", fmt.Sprintf("%s %d %s", act, by.Account(), token))}, nil
}

// keyOf returns the idempotency key of an update, or the key made of its form's token.
func (c *idempotency) keyOf(in UpdateInput) string {
	if in.FormToken == "" {
		return in.Idempotency
	}
	return c.vault.Keyed("form token", in.FormToken).String()
}

// ofForm makes r the request of a form: the token of a page may come with several acts, each of which counts, and a
// second press of a button shows the result of the first.
func (c *idempotency) ofForm(r *request) {
	r.key = c.vault.Keyed("form", string(r.key[:])+string(r.asked[:]))
	r.lease, r.waits = r.key, true
}

// principal returns the owner of the idempotency key: the key, ticket or upload_token of the request, or else the
// sender's network, because an idempotency key may be guessed, however long it is. Among those who share a network it
// differs for each request, so that nobody's request can block another's.
func (r *request) principal() string {
	switch {
	case r.by.Ticket() != nil:
		return "ticket " + r.by.Ticket().Hash.String()
	case r.by.InSession(): // a session has no key that would distinguish accounts
		return "account " + strconv.FormatInt(int64(r.by.Account()), 10)
	case !r.by.Nobody():
		return "key " + r.by.Key().Hash.String()
	case r.by.Upload() != nil:
		return "upload " + r.by.Upload().String()
	case r.by.From.Shared:
		return "request " + r.asked.String()
	}
	return "network " + r.by.From.Network
}

// asked returns the fields of a declaration that belong to the request. Two spellings of one value are the same.
func (d Declared) asked() []any { return []any{strings.ToLower(d.SHA256), d.Size} }

// asked returns the fields of a part that belong to the request. Of the encoding only gzip counts: the alphabet of
// base64 changes nothing.
func (in *PartInput) asked() []any {
	if in == nil {
		return nil
	}
	return []any{in.UploadID, in.N, in.Total, in.Last, strings.HasPrefix(in.Encoding, "gzip")}
}

// idempotent makes a call at most once for its idempotency key: do makes it, and leaves a record in the same step;
// recorded answers it from that record. A refusal leaves no record, so that the corrected request may come under the
// same idempotency key.
//
// In this process a call under the idempotency key of one in flight is refused with CodeRequestInProgress. Between
// processes the record, which is unique, decides which of two calls takes effect; the other is answered from it. A
// crash leaves both, the effect and the record, or neither.
func idempotent[T any](ctx context.Context, c *idempotency, r *request, do func() (T, error),
	recorded func(IdempotencyRecord, Minted) (T, error),
) (T, error) {
	var none T
	if r == nil {
		return do()
	}
	unlock, err := c.hold(ctx, r)
	if err != nil {
		return none, err
	}
	defer unlock()
	rec, keys, err := c.findAnswer(ctx, r)
	if err == nil {
		return recorded(rec, keys)
	}
	if !errors.Is(err, errNoRecord) {
		return none, err
	}
	out, err := do()
	var refusal *sandlot.Error
	if !errors.Is(err, sandlot.ErrAlreadyDone) && !errors.As(err, &refusal) {
		return out, err
	}
	// Another process may have made the call meanwhile, which may be why this one was refused.
	rec, keys, second := c.findAnswer(ctx, r)
	switch {
	case second == nil:
		return recorded(rec, keys)
	case errors.As(second, &refusal):
		return none, second
	}
	return out, err
}

// hold keeps another call under the same idempotency key out until release is called.
func (c *idempotency) hold(ctx context.Context, r *request) (release func(), err error) {
	if r.waits {
		return c.inFlight.Lock(ctx, r.lease)
	}
	release, free := c.inFlight.Try(r.lease)
	if !free {
		return nil, sandlot.Refuse(sandlot.CodeRequestInProgress,
			"A request with this idempotency key is still in progress.").In("idempotency_key").With(sandlot.OpWait).
			After(idempotencyWait).
			Note("Send the same request again: when the first is done, it gets the same answer.")
	}
	return release, nil
}

// errNoRecord: the call has not been made.
var errNoRecord = errors.New("no idempotency record")

// findAnswer returns the record of a call that was made before, and the keys that it minted; errNoRecord if it was not.
// A caller who may not have that answer is refused.
func (c *idempotency) findAnswer(ctx context.Context, r *request) (IdempotencyRecord, Minted, error) {
	rec, err := c.store.IdempotencyRecord(ctx, r.key, c.now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return rec, Minted{}, c.notElsewhere(ctx, r)
	}
	if err != nil {
		return rec, Minted{}, fmt.Errorf("look for the first answer: %w", err)
	}
	if r.by.Bare() && r.by.From.Shared {
		return rec, Minted{}, c.doneElsewhere()
	}
	if rec.Request != r.asked {
		if r.by.Ticket() != nil {
			return rec, Minted{}, ticketUsed(rec, c.places)
		}
		return rec, Minted{}, otherRequest()
	}
	keys, err := unsealKeys(c.vault, r.sealed(), rec.Answer)
	return rec, keys, err
}

func otherRequest() error {
	return sandlot.Refuse(sandlot.CodeIdempotencyMismatch,
		"This idempotency key was sent with another request in the last 24 hours.").In("idempotency_key").
		With(sandlot.OpSame).
		Note("Send a fresh random idempotency key with this request; the old one belongs to the earlier request.")
}

// notElsewhere refuses a call that was made from another network, without its keys: the caller may have guessed the
// idempotency key and the request. Without such a call the error is errNoRecord.
func (c *idempotency) notElsewhere(ctx context.Context, r *request) error {
	if r.elsewhere == (sandlot.Digest{}) {
		return errNoRecord
	}
	switch _, err := c.store.IdempotencyRecord(ctx, r.elsewhere, c.now().UTC()); {
	case errors.Is(err, sandlot.ErrNotFound):
		return errNoRecord
	case err != nil:
		return fmt.Errorf("look for an answer given elsewhere: %w", err)
	}
	return c.doneElsewhere()
}

// doneElsewhere refuses a call that was made, to a caller who cannot prove to have made it. It says how to get to the
// project without the keys of that answer.
func (c *idempotency) doneElsewhere() error {
	return sandlot.Refuse(sandlot.CodeReplayedElsewhere,
		"This request was made under this idempotency key in the last 24 hours, from another network, "+
			"or from one that strangers may share. It is done; its keys are not shown again here.").
		In("idempotency_key").With(sandlot.OpWait).
		Note("%s If the request was not yours, send a fresh random idempotency key, such as a UUID.", c.places.LostKeys())
}

// sealed returns the seal of the answer to the request: it opens with the idempotency key, the request itself, and the
// key that came with it. None of them is stored.
func (r *request) sealed() sandlot.Seal {
	return sandlot.Seal{By: r.by, What: "idempotent answer", Secret: r.text, Of: r.asked}
}

// record returns the record that the step of a call leaves, so that the call takes effect once and can be answered from
// it; nil for a call without an idempotency key. A form leaves no answer.
func (c *idempotency) record(r *request, id sandlot.ProjectID, version int, email EmailOutcome, keys Minted,
	m made,
) (*IdempotencyRecord, error) {
	if r == nil {
		return nil, nil
	}
	rec := &IdempotencyRecord{Key: r.key, Elsewhere: r.elsewhere, Request: r.asked, ExpiresAt: c.now().UTC().
		Add(IdempotencyLife), Project: id, Version: version, Email: email}
	if r.by.Ticket() != nil {
		rec.Ticket = r.by.Ticket().Hash
	}
	if r.text == "" {
		return rec, nil
	}
	var err error
	if rec.Answer, err = sealKeys(c.vault, r.sealed(), keys); err != nil {
		return nil, err
	}
	rec.Made, err = m.encode()
	return rec, err
}

// formRecord returns the record of a form whose act is on the account.
func (c *idempotency) formRecord(by sandlot.Caller, act, token string) (IdempotencyRecord, error) {
	r, err := c.formRequest(by, act, token)
	if err != nil {
		return IdempotencyRecord{}, err
	}
	rec, err := c.record(r, "", 0, EmailNone, Minted{}, made{})
	return *rec, err
}

// ticketUsed refuses bytes other than those that a ticket was used for. It names the version made of these, but none of
// the keys.
func ticketUsed(rec IdempotencyRecord, at sandlot.Places) error {
	return sandlot.Refuse(sandlot.CodeTicketUsed,
		"This ticket was used: its bytes are version %d of the project %s. Nothing was changed now.", rec.Version,
		rec.Project).
		Detail("project_id", string(rec.Project)).Detail("url", at.Project(rec.Project, 0, "").URL).Detail("version", rec.Version).
		With(sandlot.OpTicket).Note("A ticket is good for one call. The same bytes get the same answer again; " +
		"ask for another ticket to send other ones.")
}

// An IdempotencyRecord stays for IdempotencyLife after a step, so that a repeat of the call under the same idempotency
// key gets the same answer. Of the answer it holds the minted keys, sealed, and the fields of the version, which may be
// erased meanwhile; the rest is read anew. The record of a form holds no answer: it only keeps the form from acting
// twice.
type IdempotencyRecord struct {
	Key       sandlot.Digest // of the idempotency key and its principal
	Elsewhere sandlot.Digest // another key under which the same step is known; zero for none
	Ticket    sandlot.Digest // the hash of the ticket that the step uses up, which is kept as long as the record; zero for none
	Request   sandlot.Digest // of the request
	ExpiresAt time.Time
	Account   sandlot.AccountID // of the call, or the one that the call made; set by the store
	Project   sandlot.ProjectID // empty for an account alone
	Version   int               // the version that the step made
	Email     EmailOutcome
	Answer    []byte // the minted keys, sealed
	Made      []byte // the fields of the version in the answer, as the Service wrote them; may be empty
}
