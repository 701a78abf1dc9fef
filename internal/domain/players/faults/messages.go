package faults

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sandlot"
	"sandlot/internal/domain/players"
)

// A Message is a message of a player to the maker.
type Message struct {
	ID      int64
	Version int
	Text    string // strangers' text, as Name is
	Name    string
	Player  string // the player's id; "" if it has none
	At      time.Time
}

// dailyMessages is the number of messages that a player may send to a project in 24 hours.
const dailyMessages = 5

// ErrTooMany refuses a message of a player who has sent the day's limit.
var ErrTooMany = errors.New("too many messages of a player")

// Message stores a message of a player to the maker: at most MaxFeedback characters, five messages a day. A longer message
// is CodeInvalidField, a message without a visible character CodeMissingField, and a visit without a player
// CodePlayerRequired.
func (s *Service) Message(ctx context.Context, by sandlot.Caller, v players.Visit, text string) error {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, &v.Project), v.Changes(), v.Known()); err != nil {
		return err
	}
	clean, err := message(text)
	if err != nil {
		return err
	}
	if err := s.Limits.Message(v); err != nil {
		return err
	}
	m := NewMessage{Version: v.Project.Version, Text: clean, Token: v.Token, At: s.Now()}
	err = s.Store.AddMessage(ctx, v.Project.ID, m, dailyMessages)
	if errors.Is(err, ErrTooMany) {
		return sandlot.Refuse(sandlot.CodeRateLimited, "This player has sent %d messages to the maker today.", dailyMessages).
			After(24 * time.Hour / dailyMessages).With(sandlot.OpWait)
	}
	return in("keep message", err)
}

// message returns the stored form of a message: one line without control characters and invisible ones.
func message(text string) (string, error) {
	if r := []rune(head(text)); len(r) > MaxFeedback {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The message has more than %d characters.", MaxFeedback).In("text").
			With(sandlot.OpNothing).Note("Send at most %d characters as text.", MaxFeedback)
	}
	clean := strings.Join(strings.Fields(plain(head(text))), " ")
	if !strings.ContainsFunc(clean, unicode.IsGraphic) {
		return "", sandlot.Refuse(sandlot.CodeMissingField, "The message is empty.").In("text").With(sandlot.OpNothing).
			Note("Send 1 to %d characters as text.", MaxFeedback)
	}
	return clean, nil
}

// Messages returns the messages of a project, newest first, for its owner, and the cursor of the next page; "" at the
// end. limit is 1 to 1,000. An invalid cursor is CodeInvalidField.
func (s *Service) Messages(ctx context.Context, by sandlot.Caller, ref string, limit int, cursor string) (list []Message, next string, err error) {
	p, err := players.Owned(ctx, s.Projects, by, sandlot.ActReadFiles, ref)
	if err != nil {
		return nil, "", err
	}
	before, bad := strconv.ParseInt(cursor, 10, 64)
	if cursor != "" && (bad != nil || before < 1) {
		return nil, "", sandlot.Refuse(sandlot.CodeInvalidField, "The cursor is invalid.").In("cursor").
			With(sandlot.OpFeedback, sandlot.Set("project_id", string(p.ID))).
			Note("Use next_cursor of the page before, or leave cursor out for the first page.")
	}
	if list, err = s.Store.Messages(ctx, p.ID, before, limit+1); err != nil {
		return nil, "", in("read messages", err)
	}
	if len(list) > limit {
		list = list[:limit]
		next = strconv.FormatInt(list[limit-1].ID, 10)
	}
	return list, next, nil
}

// DeleteMessage removes a message, for the project's owner. It is idempotent.
func (s *Service) DeleteMessage(ctx context.Context, by sandlot.Caller, ref string, id int64) error {
	p, err := players.Owned(ctx, s.Projects, by, sandlot.ActSettle, ref)
	if err != nil {
		return err
	}
	return in("delete message", s.Store.DeleteMessage(ctx, p.ID, id))
}
