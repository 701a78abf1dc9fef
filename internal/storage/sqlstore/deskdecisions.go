package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	outcomesMost = 100                  // reporters of one project that a decision writes to: the newest
	hashesMost   = 100                  // files of one project that a decision blocks
	blockedFor   = 365 * 24 * time.Hour // as long as a file is blocked by a decision
)

const selectDecisions = `SELECT d.id, d.batch, p.id, d.at, d.actor, d.action, d.reason, d.note, d.objection, d.objected_at, d.undone_at,
	d.undone_by FROM decisions d JOIN projects p ON p.num = d.project JOIN accounts a ON a.id = p.account WHERE `

func scanDecision(r row) (d desk.Decision, err error) {
	err = r.Scan(&d.ID, &d.Batch, &d.Project, asTime{&d.At}, &d.Who, &d.Action, &d.Reason, &d.Text, &d.Objection, sometime{&d.ObjectedAt},
		sometime{&d.UndoneAt}, &d.UndoneBy)
	return d, err
}

// A standing is a target as a step on its locked account finds it. Times are as they are stored, 0 for none.
type standing struct {
	desk.Standing
	num, state        int64
	handle            string
	judged            bool
	suspended, immune int64
	accountSuspended  int64
	held              heldBefore
}

// heldBefore is the hold of a project, which may be over.
type heldBefore struct {
	Rule string `json:"rule"`
	At   int64  `json:"at"`
	End  int64  `json:"end"`
}

func (h heldBefore) lasts() bool { return h.Rule != "" && h.End == 0 }

// deskBefore holds the state before a decision; nil fields did not change.
type deskBefore struct {
	Hold      *heldBefore `json:"hold,omitempty"`
	Suspended *int64      `json:"suspended,omitempty"`
	Account   bool        `json:"account,omitempty"` // its account was not suspended
	Immune    *int64      `json:"immune,omitempty"`
	Judged    bool        `json:"judged,omitempty"` // a verdict was not reversed
	Blocks    []string    `json:"blocks,omitempty"` // hashes that were not blocked
}

const selectStandings = "SELECT p.num, p.id, p.account, a.role, a.suspended_at IS NOT NULL, " + stateOf + `, a.handle,
	EXISTS (SELECT 1 FROM verdicts v WHERE v.project = p.num AND v.answer IN ('hold', 'refuse') AND v.reversed_at = 0),
	coalesce(p.suspended_at, 0), coalesce(a.suspended_at, 0), p.immune_until, p.hold, p.hold_at, p.hold_end
	FROM projects p JOIN accounts a ON a.id = p.account WHERE ` + shown + " AND "

// A ruling is the step of a decision, or of its end.
type ruling struct {
	*tx
	desk.Act
	accounts []sandlot.AccountID // that it suspended or reinstated
}

// rule runs a ruling, and then brings the projects of its accounts into the lists, or out of them: see changeAccount.
func (store Desk) rule(ctx context.Context, a desk.Act, run func(*ruling) error) error {
	var r ruling
	if err := store.db.step(ctx, nil, func(t *tx) error {
		r = ruling{tx: t, Act: a}
		return run(&r)
	}); err != nil {
		return err
	}
	for _, id := range r.accounts {
		_ = store.db.followSteps(context.WithoutCancel(ctx), func(s *sweep) error { return s.followAccount(int64(id)) })
	}
	return nil
}

// standings locks the accounts of the targets and of the moderator, and returns the targets if Allow does.
func (r *ruling) standings(find string, targets any) ([]standing, error) {
	ctx := context.Background()
	owners, err := all(ctx, r.tx, scanValue[sandlot.AccountID], "SELECT p.account FROM projects p WHERE "+find, targets)
	if err != nil {
		return nil, err
	}
	if err := r.lock("SELECT id FROM accounts WHERE "+r.amongNumbers("id")+" ORDER BY id", engine.List(append(owners, r.Account))); err != nil {
		return nil, err
	}
	list, err := all(ctx, r.tx, fields(func(s *standing) []any {
		return []any{
			&s.num, &s.Project, &s.Account, &s.Role, &s.Suspended, &s.state, &s.handle, &s.judged, &s.suspended, &s.accountSuspended, &s.immune,
			&s.held.Rule, &s.held.At, &s.held.End,
		}
	}), selectStandings+find, targets)
	if err != nil {
		return nil, err
	}
	public := make([]desk.Standing, len(list))
	for i, s := range list {
		public[i] = s.Standing
		if !slices.Contains(owners, s.Account) { // another account took it just now
			return nil, desk.MovedError{Project: s.Project}
		}
	}
	m, err := r.moderator()
	if err != nil {
		return nil, err
	}
	return list, r.Allow(m, public)
}

// moderator reads the person of an act.
func (r *ruling) moderator() (desk.Moderator, error) {
	if r.Account == 0 {
		return desk.Moderator{Machine: true}, nil
	}
	m, err := one(context.Background(), r.tx, fields(func(m *desk.Moderator) []any {
		return []any{&m.Account, &m.Role, &m.Suspended, asTime{&m.ProvedAt}}
	}), `SELECT a.id, a.role, a.suspended_at IS NOT NULL, s.proved_at FROM sessions s JOIN accounts a ON a.id = s.account
		WHERE s.id = ? AND a.id = ? AND a.deleted_at IS NULL`, r.Session, r.Account)
	if errors.Is(err, sandlot.ErrNotFound) {
		err = nil
	}
	return m, err
}

func (store Desk) Decide(ctx context.Context, a desk.Act, o desk.Order) (made []desk.Decision, err error) {
	err = store.rule(ctx, a, func(r *ruling) error {
		made, err = r.decide(o)
		return err
	})
	return made, in("decide", err)
}

func (r *ruling) decide(o desk.Order) ([]desk.Decision, error) {
	ids := make([]string, len(o.Targets))
	for i, t := range o.Targets {
		ids[i] = string(t.Project)
	}
	list, err := r.standings(r.dialect.Among("p.id", r.dialect.Texts("?", "j")), engine.List(ids))
	if err != nil {
		return nil, err
	}
	at := func(s standing) int { return slices.Index(ids, string(s.Project)) }
	slices.SortFunc(list, func(a, b standing) int { return at(a) - at(b) })
	for i, id := range ids {
		if i >= len(list) || string(list[i].Project) != id {
			return nil, fmt.Errorf("project %s: %w", id, sandlot.ErrNotFound)
		}
		if err := r.unmoved(list[i], o.Action, o.Targets[i].State); err != nil {
			return nil, err
		}
	}
	before := make([]deskBefore, len(list))
	for i, s := range list {
		if before[i], err = r.apply(o, s); err != nil {
			return nil, err
		}
	}
	return r.record(o, list, before)
}

// unmoved returns a MovedError for a target that is in another state than the moderator saw.
func (r *ruling) unmoved(s standing, action desk.Action, seen int64) error {
	decided := seen>>32 != s.state>>32
	if seen == 0 || !decided && (action != desk.Dismiss || seen == s.state) {
		return nil
	}
	moved := desk.MovedError{Project: s.Project}
	if !decided {
		return moved
	}
	last, err := one(context.Background(), r.tx, scanDecision, selectDecisions+"d.project = ? ORDER BY d.id DESC LIMIT 1", s.num)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	moved.Last = last
	return moved
}

// apply makes the effects of the decision on one target, and returns the state before.
func (r *ruling) apply(o desk.Order, s standing) (b deskBefore, err error) {
	r.changed.Projects = append(r.changed.Projects, s.Project)
	switch o.Action {
	case desk.Dismiss:
		b, err = r.dismiss(s)
	case desk.Hold:
		if s.held.Rule != string(sandlot.HeldModerator) || !s.held.lasts() {
			b.Hold = &s.held
		}
		err = hold(r.tx, s.num, sandlot.HeldModerator, r.At)
	case desk.TakeDown:
		if s.suspended == 0 {
			b.Suspended = &s.suspended
			err = r.do("UPDATE projects SET changed = changed + 1, suspended_at = ? WHERE num = ?", micros(r.At), s.num)
		}
	case desk.TakeDownAccount:
		if b.Account = !s.Suspended && !slices.Contains(r.accounts, s.Account); b.Account {
			if err = r.suspendAccount(s.Account, micros(r.At)); err == nil {
				err = reserveMailbox(context.Background(), r.tx, s.Account, r.At)
			}
		}
	}
	if err == nil && o.Block {
		b.Blocks, err = r.block(s, o.Reason)
	}
	return b, err
}

func (r *ruling) dismiss(s standing) (b deskBefore, err error) {
	if s.suspended != 0 {
		b.Suspended = &s.suspended
	}
	if s.held.lasts() {
		b.Hold = &s.held
		if err := endHold(r.tx, s.num, sandlot.NotHeld, r.At); err != nil {
			return b, err
		}
	}
	if b.Hold != nil || b.Suspended != nil {
		b.Immune = &s.immune
		if err := r.do("UPDATE projects SET changed = changed + 1, suspended_at = NULL, immune_until = ? WHERE num = ?",
			micros(r.At.Add(operate.Immunity)), s.num); err != nil {
			return b, err
		}
	}
	b.Judged = s.judged
	return b, reverseVerdict(r.tx, s.num, r.At)
}

// suspendAccount suspends an account at that time, or ends it with nil.
func (r *ruling) suspendAccount(id sandlot.AccountID, at any) error {
	ids, err := all(context.Background(), r.tx, scanValue[sandlot.ProjectID],
		"SELECT id FROM projects WHERE account = ? AND deleted_at IS NULL", id)
	if err != nil {
		return err
	}
	r.accounts, r.changed.Projects = append(r.accounts, id), append(r.changed.Projects, ids...)
	return r.do("UPDATE accounts SET changed = changed + 1, suspended_at = ? WHERE id = ?", at, id)
}

// block blocks the files of a target that are not blocked yet, and returns their hashes.
func (r *ruling) block(s standing, reason string) (fresh []string, err error) {
	hashes, err := pageHashes(r.tx, s.num, r.At.Add(-operate.HoldUnproved))
	if err != nil {
		return nil, err
	}
	if _, err := nextBlocks(r.tx); err != nil {
		return nil, err
	}
	for _, h := range hashes {
		_, err := r.number(putBlock+" WHERE blocked.until > 0 AND blocked.until <= excluded.at RETURNING id",
			blocks.Hash, h.String(), reason, r.who(), micros(r.At), micros(r.At.Add(blockedFor)))
		if errors.Is(err, sandlot.ErrNotFound) {
			continue // it is blocked already
		}
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, h.String())
	}
	return fresh, nil
}

// pageHashes returns the hashes of the files of a project's current version that can be blocked without harm to others:
// no project of another account with a verified address has them. Pages come first; the rest is cut. An address that was
// verified after long spares no page, for anybody could publish a page once more by a new address.
func pageHashes(t *tx, num int64, long time.Time) ([]sandlot.Digest, error) {
	const page = "CASE WHEN f.folded LIKE '%.html' OR f.folded LIKE '%.htm' THEN 1 ELSE 0 END"
	return all(context.Background(), t, func(r row) (d sandlot.Digest, err error) {
		return d, r.Scan(asDigest{&d})
	}, `SELECT b.sha256 FROM projects p JOIN files f ON f.project = p.num JOIN blobs b ON b.id = f.blob
		WHERE p.num = ? AND f.until = 9223372036854775807 AND b.size > 0 AND NOT EXISTS (
			SELECT 1 FROM blobs o JOIN files g ON g.blob = o.id JOIN projects q ON q.num = g.project JOIN accounts c ON c.id = q.account
			WHERE o.sha256 = b.sha256 AND c.id <> p.account AND c.suspended_at IS NULL
			AND q.suspended_at IS NULL AND q.deleted_at IS NULL AND (c.trusted_at IS NOT NULL
				OR c.verified = 1 AND (`+page+` = 0 OR coalesce(c.verified_at, 0) <= ?)))
		ORDER BY `+page+" DESC, b.size DESC LIMIT ?", num, micros(long), hashesMost)
}

// who returns the name of the moderator in records.
func (r *ruling) who() string { return cmp.Or(r.Name, sandlot.ActorOperator) }

// record writes the decisions, with their entries in the log, and closes the reports.
func (r *ruling) record(o desk.Order, list []standing, before []deskBefore) ([]desk.Decision, error) {
	var ids []int64
	rows := engine.Statement{Query: `INSERT INTO decisions (batch, project, account, action, reason, note, actor, moderator, at, before)
		VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, ID: "id", IDs: &ids}
	var entries []engine.Statement
	for i, s := range list {
		text, err := json.Marshal(before[i])
		if err != nil {
			return nil, err
		}
		rows.Rows = append(rows.Rows, []any{s.num, s.Account, string(o.Action), o.Reason, o.Text, r.who(), r.Account, micros(r.At), string(text)})
		entries = append(entries, r.entry(sandlot.ActionDecide, s, o.Action, string(o.Action)+" "+o.Reason))
	}
	if err := r.Run(append(entries, rows)...); err != nil {
		return nil, err
	}
	var told []int64
	for i, b := range before {
		if o.Action != desk.Dismiss || b.Immune != nil {
			told = append(told, ids[i])
		}
	}
	batch := slices.Min(ids)
	if err := r.do("UPDATE decisions SET batch = ? WHERE "+r.amongNumbers("id"), batch, engine.List(ids)); err != nil {
		return nil, err
	}
	if err := r.mailOwners(r.amongNumbers("d.id"), engine.List(told)); err != nil {
		return nil, err
	}
	if err := r.closeReports(batch, o.Lang); err != nil {
		return nil, err
	}
	return all(context.Background(), r.tx, scanDecision, selectDecisions+"d.batch = ? ORDER BY d.id", batch)
}

// entry returns the entry of the log about one target.
func (r *ruling) entry(action string, s standing, decided desk.Action, reason string) engine.Statement {
	e := sandlot.LogEntry{At: r.At, Actor: sandlot.ActorModerator, Name: r.Name, Action: action, Target: string(s.Project), Reason: reason}
	if r.Account == 0 {
		e.Actor = sandlot.ActorOperator
	}
	if decided == desk.TakeDownAccount {
		e.Target, e.Reason = "@"+s.handle, reason+", for "+string(s.Project)
	}
	return newEntry(e)
}

// mailOwners enqueues one message to each owner with a verified address, about one of the decisions d here.
func (r *ruling) mailOwners(here string, args ...any) error {
	jobs, err := all(context.Background(), r.tx, fields(func(j *sandlot.Job) []any {
		return []any{&j.About, &j.Account, &j.Address, &j.Lang}
	}), `SELECT d.id, a.id, a.email, a.lang FROM decisions d JOIN projects p ON p.num = d.project JOIN accounts a ON a.id = p.account
		WHERE a.verified = 1 AND a.email <> '' AND `+here, args...)
	told := map[sandlot.AccountID]bool{}
	for _, j := range jobs {
		if err == nil && !told[j.Account] {
			told[j.Account] = true
			j.Kind, j.Due = sandlot.MailDecision, r.At
			err = r.addJob(j, j.Account)
		}
	}
	return err
}

// closeReports closes the open reports of the targets, and enqueues a message to each reporter with an address.
func (r *ruling) closeReports(batch int64, lang string) error {
	type reporter struct {
		project sandlot.ProjectID
		contact string
	}
	about, ids := map[sandlot.ProjectID]int64{}, []sandlot.ProjectID(nil)
	decided, err := all(context.Background(), r.tx, fields(func(d *desk.Decision) []any { return []any{&d.ID, &d.Project} }),
		`SELECT d.id, p.id FROM decisions d JOIN projects p ON p.num = d.project WHERE d.batch = ?1
		UNION ALL SELECT d.id, p.id FROM decisions d JOIN projects p ON p.account = d.account
			WHERE d.batch = ?1 AND d.action = 'take-down-account' AND p.num <> d.project AND p.deleted_at IS NULL`, batch)
	if err != nil {
		return err
	}
	for _, d := range decided {
		about[d.Project], ids = d.ID, append(ids, d.Project)
	}
	at := r.dialect.Greatest("?", "at", "coalesce((SELECT at FROM clock WHERE one = 1), 0)")
	closed, err := all(context.Background(), r.tx, fields(func(p *reporter) []any { return []any{&p.project, &p.contact} }),
		"UPDATE reports SET closed_at = "+at+" WHERE closed_at IS NULL AND "+
			r.dialect.Among("project", r.dialect.Texts("?", "j"))+" RETURNING project, contact", micros(r.At), engine.List(ids))
	if err != nil {
		return err
	}
	told, count := map[reporter]bool{}, map[sandlot.ProjectID]int{}
	for _, p := range slices.Backward(closed) {
		if p.contact == "" || told[p] || count[p.project] == outcomesMost {
			continue
		}
		told[p] = true
		count[p.project]++
		if err := r.addJob(sandlot.Job{Kind: sandlot.MailOutcome, Address: p.contact, Lang: lang, Due: r.At, About: about[p.project]}, 0); err != nil {
			return err
		}
	}
	return nil
}
