package blocks

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// Limits of the entries of one call.
const (
	maxValues = 1000
	maxName   = 64
	maxReason = 2000
)

// A Service makes the changes of an operator to the blocklist. Every change is recorded in the audit log, in the same
// step. Its methods may be called concurrently. They return sandlot.ErrOperatorNeeded to any caller but the operator of the
// machine. Errors have messages that can be shown to the operator.
type Service struct {
	Store Store
	Now   func() time.Time
	Own   []string // the names of the instance: its hosts, and the domains of its addresses
	Spend func()   // as in operate.Config
}

// Terms hold the common fields of all entries of one call.
type Terms struct {
	Reason    string
	Until     time.Time // zero: no end
	Confirmed bool      // whether values that hit more than harmful callers are meant
}

// Add adds values of a kind. A value that is there already gets the new terms. All are added or none.
func (s *Service) Add(ctx context.Context, by sandlot.Caller, kind string, values []string, terms Terms) ([]Entry, error) {
	if err := s.check(by, &terms); err != nil {
		return nil, err
	}
	if len(values) > maxValues {
		return nil, fmt.Errorf("%d values are too many for one command: put them into a list, with --file", len(values))
	}
	var list []Entry
	var hashes []sandlot.Digest
	for _, text := range values {
		value, err := s.accept(kind, text, terms.Confirmed)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", kind, inspect.Quoted(text), err)
		}
		list = append(list, s.entry(by, kind, value, terms))
		if kind == Hash && !terms.Confirmed {
			d, _ := hex.DecodeString(value) // accept has read it
			hashes = append(hashes, sandlot.Digest(d))
		}
	}
	shared, err := s.Store.Shared(ctx, hashes, 0)
	if err == nil && len(shared) > 0 {
		err = RiskError(fmt.Sprintf("projects of accounts with a verified address have the file %x", shared[0]))
	}
	if err != nil {
		return nil, err
	}
	return s.add(ctx, by, list)
}

func (s *Service) add(ctx context.Context, by sandlot.Caller, list []Entry) (added []Entry, err error) {
	err = sandlot.EvenFull(s.Spend, func() error {
		added, err = s.Store.AddBlocks(ctx, list, s.log(by, sandlot.ActionBlock))
		return err
	})
	return added, err
}

// check refuses a caller or terms that are not allowed.
func (s *Service) check(by sandlot.Caller, terms *Terms) error {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return err
	}
	terms.Reason = inspect.Redact(strings.TrimSpace(terms.Reason))
	switch {
	case terms.Reason == "":
		return errors.New("a reason is required for the audit log")
	case len(terms.Reason) > maxReason:
		return fmt.Errorf("the reason has %d bytes; at most %d are kept", len(terms.Reason), maxReason)
	case !terms.Until.IsZero() && !s.Now().Before(terms.Until):
		return fmt.Errorf("%s is over already", terms.Until.Format(time.RFC3339))
	}
	return nil
}

func (s *Service) entry(by sandlot.Caller, kind, value string, terms Terms) Entry {
	return Entry{Kind: kind, Value: value, Reason: terms.Reason, By: by.OperatorName(), At: s.Now().UTC(), Until: terms.Until}
}

func (s *Service) log(by sandlot.Caller, action string) sandlot.LogEntry {
	return sandlot.LogEntry{At: s.Now().UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(), Action: action}
}

// AddList reads a list of values of one kind, a value a line, and puts it in place of the list of that name. A line that
// is none of the kind is a LineError, and then the list before stays.
func (s *Service) AddList(ctx context.Context, by sandlot.Caller, name, kind string, r io.Reader, terms Terms) (List, error) {
	if err := s.check(by, &terms); err != nil {
		return List{}, err
	}
	if err := checkName(name); err != nil {
		return List{}, err
	}
	body, lines, err := s.pack(kind, r, terms.Confirmed)
	if err != nil {
		return List{}, err
	}
	l := List{
		Name: name, Kind: kind, Lines: lines, Reason: terms.Reason, By: by.OperatorName(), At: s.Now().UTC(), Until: terms.Until, Body: body,
	}
	e := s.log(by, sandlot.ActionBlock)
	e.Target, e.Reason = listTarget(name), fmt.Sprintf("%d values of %s: %s", lines, kind, terms.Reason)
	return l, sandlot.EvenFull(s.Spend, func() error { return s.Store.PutList(ctx, l, e) })
}

func listTarget(name string) string { return "blocklist:" + name }

// checkName refuses names of lists that could be numbers of entries, or cannot be printed.
func checkName(name string) error {
	_, err := strconv.ParseInt(name, 10, 64)
	if name == "" || len(name) > maxName || err == nil || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fmt.Errorf("a list needs a name of 1 to %d bytes that is no number, and not %s", maxName, inspect.Quoted(name))
	}
	return nil
}

// Remove removes the entry of that number, or the list of that name, and returns its name in the audit log. One that is
// not there is sandlot.ErrNotFound. A reason may be given.
func (s *Service) Remove(ctx context.Context, by sandlot.Caller, ref, reason string) (string, error) {
	terms := Terms{Reason: strings.TrimSpace(reason)}
	if terms.Reason == "" {
		terms.Reason = "none given"
	}
	if err := s.check(by, &terms); err != nil {
		return "", err
	}
	e := s.log(by, sandlot.ActionUnblock)
	e.Reason = terms.Reason
	id, err := strconv.ParseInt(ref, 10, 64)
	name := ""
	if e.Target = (Entry{ID: id}).Name(); err != nil {
		id, name, e.Target = 0, ref, listTarget(ref)
	}
	err = sandlot.EvenFull(s.Spend, func() error { return s.Store.Unblock(ctx, id, name, e) })
	if errors.Is(err, sandlot.ErrNotFound) {
		err = fmt.Errorf("the blocklist has no entry and no list %s: %w", inspect.Quoted(ref), sandlot.ErrNotFound)
	}
	return e.Target, err
}

// Entries returns entries with an ID above after, oldest first, at most limit.
func (s *Service) Entries(ctx context.Context, by sandlot.Caller, after int64, limit int) ([]Entry, error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return nil, err
	}
	return s.Store.Blocked(ctx, after, limit)
}

// Lists returns all lists, without their bodies.
func (s *Service) Lists(ctx context.Context, by sandlot.Caller) ([]List, error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return nil, err
	}
	return s.Store.Lists(ctx)
}
