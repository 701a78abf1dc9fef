package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sandlot/internal/client/client"
)

// shortList is the number of boards, of errors, of messages and of entries of a board that stats prints.
const shortList = 3

// playersLeft returns a few boards, errors and messages of a project as pairs for print. It leaves out each part that the
// service does not return: the numbers do not depend on it. Texts of strangers are in quotes, so that a reader sees where they end.
func playersLeft(ctx context.Context, s *session) (pairs []string) {
	left := s.Left(s.id)
	list, err := left.Boards(ctx)
	if err != nil {
		return nil
	}
	for _, b := range list[:min(len(list), shortList)] {
		if board, err := left.Board(ctx, b.Name, shortList); err == nil {
			pairs = append(pairs, "board", boardLine(board))
		}
	}
	if found, err := left.Errors(ctx); err == nil {
		for _, e := range found.Errors[:min(len(found.Errors), shortList)] {
			pairs = append(pairs, "error", fmt.Sprintf("%s in version %d", errorLine(e), found.Version))
		}
	}
	if messages, err := left.Messages(ctx, shortList); err == nil {
		for _, m := range messages {
			pairs = append(pairs, "message", m.At.UTC().Format("2006-01-02")+" "+strconv.Quote(m.Text))
		}
	}
	return pairs
}

func boardLine(b client.Board) string {
	entries := make([]string, len(b.Entries))
	for i, e := range b.Entries {
		name := "-"
		if e.Name != "" {
			name = strconv.Quote(e.Name)
		}
		score, _ := json.Marshal(e.Score) // a score is finite; its JSON has at most 25 characters
		entries[i] = fmt.Sprintf("%d. %s %s", e.Rank, name, score)
	}
	return b.Name + ", " + plural(int(b.Players), "player", "players") + ": " + strings.Join(entries, ", ")
}

func errorLine(e client.PlayerError) string {
	line := fmt.Sprintf("%d x %q", e.Count, e.Message)
	if e.Place != "" {
		line += fmt.Sprintf(" at %q", e.Place)
	}
	return line
}
