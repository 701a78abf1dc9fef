package account

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/names"
)

const (
	// MaxLine is the most characters of a line: two lines on a phone.
	MaxLine = 160
	// mostCounted is the most projects of an account that are counted: as many as it may have by default.
	mostCounted = 10_000
)

// Words are the texts of an owner about themselves. Either may be empty.
type Words struct {
	Line string // plain text in one line
	Link string // an address as names.Link writes it
}

// Totals counts an account's projects that may be listed, with their plays and likes.
type Totals struct {
	Projects     int
	Plays, Likes int64
}

// Person is the public view of an account.
type Person struct {
	sandlot.Account
	Words
	Totals
}

// A ProfileStore keeps words, under the same promises as a publish.Store.
type ProfileStore interface {
	// AccountOfHandle returns the account that has a handle, or had it once.
	AccountOfHandle(ctx context.Context, handle string) (sandlot.Account, error)
	// Words returns the words of an account's owner; zero if there are none.
	Words(ctx context.Context, id sandlot.AccountID) (Words, error)
	// SetWords records them. A deleted account is sandlot.ErrNotFound; deleting an account deletes its words.
	SetWords(ctx context.Context, id sandlot.AccountID, w Words) error
	// Totals counts an account's projects that may be listed, most of them at most, with their plays and likes.
	Totals(ctx context.Context, id sandlot.AccountID, most int) (Totals, error)
}

// Profiles has the rules of the words of owners. Its methods may be called concurrently. Each takes the caller, and
// returns a *sandlot.Error or sandlot.ErrNotFound for a refusal. Any other error is a fault of the service.
type Profiles struct{ store ProfileStore }

// NewProfiles returns Profiles over a store.
func NewProfiles(store ProfileStore) *Profiles { return &Profiles{store} }

// Person returns the public view of the account that has a handle, or had it once. It has the owner's words only if its
// address is verified. An account that is suspended or deleted is sandlot.ErrNotFound.
func (s *Profiles) Person(ctx context.Context, by sandlot.Caller, handle string) (p Person, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return p, err
	}
	if p.Account, err = s.store.AccountOfHandle(ctx, handle); err != nil {
		return Person{}, err
	}
	if p.Suspended {
		return Person{}, sandlot.ErrNotFound
	}
	p.Email = ""
	if p.EmailVerified {
		if p.Words, err = s.store.Words(ctx, p.ID); err != nil {
			return Person{}, fmt.Errorf("read words: %w", err)
		}
	}
	p.Totals, err = s.store.Totals(ctx, p.ID, mostCounted)
	return p, err
}

// Own returns the words of the caller, in a session.
func (s *Profiles) Own(ctx context.Context, by sandlot.Caller) (Words, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return Words{}, err
	}
	return s.store.Words(ctx, by.Account())
}

// Describe records the words of the caller, in a session, and returns them as they are kept. The line is normalized
// like a title; a line that is too long, and a link that names.Link refuses, are sandlot.CodeInvalidField.
func (s *Profiles) Describe(ctx context.Context, by sandlot.Caller, w Words) (Words, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return Words{}, err
	}
	line, cut, _ := names.Title(w.Line)
	if n := utf8.RuneCountInString(line); cut || n > MaxLine {
		return Words{}, sandlot.Refuse(sandlot.CodeInvalidField,
			"The line has more than %d characters. Nothing was changed.", MaxLine).In("line").With(sandlot.OpSame).
			Note("Send a shorter one.")
	}
	link, err := names.Link(w.Link)
	var bad *names.LinkError
	if errors.As(err, &bad) {
		return Words{}, sandlot.Refuse(sandlot.CodeInvalidField, "The link is not taken: %s Nothing was changed.",
			bad.Reason).In("link").With(sandlot.OpSame).
			Note("Send an http or https address, such as https://example.com.")
	}
	w = Words{line, link}
	return w, s.store.SetWords(ctx, by.Account(), w)
}
