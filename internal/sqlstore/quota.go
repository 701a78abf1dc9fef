package sqlstore

import (
	"context"

	"sandlot/internal/publish"
)

// within fails if an account has more than q. Triggers keep the totals, but for
// the project that createProject adds.
func (t *tx) within(id publish.AccountID, q publish.Quota) error {
	if q == (publish.Quota{}) {
		return nil
	}
	has, err := one(context.Background(), t, scanTotals, "SELECT projects, bytes FROM accounts WHERE id = ?", id)
	switch {
	case err != nil:
		return err
	case q.Projects > 0 && has.Projects > q.Projects:
		return publish.ErrTooManyProjects
	case q.Bytes > 0 && has.Bytes > q.Bytes:
		return publish.ErrTooManyBytes
	}
	return nil
}

func scanTotals(r row) (q publish.Quota, err error) {
	err = r.Scan(&q.Projects, &q.Bytes)
	return q, err
}
