package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

// newPublisher records the network from which an account without a verified address publishes; none if it is unknown.
func newPublisher(id sandlot.AccountID, p publish.Publisher, at time.Time) []engine.Statement {
	if p == (publish.Publisher{}) {
		return nil
	}
	return []engine.Statement{do(`INSERT INTO publishers (account, network, wide, at)
		SELECT id, ?2, ?3, ?4 FROM accounts WHERE id = ?1 AND verified = 0 AND trusted_at IS NULL
		ON CONFLICT (account, network) DO UPDATE SET at = excluded.at`, id, p.Network[:], p.Wide[:], micros(at))}
}

// dropPublishers forgets the networks of an account whose owner is known or gone.
func dropPublishers(id sandlot.AccountID) engine.Statement {
	return do("DELETE FROM publishers WHERE account = ?", id)
}

// networkKeys begins the names of the keys of networks in the table of secrets; the month follows.
const networkKeys = "network "

// dropNetworkKeys forgets the keys of months that have been over for long enough.
func (s *sweep) dropNetworkKeys(now time.Time) error {
	return s.times("DELETE FROM secrets"+some("secrets", "name", "name >= '"+networkKeys+"' AND name < ?1"),
		networkKeys+blocks.MonthOf(now.Add(-blocks.NetworksKept)))
}

func (store Blocks) Publishers(ctx context.Context, id sandlot.AccountID) ([]blocks.Published, error) {
	return all(ctx, store.db, fields(func(p *blocks.Published) []any {
		return []any{asDigest{&p.Network}, asDigest{&p.Wide}, asTime{&p.At}}
	}), "SELECT network, wide, at FROM publishers WHERE account = ? ORDER BY at DESC", id)
}

func (store Blocks) Neighbours(ctx context.Context, id sandlot.AccountID, limit int) ([]blocks.Neighbour, error) {
	return all(ctx, store.db, fields(func(n *blocks.Neighbour) []any { return []any{&n.Account, &n.Same} }),
		`SELECT o.account, max(CASE WHEN o.network = m.network THEN 1 ELSE 0 END) FROM publishers m
		JOIN publishers o ON o.wide = m.wide JOIN accounts a ON a.id = o.account
		WHERE m.account = ? AND o.account <> m.account AND a.deleted_at IS NULL
		GROUP BY o.account ORDER BY 2 DESC, o.account DESC LIMIT ?`, id, limit)
}
