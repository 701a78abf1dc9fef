package sqlstore

import (
	"context"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
)

// TestASaveTouchesNoRecordOfAnotherPlayerOnPostgres: while another step holds the records of the project and its account, and another player's,
// a save that keeps its size is made.
func TestASaveTouchesNoRecordOfAnotherPlayerOnPostgres(t *testing.T) {
	t.Parallel()
	db, err := OpenPostgres(t.Context(), emptyServer.Postgres(t), postgres.Options{Connections: 4})
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	_, err = db.Publish().CreateAccount(t.Context(), benchAccount(2))
	expect.OK(t, err)
	p, store := mustProject(t, db, 1), db.Players()
	ada := players.Holder{Project: p.ID, Token: sandlot.Digest{1}, Fresh: "ada", Now: time.Now()}
	bob := players.Holder{Project: p.ID, Token: sandlot.Digest{2}, Fresh: "bob", Now: time.Now()}
	expect.OK(t, store.Save(t.Context(), ada, "main", []byte("1"), 1<<40))
	expect.OK(t, store.Save(t.Context(), bob, "main", []byte("1"), 1<<40))
	expect.OK(t, db.step(t.Context(), nil, func(x *tx) error {
		for _, query := range []string{
			"SELECT num FROM projects FOR NO KEY UPDATE", "SELECT project FROM player_totals FOR UPDATE",
			"SELECT id FROM accounts FOR UPDATE", "SELECT num FROM players WHERE id = 'bob' FOR UPDATE",
		} {
			if err := x.do(query); err != nil {
				return err
			}
		}
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return store.Save(soon, ada, "main", []byte(strings.Repeat("2", 4000)), 1<<40)
	}))
}
