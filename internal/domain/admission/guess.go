package admission

import (
	"context"
	"errors"

	"sandlot"
)

// Keys makes the caller of a presented key; *identity.Authenticator is one. An unknown key is sandlot.ErrNotFound or
// sandlot.CodeInvalidKey.
type Keys interface {
	Identify(ctx context.Context, presented sandlot.Presented, from sandlot.Sender) (sandlot.Caller, error)
}

// Identify makes the caller of a key, as Keys does, and counts the key if it is wrong. It is the only way for a
// transport to look up a key. Errors are those of Guess.
func (l *Limits) Identify(ctx context.Context, from Origin, presented sandlot.Presented) (by sandlot.Caller, err error) {
	err = l.Guess(from, presented.Key.Hash(), func() (bool, error) {
		by, err = l.Keys.Identify(ctx, presented, l.Sender(from))
		return err == nil, err
	})
	return by, err
}

// Guess calls try for a secret that could be guessed, a key or a short code, and counts it for the address if it is
// wrong. secret is its hash. It is wrong if try returns false, or one of the errors sandlot.ErrNotFound and
// sandlot.CodeInvalidKey; after any other error it counts neither as right nor as wrong.
//
// If too many wrong ones came from an address, Guess refuses without calling try, and the error is a *Denied. Secrets
// that were right before are still tried, so that one client behind an address does not lock out the others. Otherwise
// the error is that of try.
func (l *Limits) Guess(from Origin, secret [32]byte, try func() (right bool, err error)) error {
	if l == nil {
		_, err := try()
		return err
	}
	if d := l.mayGuess(from, secret); d != nil {
		return l.Refuse(d)
	}
	right, err := try()
	if err == nil || errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.CodeInvalidKey) {
		l.guessed(from, secret, right && err == nil)
	}
	return err
}

// mayGuess denies a try if too many wrong secrets came from the address.
func (l *Limits) mayGuess(from Origin, secret [32]byte) *Denied {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, right := l.goodKeys.Get(secret); right {
		return nil
	}
	return short(l.guesses(from), l.Now())
}

// guessed counts a wrong secret, and remembers a right one.
func (l *Limits) guessed(from Origin, secret [32]byte, right bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.guesses(from)
	switch {
	case !right:
		l.wrong.Add(1)
		spend(list, 0, l.Now())
	case list != nil:
		l.goodKeys.Put(secret, struct{}{}, 1)
	}
}

// guesses returns the shares of wrong keys. Only addresses have such shares: the account of a wrong key is unknown.
func (l *Limits) guesses(from Origin) []share {
	return l.shares(l.address(from.Addr), Origin{}, wrongKeys)
}
