package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// MaxIdempotencyKey is the contract's: a UUID has 36 characters.
	MaxIdempotencyKey = 255
	idempotencyLife   = 24 * time.Hour // as the contract has it: longer than any client retries
	idempotencyWait   = time.Second    // most calls are done by then
)

// CheckIdempotencyKey refuses what cannot be an idempotency key: it has 1 to
// MaxIdempotencyKey visible ASCII characters.
func CheckIdempotencyKey(key string) error {
	if len(key) >= 1 && len(key) <= MaxIdempotencyKey && visible(key) {
		return nil
	}
	return Refuse(CodeInvalidField, "The idempotency key must be 1 to %d visible ASCII characters; %d bytes came.", MaxIdempotencyKey, len(key)).In("idempotency_key").
		With(OpSame).Note("Send a fresh random value, such as a UUID, with each new request, and the same value only when that request is sent again.")
}

// attempt is a call that was sent with an idempotency key; nil is one without.
type attempt struct {
	by        Caller
	text      string // the idempotency key, which is not stored
	key       Digest // of it and of its principal
	elsewhere Digest // of it and of the request, for callers whom only their network tells apart; zero for others
	request   Digest // of what was asked: the same for the same fields and content, however they were sent
	lease     Digest // what only one call in flight may have
}

// attempt finds out under which name a call is remembered. The principal is the
// key or the upload_token that is presented. Without one it is the sender's
// network: an idempotency key may be guessed, however long it is.
func (s *Service) attempt(by Caller, key string, op Op, part *PartInput, c Content, words ...any) (*attempt, error) {
	if key == "" {
		return nil, nil
	}
	if err := CheckIdempotencyKey(key); err != nil {
		return nil, err
	}
	if c.Missing {
		c.SHA256 = Digest{}
	}
	request, err := json.Marshal([]any{op, words, part.asked(), c.Missing, c.SHA256})
	if err != nil {
		return nil, fmt.Errorf("describe the request: %w", err)
	}
	a := &attempt{by: by, text: key, request: s.keyed("request", string(request))}
	a.key = s.keyed("once", a.principal()+"\x00"+key)
	if by.bare() {
		a.elsewhere = s.keyed("once elsewhere", string(a.request[:])+key)
	}
	if a.lease = a.key; part != nil {
		// The parts of an upload may come at once, also under one idempotency key.
		a.lease = s.keyed("part", string(a.key[:])+string(a.request[:]))
	}
	return a, nil
}

// principal is whom the idempotency key belongs to. Among those who share a network
// it is another one for each request, so that nobody's request can be in the way of
// another's.
func (a *attempt) principal() string {
	switch {
	case !a.by.Nobody():
		return "key " + a.by.key.Hash.String()
	case a.by.upload != nil:
		return "upload " + a.by.upload.String()
	case a.by.From.Shared:
		return "request " + a.request.String()
	}
	return "network " + a.by.From.Network
}

// asked is what of a declaration and of a part belongs to the request. Two ways
// to write the same are the same.
func (d Declared) asked() []any { return []any{strings.ToLower(d.SHA256), d.Size} }

func (in *PartInput) asked() []any {
	if in == nil {
		return nil
	}
	return []any{in.UploadID, in.N, in.Total, in.Last, strings.HasPrefix(in.Encoding, "gzip")}
}

// once makes a call that has an idempotency key at most once: do makes it, again
// answers it from the record of the first time. A refusal leaves no record, so
// the corrected request may come under the same idempotency key.
//
// In this process calls under one idempotency key exclude each other. Between
// processes the record does, which is part of the step that it speaks of: so a
// crash leaves both or neither.
func (s *Service) once(ctx context.Context, a *attempt, do func() error, again func(IdempotencyRecord, Minted) error) error {
	if a == nil {
		return do()
	}
	unlock, free := s.attempts.try(a.lease)
	if !free {
		return Refuse(CodeRequestInProgress, "A request with this idempotency key is still in progress.").In("idempotency_key").With(OpWait).After(idempotencyWait).
			Note("Send the same request again: when the first is done, it gets the same answer.")
	}
	defer unlock()
	found, err := s.answerAgain(ctx, a, again)
	if found || err != nil {
		return err
	}
	err = do()
	var refusal *Error
	if errors.Is(err, ErrAlreadyDone) || errors.As(err, &refusal) {
		// Another process may have made the call meanwhile, which may be why this one was refused.
		if found, second := s.answerAgain(ctx, a, again); found {
			return second
		}
	}
	return err
}

// answerAgain answers a call from its record, if there is one.
func (s *Service) answerAgain(ctx context.Context, a *attempt, again func(IdempotencyRecord, Minted) error) (found bool, err error) {
	rec, err := s.store.IdempotencyRecord(ctx, a.key, s.now().UTC())
	if errors.Is(err, ErrNotFound) {
		return s.madeElsewhere(ctx, a)
	}
	if err != nil {
		return false, fmt.Errorf("look for the first answer: %w", err)
	}
	if a.by.bare() && a.by.From.Shared {
		return true, s.replayedElsewhere()
	}
	if rec.Request != a.request {
		return true, Refuse(CodeIdempotencyMismatch, "This idempotency key was sent with another request in the last 24 hours.").In("idempotency_key").With(OpSame).
			Note("Send a fresh random idempotency key with this request; the old one belongs to the earlier request.")
	}
	keys, err := s.unseal(a.sealed(), rec.Answer)
	if err != nil {
		return true, err
	}
	return true, again(rec, keys)
}

// madeElsewhere tells a call that was made from another network already. Its keys
// are not shown: whoever asks may have guessed the idempotency key and the request.
func (s *Service) madeElsewhere(ctx context.Context, a *attempt) (found bool, err error) {
	if a.elsewhere == (Digest{}) {
		return false, nil
	}
	_, err = s.store.IdempotencyRecord(ctx, a.elsewhere, s.now().UTC())
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for an answer given elsewhere: %w", err)
	}
	return true, s.replayedElsewhere()
}

func (s *Service) replayedElsewhere() error {
	return Refuse(CodeReplayedElsewhere, "This request was made under this idempotency key in the last 24 hours, from another network, or from one that strangers may share. It is done; its keys are not shown again here.").
		In("idempotency_key").With(OpWait).
		Note("If it was yours and its answer is lost, log in at %s/login with the e-mail address that it gave: the account has the project, and mints new keys. If it was not yours, send a fresh random idempotency key, such as a UUID.", s.Places.Base)
}

func (a *attempt) sealed() sealed {
	return sealed{by: a.by, what: "idempotent answer", secret: a.text, of: a.request}
}

// record is what the step leaves so that its call can be answered again.
func (s *Service) record(a *attempt, id ProjectID, version int, mail EmailOutcome, keys Minted, m made) (*IdempotencyRecord, error) {
	if a == nil {
		return nil, nil
	}
	answer, err := s.seal(a.sealed(), keys)
	if err != nil {
		return nil, err
	}
	text, err := m.encode()
	if err != nil {
		return nil, err
	}
	return &IdempotencyRecord{Made: text, Key: a.key, Elsewhere: a.elsewhere, Request: a.request, ExpiresAt: s.expiry(idempotencyLife), Project: id, Version: version, Mail: mail, Answer: answer}, nil
}
