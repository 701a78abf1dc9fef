package cli

import (
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
)

func TestABoardIsOneLine(t *testing.T) {
	t.Parallel()
	entries := []client.BoardEntry{{Rank: 1, Name: "Kim", Score: 1230}, {Rank: 2, Score: 0.5}, {Rank: 3, Name: "Bo 9, 4. Eve", Score: -1e308}}
	expect.Equal(t, "line", boardLine(client.Board{Name: "main", Players: 3, Entries: entries}),
		`main, 3 players: 1. "Kim" 1230, 2. - 0.5, 3. "Bo 9, 4. Eve" -1e+308`)
}

func TestAnErrorIsOneLine(t *testing.T) {
	t.Parallel()
	expect.Equal(t, "line", errorLine(client.PlayerError{Count: 2, Message: "x is undefined", Place: "a.js:1:2"}), `2 x "x is undefined" at "a.js:1:2"`)
	expect.Equal(t, "line without a place", errorLine(client.PlayerError{Count: 1, Message: "boom"}), `1 x "boom"`)
}
