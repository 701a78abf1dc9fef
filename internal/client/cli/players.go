package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sandlot/internal/client/client"
)

// shortList is how many boards, errors and messages stats prints, and entries of a board.
const shortList = 3

// players returns what players left in a project, in short, as pairs for print. A service that does not answer, or refuses it
// to the key, leaves out its part: the numbers do not depend on it.
func (s *session) players(ctx context.Context) (pairs []string) {
	list, err := s.Boards(ctx, s.id)
	if err != nil {
		return nil
	}
	for _, b := range list[:min(len(list), shortList)] {
		if board, err := s.Board(ctx, s.id, b.Name, shortList); err == nil {
			pairs = append(pairs, "board", boardLine(board))
		}
	}
	if found, err := s.PlayerErrors(ctx, s.id); err == nil {
		for _, e := range found.Errors[:min(len(found.Errors), shortList)] {
			pairs = append(pairs, "error", fmt.Sprintf("%d x %s (%s) in version %d", e.Count, e.Message, e.Place, found.Version))
		}
	}
	if messages, err := s.Messages(ctx, s.id, shortList); err == nil {
		for _, m := range messages {
			pairs = append(pairs, "message", m.At.UTC().Format("2006-01-02")+" "+m.Text)
		}
	}
	return pairs
}

func boardLine(b client.Board) string {
	entries := make([]string, len(b.Entries))
	for i, e := range b.Entries {
		name := e.Name
		if name == "" {
			name = "-"
		}
		entries[i] = fmt.Sprintf("%d. %s %s", e.Rank, name, strconv.FormatFloat(e.Score, 'f', -1, 64))
	}
	return b.Name + ", " + plural(int(b.Players), "player", "players") + ": " + strings.Join(entries, ", ")
}
