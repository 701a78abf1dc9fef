package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

// Desk is the store of package desk.
type Desk struct {
	db *DB
	SecretStore
}

func (store FrontLine) Desk() Desk { return Desk{store.db, SecretStore(store)} }

const (
	deskClosed = 100  // closed reports, notes and decisions of a case
	deskOpen   = 1000 // open reports of a case
	deskOthers = 100  // other projects of a case
)

// Conditions of a project p: shown at the desk, also from the trash; held; verdicts v and objections of decisions d that no later decision answers.
const (
	shown      = "a.deleted_at IS NULL AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM trash t WHERE t.project = p.num))"
	heldNow    = "p.hold <> '' AND p.hold_end = 0 AND p.suspended_at IS NULL AND a.suspended_at IS NULL"
	unanswered = `v.answer IN ('hold', 'refuse') AND v.reversed_at = 0
		AND NOT EXISTS (SELECT 1 FROM decisions l WHERE l.project = v.project AND l.at >= v.at AND l.undone_at = 0)`
	contested = `d.objected_at > 0 AND d.undone_at = 0
		AND NOT EXISTS (SELECT 1 FROM decisions l WHERE l.project = d.project AND l.id > d.id AND l.undone_at = 0)`
)

// selectWaiting reads a page of the queue: it reads through all that waits, in the order of indexes.
const selectWaiting = `WITH waiting (project, since) AS (
		SELECT p.num, r.since FROM (SELECT project, min(at) AS since FROM reports WHERE closed_at IS NULL GROUP BY project) r
			JOIN projects p ON p.id = r.project
		UNION ALL SELECT num, hold_at FROM projects WHERE hold <> '' AND hold_end = 0 AND suspended_at IS NULL
			AND (SELECT suspended_at FROM accounts WHERE id = projects.account) IS NULL
		UNION ALL SELECT v.project, v.at FROM verdicts v WHERE ` + unanswered + `
		UNION ALL SELECT d.project, d.objected_at FROM decisions d WHERE ` + contested + `)
	SELECT w.project FROM waiting w JOIN projects p ON p.num = w.project JOIN accounts a ON a.id = p.account
	WHERE p.deleted_at IS NULL AND a.deleted_at IS NULL GROUP BY w.project ORDER BY min(w.since), w.project LIMIT ? OFFSET ?`

// stateOf writes the state of a project p: decisions in the high half, all else in the low one. A report or a version is
// four more there, and a suspension or a hold another of four.
const stateOf = `(SELECT CAST(coalesce(max(l.id) + sum(CASE WHEN l.undone_at > 0 THEN 1 ELSE 0 END + CASE WHEN l.objected_at > 0 THEN 1 ELSE 0 END), 0)
			AS BIGINT) FROM decisions l WHERE l.project = p.num) * 4294967296
		+ (p.version + coalesce((SELECT max(o.id) FROM reports o WHERE o.project = p.id), 0)) * 4
		+ CASE WHEN p.suspended_at IS NULL AND a.suspended_at IS NULL THEN 0 ELSE 2 END
		+ CASE WHEN p.hold <> '' AND p.hold_end = 0 THEN 1 ELSE 0 END`

var selectItems = "SELECT a.created_at, a.role, a.suspended_at IS NOT NULL, a.projects, " + stateOf + `,
		coalesce((SELECT min(r.at) FROM reports r WHERE r.project = p.id AND r.closed_at IS NULL), 0),
		(SELECT count(*) FROM reports r WHERE r.project = p.id AND r.closed_at IS NULL),
		(SELECT count(DISTINCT r.network) FROM reports r WHERE r.project = p.id AND r.closed_at IS NULL AND length(r.network) > 0),
		CASE WHEN ` + heldNow + ` THEN p.hold_at ELSE 0 END,
		coalesce((SELECT v.at FROM verdicts v WHERE v.project = p.num AND ` + unanswered + `), 0),
		coalesce((SELECT max(d.objected_at) FROM decisions d WHERE d.project = p.num AND ` + contested + `), 0),
		` + countOf(sameHash) + ", " + countOf(sameAccount) + ", " + countOf(sameNetwork) + ", " +
	projectColumns + ` FROM projects p JOIN accounts a ON a.id = p.account
	WHERE ` + shown + " AND "

type itemRow struct {
	desk.Item
	num int64
}

func scanItem(r row) (i itemRow, err error) {
	var role sandlot.Role
	var reported, held, judged, objected time.Time
	o := &i.Owner
	p, err := scanProject(before{r, []any{
		asTime{&o.CreatedAt},
		&role, &o.Suspended, &o.Projects, &i.State,
		sometime{&reported},
		&i.Reports, &i.Networks,
		sometime{&held},
		sometime{&judged},
		sometime{&objected},
		&i.Same.Hash, &i.Same.Account, &i.Same.Network,
	}})
	i.Project, i.num = p.Project, p.num
	o.Handle, o.Verified, o.Operator = p.Handle, p.Verified, role == sandlot.OperatorRole
	i.wait(desk.WaitsReports, reported)
	i.wait(desk.WaitsHeld, held)
	i.wait(desk.WaitsVerdict, judged)
	i.wait(desk.WaitsObjection, objected)
	return i, err
}

// wait adds a reason to wait, since a time; zero is none.
func (i *itemRow) wait(reason string, since time.Time) {
	if since.IsZero() {
		return
	}
	i.Waits = append(i.Waits, reason)
	if i.Since.IsZero() || since.Before(i.Since) {
		i.Since = since
	}
}

func (store Desk) Queue(ctx context.Context, skip, limit int) (list []desk.Item, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		list = nil
		nums, err := all(ctx, q, scanValue[int64], selectWaiting, limit, skip)
		if err != nil || len(nums) == 0 {
			return err
		}
		rows, err := all(ctx, q, scanItem, selectItems+q.words().Among("p.num", q.words().Numbers("?", "j")), engine.List(nums))
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b itemRow) int { return cmp.Compare(slices.Index(nums, a.num), slices.Index(nums, b.num)) })
		for _, r := range rows {
			list = append(list, r.Item)
		}
		return readReasons(ctx, q, list)
	})
	return list, in("read the desk's queue", err)
}

// readReasons reads the reasons of open reports.
func readReasons(ctx context.Context, q querier, list []desk.Item) error {
	at, ids := map[string]int{}, []string{}
	for i, item := range list {
		at[string(item.Project.ID)], ids = i, append(ids, string(item.Project.ID))
	}
	type reported struct{ project, reason string }
	found, err := all(ctx, q, fields(func(r *reported) []any { return []any{&r.project, &r.reason} }),
		"SELECT DISTINCT project, reason FROM reports WHERE closed_at IS NULL AND "+q.words().Among("project", q.words().Texts("?", "j"))+
			" ORDER BY project, reason", engine.List(ids))
	for _, r := range found {
		i := &list[at[r.project]]
		i.Reasons = append(i.Reasons, r.reason)
	}
	return err
}

// Queries of other projects that have the same page as the project ?1, are of the same account, or come from the same
// network. None reads more than it returns, so one that has the page twice is returned twice.
const (
	sameHash = `SELECT g.project AS num FROM projects c JOIN files f ON f.project = c.num AND f.until = 9223372036854775807
			AND f.name = c.primary_file JOIN blobs b ON b.id = f.blob JOIN blobs o ON o.sha256 = b.sha256
		JOIN files g ON g.blob = o.id AND g.until = 9223372036854775807 JOIN projects q ON q.num = g.project
		WHERE c.num = ?1 AND g.project <> c.num AND q.deleted_at IS NULL LIMIT 100`
	sameAccount = `SELECT q.num FROM projects c JOIN projects q ON q.account = c.account
		WHERE c.num = ?1 AND q.num <> c.num AND q.deleted_at IS NULL LIMIT 100`
	sameNetwork = `SELECT q.num FROM projects c JOIN publishers m ON m.account = c.account
		JOIN publishers o ON o.network = m.network AND o.account <> m.account JOIN projects q ON q.account = o.account
		WHERE c.num = ?1 AND q.deleted_at IS NULL LIMIT 100`
)

// countOf counts the projects that such a query returns for a project p.
func countOf(query string) string {
	return "(SELECT count(DISTINCT s.num) FROM (" + strings.ReplaceAll(query, "?1", "p.num") + ") s)"
}

func (store Desk) Case(ctx context.Context, id sandlot.ProjectID) (c desk.Case, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		c = desk.Case{}
		i, err := one(ctx, q, scanItem, selectItems+"p.id = ?", string(id))
		if err != nil {
			return err
		}
		items := []desk.Item{i.Item}
		if err := readReasons(ctx, q, items); err != nil {
			return err
		}
		c.Item = items[0]
		if err := readCase(ctx, q, i.num, &c); err != nil {
			return err
		}
		return readOthers(ctx, q, &i, &c)
	})
	return c, in("read case", err)
}

// readCase reads the records of a case.
func readCase(ctx context.Context, q querier, num int64, c *desk.Case) (err error) {
	id := string(c.Project.ID)
	reports := func(condition string, limit int) ([]operate.Report, error) {
		return all(ctx, q, scanReport, "SELECT "+reportColumns+" FROM reports WHERE project = ? AND "+condition+" ORDER BY id DESC LIMIT ?", id, limit)
	}
	if c.Open, err = reports("closed_at IS NULL", deskOpen); err != nil {
		return err
	}
	if c.Closed, err = reports("closed_at IS NOT NULL", deskClosed); err != nil {
		return err
	}
	if c.Notes, err = all(ctx, q, fields(func(n *desk.Note) []any { return []any{asTime{&n.At}, &n.Who, &n.Text} }),
		"SELECT at, actor, text FROM notes WHERE project = ? ORDER BY id DESC LIMIT ?", num, deskClosed); err != nil {
		return err
	}
	if c.Decisions, err = all(ctx, q, scanDecision, selectDecisions+"d.project = ? ORDER BY d.id DESC LIMIT ?", num, deskClosed); err != nil {
		return err
	}
	if c.Files, err = all(ctx, q, scanFile, "SELECT "+fileColumns+` FROM files f JOIN blobs b ON b.id = f.blob
		WHERE f.project = ? AND f.until = 9223372036854775807 ORDER BY f.folded`, num); err != nil {
		return err
	}
	type more struct {
		description, verdict string
		shot                 sandlot.PictureID
	}
	m, err := one(ctx, q, fields(func(m *more) []any { return []any{&m.description, &m.verdict, &m.shot} }), `SELECT p.description,
		coalesce((SELECT v.answer || CASE WHEN v.reason = '' THEN '' ELSE ': ' || v.reason END FROM verdicts v
			WHERE v.project = p.num AND v.reversed_at = 0), ''),
		coalesce((SELECT k.shot FROM covers k WHERE k.project = p.num), '') FROM projects p WHERE p.num = ?`, num)
	c.Description, c.Verdict, c.Screenshot = m.description, m.verdict, m.shot
	return err
}

// readOthers reads the other projects that are the same.
func readOthers(ctx context.Context, q querier, i *itemRow, c *desk.Case) error {
	c.SameAs = map[string][]string{}
	var nums []int64
	of := map[int64][]string{}
	for _, same := range [][2]string{{"hash", sameHash}, {"network", sameNetwork}, {"account", sameAccount}} {
		found, err := all(ctx, q, scanValue[int64], same[1], i.num)
		if err != nil {
			return err
		}
		for _, num := range found {
			if of[num] == nil && len(nums) < deskOthers {
				nums = append(nums, num)
			}
			if !slices.Contains(of[num], same[0]) {
				of[num] = append(of[num], same[0])
			}
		}
	}
	type other struct {
		desk.Other
		num int64
	}
	others, err := all(ctx, q, func(r row) (o other, err error) {
		p, err := scanProject(before{r, []any{&o.State}})
		o.Project, o.num = p.Project, p.num
		return o, err
	}, "SELECT "+stateOf+", "+fromProjects+q.words().Among("p.num", q.words().Numbers("?", "j")), engine.List(nums))
	slices.SortFunc(others, func(a, b other) int { return cmp.Compare(slices.Index(nums, a.num), slices.Index(nums, b.num)) })
	for _, o := range others {
		c.Others = append(c.Others, o.Other)
		for _, name := range of[o.num] {
			c.SameAs[name] = append(c.SameAs[name], string(o.ID))
		}
	}
	return err
}

func (store Desk) Shown(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	p, err := one(ctx, store.db, scanProject, "SELECT "+projectColumns+
		" FROM projects p JOIN accounts a ON a.id = p.account WHERE "+shown+" AND p.id = ?", string(id))
	return p.Project, in("read project", err)
}

func (store Desk) ShownFile(ctx context.Context, id sandlot.ProjectID, name string) (sandlot.File, error) {
	f, err := one(ctx, store.db, scanFile, "SELECT "+fileColumns+` FROM projects p JOIN accounts a ON a.id = p.account
		JOIN files f ON f.project = p.num AND f.until = 9223372036854775807 JOIN blobs b ON b.id = f.blob
		WHERE `+shown+" AND p.id = ? AND f.folded = ? AND f.name = ?", string(id), names.Fold(name), name)
	return f, in("read file", err)
}
