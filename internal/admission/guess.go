package admission

import (
	"context"
	"errors"

	"sandlot/internal/publish"
)

// Keys finds out whose key is presented; *publish.Authenticator does.
type Keys interface {
	Identify(ctx context.Context, presented publish.Presented, from publish.Sender) (publish.Caller, error)
}

// Identify finds out whose key this is, as Keys does, and counts it if it is wrong. It is
// the only way for a transport to look up a key.
func (l *Limits) Identify(ctx context.Context, from Origin, key publish.Secret) (by publish.Caller, err error) {
	err = l.Guess(from, key.Hash(), func() (bool, error) {
		by, err = l.Keys.Identify(ctx, publish.Presented{Key: key}, l.Sender(from))
		return err == nil, err
	})
	return by, err
}

// Guess tries a secret that somebody could guess, a key or a short code, which secret is
// the hash of. try tells whether it is right; that nothing is known under it
// (publish.ErrNotFound, publish.CodeInvalidKey) is wrong, any other error says nothing.
//
// An address from which too many wrong ones came is refused without a try, but for
// secrets that were right before: so the people behind one address do not suffer for one
// of them. The error is a *Denied then, and that of try otherwise.
func (l *Limits) Guess(from Origin, secret [32]byte, try func() (right bool, err error)) error {
	if d := l.mayGuess(from, secret); d != nil {
		return d
	}
	right, err := try()
	if err == nil || errors.Is(err, publish.ErrNotFound) || errors.Is(err, publish.CodeInvalidKey) {
		l.guessed(from, secret, right && err == nil)
	}
	return err
}

func (l *Limits) mayGuess(from Origin, secret [32]byte) *Denied {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, right := l.goodKeys.get(secret); right {
		return nil
	}
	return short(l.guesses(from), l.Now())
}

func (l *Limits) guessed(from Origin, secret [32]byte, right bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.guesses(from)
	if right {
		if _, known := l.goodKeys.get(secret); !known && list != nil {
			l.goodKeys.put(secret, struct{}{})
		}
		return
	}
	spend(list, l.Now())
}

// guesses are the shares of wrong keys: an address's alone, for whose they are nobody knows.
func (l *Limits) guesses(from Origin) []share {
	return l.shares(l.address(from.Addr), Origin{}, wrongKeys)
}
