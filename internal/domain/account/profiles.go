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
	// MaxLine is how many characters a line may have: two lines on a phone.
	MaxLine = 160
	// mostCounted is how many projects of an account are counted: as many as it may have by default.
	mostCounted = 10_000
)

// Words are what an owner says about themselves. Either may be empty.
type Words struct {
	Line string // plain text in one line
	Link string // an address as names.Link writes it
}

// Totals are those of an account's projects that may be listed.
type Totals struct {
	Projects     int
	Plays, Likes int64
}

// Person is what anybody may know of an account.
type Person struct {
	sandlot.Account
	Words
	Totals
}

// A ProfileStore keeps words, under the same promises as a publish.Store.
type ProfileStore interface {
	// AccountOfHandle returns the account that has a handle, or had it once.
	AccountOfHandle(ctx context.Context, handle string) (sandlot.Account, error)
	// Words returns what the owner of an account has said; zero where that is nothing.
	Words(ctx context.Context, id sandlot.AccountID) (Words, error)
	// SetWords records it. An account that is gone is sandlot.ErrNotFound; whoever deletes an account deletes its words.
	SetWords(ctx context.Context, id sandlot.AccountID, w Words) error
	// Totals counts an account's projects that may be listed, most of them at most, with their plays and likes.
	Totals(ctx context.Context, id sandlot.AccountID, most int) (Totals, error)
}

// Profiles has the rules of what owners say about themselves. Its methods may be called concurrently. Each takes the caller, and returns a
// *sandlot.Error or sandlot.ErrNotFound for what it refuses. Any other error is a fault of the service.
type Profiles struct{ store ProfileStore }

// NewProfiles makes Profiles.
func NewProfiles(store ProfileStore) *Profiles { return &Profiles{store} }

// Person returns what anybody may know of the account that has a handle, or had it once: what its owner says only where its address is
// verified. An account that is suspended or gone is sandlot.ErrNotFound.
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

// Own returns what the caller has said, in a session.
func (s *Profiles) Own(ctx context.Context, by sandlot.Caller) (Words, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return Words{}, err
	}
	return s.store.Words(ctx, by.Account())
}

// Describe records what the caller says, in a session, and returns it as it is kept. The line is brought into form as a title is; one that
// is too long, and a link that names.Link refuses, are sandlot.CodeInvalidField.
func (s *Profiles) Describe(ctx context.Context, by sandlot.Caller, w Words) (Words, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return Words{}, err
	}
	line, cut, _ := names.Title(w.Line)
	if n := utf8.RuneCountInString(line); cut || n > MaxLine {
		return Words{}, sandlot.Refuse(sandlot.CodeInvalidField, "The line has more than %d characters. Nothing was changed.", MaxLine).In("line").With(sandlot.OpSame).Note("Send a shorter one.")
	}
	link, err := names.Link(w.Link)
	var bad *names.LinkError
	if errors.As(err, &bad) {
		return Words{}, sandlot.Refuse(sandlot.CodeInvalidField, "The link is not taken: %s Nothing was changed.", bad.Reason).In("link").With(sandlot.OpSame).Note("Send an http or https address, such as https://example.com.")
	}
	w = Words{line, link}
	return w, s.store.SetWords(ctx, by.Account(), w)
}
