package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate/desk"
)

// objected: the project of a decision d was objected about since it was last reinstated.
const objected = `EXISTS (SELECT 1 FROM decisions o WHERE o.project = d.project AND o.id < d.id AND o.objected_at > 0 AND o.undone_at = 0
	AND NOT EXISTS (SELECT 1 FROM decisions l WHERE l.project = o.project AND l.id > o.id AND l.id < d.id AND l.undone_at = 0
		AND l.action = 'dismiss'))`

const selectNotice = "SELECT d.undone_at > 0, d.action, d.reason, d.note, " + objected + `,
	(SELECT count(*) FROM decisions m WHERE m.batch = d.batch AND m.account = d.account AND m.id <> d.id), ` + projectColumns + `
	FROM decisions d JOIN projects p ON p.num = d.project JOIN accounts a ON a.id = p.account
	WHERE d.id = ? AND a.deleted_at IS NULL AND (d.undone_at = 0 OR ` + backAgain + ")"

func (store Mail) Decision(ctx context.Context, id int64, code sandlot.Digest) (n account.DecisionNotice, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		n, err = one(context.Background(), t, func(r row) (n account.DecisionNotice, err error) {
			undone := false
			p, err := scanProject(before{r, []any{&undone, &n.Action, &n.Reason, &n.Text, &n.Final, &n.More}})
			if n.Project = p.Project; undone {
				n.Action, n.Reason, n.Text, n.Final = string(desk.Dismiss), "", "", false
			}
			return n, err
		}, selectNotice, id)
		if err != nil {
			return err
		}
		if n.Final {
			code = sandlot.DigestOf(code[:]) // nobody has it: it marks that there is a message
		}
		return t.do("UPDATE decisions SET code = ? WHERE id = ? AND objected_at = 0", code[:], id)
	})
	return n, in("read decision", err)
}

func (store Mail) Outcome(ctx context.Context, id int64, address string) (account.OutcomeNotice, error) {
	n, err := one(ctx, store.db, fields(func(n *account.OutcomeNotice) []any { return []any{&n.Case, &n.Project, &n.Down} }),
		`SELECT r.number, r.project, d.action <> 'dismiss' FROM decisions d JOIN projects p ON p.num = d.project JOIN projects q ON q.account = p.account
			JOIN reports r ON r.project = q.id
		WHERE d.id = ? AND d.undone_at = 0 AND (q.num = p.num OR d.action = 'take-down-account') AND r.contact = ? AND r.closed_at >= d.at LIMIT 1`, id, address)
	return n, in("read outcome", err)
}
