package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/faults"
)

// faultHash is the length of the stored hash of a group, in bytes. Hashes only differ within a version.
const faultHash = 16

func (store Faults) AddFaults(ctx context.Context, list []faults.Counted) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b faults.Counted) int { // all steps in the same order, against deadlocks
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Version, b.Version), bytes.Compare(a.Hash[:], b.Hash[:]))
	})
	for len(list) > 0 { // a step for each project, so that other steps get their turn
		n := slices.IndexFunc(list, func(c faults.Counted) bool { return c.Project != list[0].Project })
		if n < 0 {
			n = len(list)
		}
		err := store.db.step(ctx, nil, func(t *tx) error { return addFaults(t, list[:n]) })
		if err != nil {
			return in("add faults", err)
		}
		list = list[n:]
	}
	return nil
}

// addFaults adds to the groups of one project.
func addFaults(t *tx, list []faults.Counted) error {
	project, err := liveProject(t, list[0].Project)
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var versions []int
	for _, c := range list {
		if err := addFault(t, project, c); err != nil {
			return err
		}
		versions = append(versions, c.Version)
	}
	for _, version := range slices.Compact(versions) {
		if err := t.do(`DELETE FROM faults WHERE project = ?1 AND version = ?2 AND hash NOT IN (SELECT g.hash FROM faults g
			WHERE g.project = ?1 AND g.version = ?2 ORDER BY g.count DESC, g.last_at DESC, g.hash LIMIT ?3 + 0)`,
			project, version, faults.MaxGroups); err != nil {
			return err
		}
	}
	return nil
}

// liveProject returns the number of a project, and locks its faults until the step ends.
func liveProject(t *tx, id sandlot.ProjectID) (int64, error) {
	if err := t.alone(sandlot.DigestOf([]byte("faults of " + id))); err != nil {
		return 0, err
	}
	return t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL"+ofAccount, string(id))
}

func addFault(t *tx, project int64, c faults.Counted) error {
	args := []any{project, c.Version, c.Hash[:faultHash], c.Kind, c.Message, c.Place, c.Stack}
	for _, family := range faults.Families {
		args = append(args, c.Browsers[family])
	}
	return t.do(`INSERT INTO faults (project, version, hash, kind, message, place, stack, chrome, firefox, safari, edge, other, count,
			first_at, last_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project, version, hash) DO UPDATE SET chrome = faults.chrome + excluded.chrome,
			firefox = faults.firefox + excluded.firefox, safari = faults.safari + excluded.safari, edge = faults.edge + excluded.edge,
			other = faults.other + excluded.other, count = faults.count + excluded.count,
			first_at = CASE WHEN faults.first_at < excluded.first_at THEN faults.first_at ELSE excluded.first_at END,
			last_at = CASE WHEN faults.last_at > excluded.last_at THEN faults.last_at ELSE excluded.last_at END`,
		append(args, c.Count, micros(c.FirstAt), micros(c.LastAt))...)
}

func (store Faults) Faults(ctx context.Context, id sandlot.ProjectID, version int) ([]faults.Group, error) {
	list, err := all(ctx, store.db, scanFault, `SELECT f.version, f.kind, f.message, f.place, f.stack, f.count, f.first_at, f.last_at,
			f.chrome, f.firefox, f.safari, f.edge, f.other
		FROM projects p JOIN faults f ON f.project = p.num WHERE p.id = ? AND p.deleted_at IS NULL AND f.version = ?
		ORDER BY f.count DESC, f.last_at DESC, f.hash`, string(id), version)
	return list, in("read faults", err)
}

func scanFault(r row) (g faults.Group, err error) {
	by := make([]int64, len(faults.Families))
	to := []any{&g.Version, &g.Kind, &g.Message, &g.Place, &g.Stack, &g.Count, asTime{&g.FirstAt}, asTime{&g.LastAt}}
	for i := range by {
		to = append(to, &by[i])
	}
	if err := r.Scan(to...); err != nil {
		return g, err
	}
	g.Browsers = map[string]int64{}
	for i, n := range by {
		if n > 0 {
			g.Browsers[faults.Families[i]] = n
		}
	}
	return g, nil
}

func (store Faults) FaultsOf(ctx context.Context, id sandlot.ProjectID, version int) (faults.Sum, error) {
	s, err := one(ctx, store.db, fields(func(s *faults.Sum) []any { return []any{&s.Groups, &s.Count, asTime{&s.LastAt}} }),
		`SELECT count(*), CAST(coalesce(sum(f.count), 0) AS BIGINT), coalesce(max(f.last_at), 0)
		FROM projects p JOIN faults f ON f.project = p.num WHERE p.id = ? AND p.deleted_at IS NULL AND f.version = ?`, string(id), version)
	return s, in("count faults", err)
}

func (store Faults) AddMessage(ctx context.Context, id sandlot.ProjectID, m faults.NewMessage, daily int) error {
	return in("add message", store.db.step(ctx, nil, func(t *tx) error {
		if err := t.alone(m.Token); err != nil {
			return err
		}
		project, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL"+ofAccount, string(id))
		if err != nil {
			return err
		}
		if err := t.below(int64(daily), faults.ErrTooMany, "SELECT count(*) FROM feedback WHERE project = ? AND token = ? AND at > ?",
			project, m.Token[:], micros(m.At.Add(-24*time.Hour))); err != nil {
			return err
		}
		if _, err := t.insert("id", "INSERT INTO feedback (project, version, text, token, at) VALUES (?, ?, ?, ?, ?)",
			project, m.Version, m.Text, m.Token[:], micros(m.At)); err != nil {
			return err
		}
		return t.do(`DELETE FROM feedback WHERE project = ?1 AND id <= (SELECT m.id FROM feedback m WHERE m.project = ?1
			ORDER BY m.id DESC LIMIT 1 OFFSET ?2 + 0)`, project, faults.MaxMessages)
	}))
}

func (store Faults) Messages(ctx context.Context, id sandlot.ProjectID, before int64, limit int) ([]faults.Message, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	list, err := all(ctx, store.db, fields(func(m *faults.Message) []any {
		return []any{&m.ID, &m.Version, &m.Text, asTime{&m.At}, &m.Player, &m.Name}
	}), `SELECT m.id, m.version, m.text, m.at, coalesce(y.id, ''), coalesce(y.name, '')
		FROM projects p JOIN feedback m ON m.project = p.num LEFT JOIN player_tokens k ON k.project = m.project AND k.hash = m.token
		LEFT JOIN players y ON y.num = k.player
		WHERE p.id = ? AND p.deleted_at IS NULL AND m.id < ? ORDER BY m.id DESC LIMIT ? + 0`, string(id), before, limit)
	return list, in("read messages", err)
}

func (store Faults) DeleteMessage(ctx context.Context, id sandlot.ProjectID, message int64) error {
	return in("delete message", store.db.run(ctx, do("DELETE FROM feedback WHERE id = ? AND project = (SELECT num FROM projects WHERE id = ?)",
		message, string(id))))
}
