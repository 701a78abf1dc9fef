package cli

import (
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
)

func TestABoardIsOneLine(t *testing.T) {
	t.Parallel()
	entries := []client.BoardEntry{{Rank: 1, Name: "Kim", Score: 1230}, {Rank: 2, Score: 0.5}}
	expect.Equal(t, "line", boardLine(client.Board{Name: "main", Players: 2, Entries: entries}), "main, 2 players: 1. Kim 1230, 2. - 0.5")
}
