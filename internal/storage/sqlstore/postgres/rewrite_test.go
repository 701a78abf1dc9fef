package postgres

import (
	"fmt"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestParametersAreNumberedAsSQLiteDoesIt(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT 1":                              "SELECT 1",
		"VALUES (?, ?, ?)":                      "VALUES ($1, $2, $3)",
		"a = ?1 AND b = ?2 OR c = ?1":           "a = $1 AND b = $2 OR c = $1",
		"a = ?2 AND b = ? AND c = ?1 AND d = ?": "a = $2 AND b = $3 AND c = $1 AND d = $4",
		"a = '?' AND b = ?":                     "a = '?' AND b = $1",
		"a = 'it''s ?' AND b = ?":               "a = 'it''s ?' AND b = $1",
		`"a?" = ? AND "b""?" = ?`:               `"a?" = $1 AND "b""?" = $2`,
		"a -- what?\n= ?":                       "a -- what?\n= $1",
		"a /* what? */ = ?":                     "a /* what? */ = $1",
		"a - ? / ?":                             "a - $1 / $2",
		"a = ? AND b = 'open ?":                 "a = $1 AND b = 'open ?",
		"a = ?12 AND b = ?":                     "a = $12 AND b = $13",
	} {
		expect.Equal(t, query, numbered(query), want)
	}
	var r rewritten
	for i := range 2 * rewrittenMax {
		expect.Equal(t, "a query", r.of(fmt.Sprint(i, " ?")), fmt.Sprint(i, " $1"))
	}
	if len(r.kept) > rewrittenMax {
		t.Errorf("%d queries are kept", len(r.kept))
	}
}
