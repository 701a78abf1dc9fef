package desk

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// Decide makes a decision in one step. Where a target has another state than the moderator saw, nothing is decided, and
// the error is a MovedError. A report or a version that came since then counts for Dismiss alone: otherwise the owner
// could publish again and again to prevent a decision. Nobody decides about their own account or one of an operator, and
// only an operator about one of a moderator: sandlot.CodeInvalidField. At the machine there is no such limit.
func (s *Service) Decide(ctx context.Context, by sandlot.Caller, o Order) (made []Decision, err error) {
	if err := s.moderator(by); err != nil {
		return nil, err
	}
	if o, err = checked(o); err != nil {
		return nil, err
	}
	a := s.act(by)
	a.Allow = func(m Moderator, targets []Standing) error {
		return cmp.Or(s.allow(m, targets), undismissable(o, targets))
	}
	err = s.evenFull(func() (err error) {
		made, err = s.Store.Decide(ctx, a, o)
		return err
	})
	return made, err
}

// undismissable refuses to dismiss a project that is down with its account: it would stay down.
func undismissable(o Order, targets []Standing) error {
	for _, t := range targets {
		if o.Action == Dismiss && t.Suspended {
			return refused("The account of %s is suspended: undo that decision, or end it with sandlot admin reinstate.", t.Project)
		}
	}
	return nil
}

// checked returns an order in the form in which it is recorded: each target once.
func checked(o Order) (Order, error) {
	wrong := func(field, text string, args ...any) error {
		return sandlot.Refuse(sandlot.CodeInvalidField, text, args...).In(field)
	}
	if !slices.Contains([]Action{Dismiss, Hold, TakeDown, TakeDownAccount}, o.Action) {
		return o, wrong("action", "The decision is none of dismiss, hold, take-down and take-down-account.")
	}
	if !slices.Contains(operate.Reasons(), o.Reason) && !(o.Action == Dismiss && o.Reason == "") {
		return o, wrong("reason", "The reason is none of the list.")
	}
	if o.Block && o.Action == Dismiss {
		return o, wrong("block", "Files are not blocked where nothing is held or taken down.")
	}
	seen := map[sandlot.ProjectID]bool{}
	o.Targets = slices.DeleteFunc(slices.Clone(o.Targets), func(t Target) bool {
		twice := seen[t.Project]
		seen[t.Project] = true
		return twice
	})
	if len(o.Targets) == 0 || len(o.Targets) > MaxTargets {
		return o, wrong("project_id", "A decision is about 1 to %d projects.", MaxTargets)
	}
	var err error
	o.Text, err = operate.CleanText("text", o.Text, MaxText)
	return o, err
}

// Undo brings back the state before a decision, with all decisions of its batch, and takes back the entries of the
// blocklist that it added. Closed reports stay closed. A decision made since, also by Undo, is a
// MovedError, and so is a suspension by the operator.
func (s *Service) Undo(ctx context.Context, by sandlot.Caller, decision int64) error {
	if err := s.moderator(by); err != nil {
		return err
	}
	return s.evenFull(func() error { return s.Store.Undo(ctx, s.act(by), decision) })
}

// Contested returns the decision that the code of a message objects to. Anybody may call it; a code that is unknown or
// was used, and one of a decision that is no longer in force, is sandlot.ErrNotFound.
func (s *Service) Contested(ctx context.Context, by sandlot.Caller, code string) (Decision, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Decision{}, err
	}
	return s.Store.Contested(ctx, sandlot.DigestOf([]byte(code)))
}

// Object records the objection of an owner, once, to the decision that Contested returns.
func (s *Service) Object(ctx context.Context, by sandlot.Caller, code, text string) error {
	d, err := s.Contested(ctx, by, code)
	if err != nil {
		return err
	}
	text, err = operate.CleanText("text", text, MaxObjection)
	if err != nil {
		return err
	}
	if text == "" {
		return sandlot.Refuse(sandlot.CodeInvalidField, "The objection is empty.").In("text")
	}
	at := s.Now().UTC()
	if at.Before(d.At) { // a clock that was set back: the order stays
		at = d.At
	}
	return s.Store.Object(ctx, sandlot.DigestOf([]byte(code)), text, at)
}

// Last returns the decision that a MovedError names, if a decision changed the state.
func Last(err error) (d Decision, ok bool) {
	var moved MovedError
	ok = errors.As(err, &moved) && moved.Last.ID != 0
	return moved.Last, ok
}
