package sqlstore

import (
	"context"
	"encoding/hex"
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
	num, state                      int64
	handle, email, lang             string
	verified, judged                bool
	suspended, suspendedWithAccount int64
	held                            heldBefore
	immune                          int64
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

const selectStandings = "SELECT p.num, p.id, p.account, a.role, " + stateOf + `, a.handle, a.email, a.lang, a.verified,
	EXISTS (SELECT 1 FROM verdicts v WHERE v.project = p.num AND v.answer IN ('hold', 'refuse') AND v.reversed_at = 0),
	coalesce(p.suspended_at, 0), coalesce(a.suspended_at, 0), p.hold, p.hold_at, p.hold_end, p.immune_until
	FROM projects p JOIN accounts a ON a.id = p.account
	WHERE a.deleted_at IS NULL AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM trash t WHERE t.project = p.num)) AND `

func scanStanding(r row) (s standing, err error) {
	err = r.Scan(&s.num, &s.Project, &s.Account, &s.Role, &s.state, &s.handle, &s.email, &s.lang, &s.verified, &s.judged,
		&s.suspended, &s.suspendedWithAccount, &s.held.Rule, &s.held.At, &s.held.End, &s.immune)
	s.Suspended = s.suspendedWithAccount != 0
	return s, err
}

// standings locks the accounts of the targets and of the moderator, and returns the targets if a.Allow does.
func standings(t *tx, a desk.Act, find string, targets any) ([]standing, error) {
	owners, err := all(context.Background(), t, scanValue[int64], "SELECT p.account FROM projects p WHERE "+find, targets)
	if err != nil {
		return nil, err
	}
	locked := append(slices.Clone(owners), int64(a.Account))
	if err := t.lock("SELECT id FROM accounts WHERE "+t.amongNumbers("id")+" ORDER BY id", engine.List(locked)); err != nil {
		return nil, err
	}
	list, err := all(context.Background(), t, scanStanding, selectStandings+find, targets)
	if err != nil {
		return nil, err
	}
	m, err := moderatorOf(t, a)
	if err != nil {
		return nil, err
	}
	public := make([]desk.Standing, len(list))
	for i, s := range list {
		public[i] = s.Standing
		if !slices.Contains(owners, int64(s.Account)) { // another account took it just now
			return nil, desk.MovedError{Project: s.Project}
		}
	}
	return list, a.Allow(m, public)
}

// moderatorOf reads the person of an act.
func moderatorOf(t *tx, a desk.Act) (desk.Moderator, error) {
	if a.Account == 0 {
		return desk.Moderator{Machine: true}, nil
	}
	m, err := one(context.Background(), t, fields(func(m *desk.Moderator) []any {
		return []any{&m.Account, &m.Role, &m.Suspended, asTime{&m.ProvedAt}}
	}), `SELECT a.id, a.role, a.suspended_at IS NOT NULL, s.proved_at FROM sessions s JOIN accounts a ON a.id = s.account
		WHERE s.id = ? AND a.id = ? AND a.deleted_at IS NULL`, a.Session, a.Account)
	if errors.Is(err, sandlot.ErrNotFound) {
		err = nil
	}
	return m, err
}

func (store Desk) Decide(ctx context.Context, a desk.Act, o desk.Order) (made []desk.Decision, err error) {
	var accounts []int64
	err = store.db.step(ctx, nil, func(t *tx) (err error) {
		r := ruling{tx: t, Act: a, Order: o, seen: map[string]bool{}}
		made, err = r.decide()
		accounts = r.accounts
		return err
	})
	if err != nil {
		return nil, in("decide", err)
	}
	followAll(ctx, store.db, accounts)
	return made, nil
}

// followAll brings the projects of accounts that a step changed into the lists, or out of them: see changeAccount.
func followAll(ctx context.Context, db *DB, accounts []int64) {
	for _, id := range accounts {
		_ = db.followSteps(context.WithoutCancel(ctx), func(s *sweep) error { return s.followAccount(id) })
	}
}

// A ruling is the step of a decision.
type ruling struct {
	*tx
	desk.Act
	desk.Order
	accounts []int64         // that it suspended
	seen     map[string]bool // hashes that are blocked by now
}

func (r *ruling) decide() ([]desk.Decision, error) {
	ids := make([]string, len(r.Targets))
	for i, t := range r.Targets {
		ids[i] = string(t.Project)
	}
	list, err := standings(r.tx, r.Act, r.dialect.Among("p.id", r.dialect.Texts("?", "j")), engine.List(ids))
	if err != nil {
		return nil, err
	}
	at := func(s standing) int { return slices.Index(ids, string(s.Project)) }
	slices.SortFunc(list, func(a, b standing) int { return at(a) - at(b) })
	for i, id := range ids {
		if i >= len(list) || string(list[i].Project) != id {
			return nil, fmt.Errorf("project %s: %w", id, sandlot.ErrNotFound)
		}
		if err := r.unmoved(list[i], r.Targets[i].State); err != nil {
			return nil, err
		}
	}
	before := make([]deskBefore, len(list))
	for i, s := range list {
		if before[i], err = r.apply(s); err != nil {
			return nil, err
		}
	}
	return r.record(list, before)
}

// unmoved returns a MovedError for a target that is in another state than the moderator saw.
func (r *ruling) unmoved(s standing, seen int64) error {
	decided := seen>>32 != s.state>>32
	if seen == 0 || !decided && (r.Action != desk.Dismiss || seen == s.state) {
		return nil
	}
	moved := desk.MovedError{Project: s.Project}
	if decided {
		last, err := one(context.Background(), r.tx, scanDecision, selectDecisions+"d.project = ? ORDER BY d.id DESC LIMIT 1", s.num)
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		moved.Last = last
	}
	return moved
}

// apply makes the effects of the decision on one target, and returns the state before.
func (r *ruling) apply(s standing) (b deskBefore, err error) {
	r.changed.Projects = append(r.changed.Projects, s.Project)
	switch r.Action {
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
		if s.suspendedWithAccount == 0 && !slices.Contains(r.accounts, int64(s.Account)) {
			b.Account = true
			err = r.suspendAccount(s.Account)
		}
	}
	if err == nil && r.Block {
		b.Blocks, err = r.block(s)
	}
	return b, err
}

func (r *ruling) dismiss(s standing) (b deskBefore, err error) {
	var list []engine.Statement
	if s.suspended != 0 {
		b.Suspended = &s.suspended
		list = append(list, do("UPDATE projects SET changed = changed + 1, suspended_at = NULL WHERE num = ?", s.num))
	}
	if s.held.lasts() {
		b.Hold = &s.held
		if err := endHold(r.tx, s.num, sandlot.NotHeld, r.At); err != nil {
			return b, err
		}
	}
	if b.Hold != nil || b.Suspended != nil {
		b.Immune = &s.immune
		list = append(list, do("UPDATE projects SET immune_until = ? WHERE num = ?", micros(r.At.Add(operate.Immunity)), s.num))
	}
	if s.judged {
		b.Judged = true
		list = append(list, do("UPDATE verdicts SET reversed_at = ? WHERE project = ? AND reversed_at = 0", micros(r.At), s.num))
	}
	return b, r.Run(list...)
}

func (r *ruling) suspendAccount(id sandlot.AccountID) error {
	r.accounts = append(r.accounts, int64(id))
	if err := r.do("UPDATE accounts SET changed = changed + 1, suspended_at = ? WHERE id = ?", micros(r.At), id); err != nil {
		return err
	}
	ids, err := projectsOf(r.tx, id)
	r.changed.Projects = append(r.changed.Projects, ids...)
	if err != nil {
		return err
	}
	return reserveMailbox(context.Background(), r.tx, id, r.At)
}

func projectsOf(t *tx, id sandlot.AccountID) ([]sandlot.ProjectID, error) {
	return all(context.Background(), t, scanValue[sandlot.ProjectID], "SELECT id FROM projects WHERE account = ? AND deleted_at IS NULL", id)
}

// block blocks the files of a target that are not blocked yet, and returns their hashes.
func (r *ruling) block(s standing) (fresh []string, err error) {
	hashes, err := pageHashes(r.tx, s.num, r.At.Add(-operate.HoldUnproved))
	if err != nil {
		return nil, err
	}
	for _, h := range hashes {
		value := hex.EncodeToString(h[:])
		if r.seen[value] {
			continue
		}
		r.seen[value] = true
		there, err := r.number("SELECT count(*) FROM blocked WHERE kind = ? AND value = ? AND (until = 0 OR until > ?)",
			blocks.Hash, value, micros(r.At))
		if err != nil {
			return nil, err
		}
		if there > 0 {
			continue
		}
		if err := addBlock(r.tx, blocks.Hash, value, r.Reason, r.who(), r.At, r.At.Add(blockedFor)); err != nil {
			return nil, err
		}
		fresh = append(fresh, value)
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
func (r *ruling) who() string { return nameOf(r.Act) }

func nameOf(a desk.Act) string {
	if a.Name == "" {
		return sandlot.ActorOperator
	}
	return a.Name
}

// record writes the decisions, with their entries in the log, and closes the reports.
func (r *ruling) record(list []standing, before []deskBefore) ([]desk.Decision, error) {
	var ids []int64
	rows := engine.Statement{Query: `INSERT INTO decisions (batch, project, account, action, reason, note, actor, moderator, at, before)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, ID: "id", IDs: &ids}
	var entries []engine.Statement
	for i, s := range list {
		text, err := json.Marshal(before[i])
		if err != nil {
			return nil, err
		}
		rows.Rows = append(rows.Rows, []any{
			0, s.num, s.Account, string(r.Action), r.Reason, r.Text, r.who(), r.Account, micros(r.At), string(text),
		})
		entries = append(entries, newEntry(entryOf(r.Act, sandlot.ActionDecide, s, r.Action, string(r.Action)+" "+r.Reason)))
	}
	if err := r.Run(append(entries, rows)...); err != nil {
		return nil, err
	}
	batch := slices.Min(ids)
	if err := r.do("UPDATE decisions SET batch = ? WHERE "+r.amongNumbers("id"), batch, engine.List(ids)); err != nil {
		return nil, err
	}
	made := make([]desk.Decision, len(list))
	for i, s := range list {
		made[i] = desk.Decision{
			ID: ids[i], Batch: batch, Project: s.Project, At: stored(r.At), Who: r.who(), Action: r.Action, Reason: r.Reason, Text: r.Text,
		}
	}
	if err := r.writeToOwners(list, before, made); err != nil {
		return nil, err
	}
	return made, r.closeReports(list, made)
}

// entryOf returns the entry of the log about one target.
func entryOf(a desk.Act, action string, s standing, decided desk.Action, reason string) sandlot.LogEntry {
	e := sandlot.LogEntry{At: a.At, Actor: sandlot.ActorModerator, Name: a.Name, Action: action, Target: string(s.Project), Reason: reason}
	if a.Account == 0 {
		e.Actor = sandlot.ActorOperator
	}
	if decided == desk.TakeDownAccount {
		e.Target, e.Reason = "@"+s.handle, reason+", for "+string(s.Project)
	}
	return e
}

// writeToOwners enqueues one message to each owner with a verified address, about their first project here.
func (r *ruling) writeToOwners(list []standing, before []deskBefore, made []desk.Decision) error {
	told := map[sandlot.AccountID]bool{}
	for i, s := range list {
		nothing := r.Action == desk.Dismiss && before[i].Hold == nil && before[i].Suspended == nil
		if told[s.Account] || nothing || !s.verified || s.email == "" {
			continue
		}
		told[s.Account] = true
		j := sandlot.Job{Kind: sandlot.MailDecision, Address: s.email, Lang: s.lang, Due: r.At, About: made[i].ID}
		if err := r.addJob(j, s.Account); err != nil {
			return err
		}
	}
	return nil
}

// closeReports closes the open reports of the targets, and enqueues a message to each reporter with an address.
func (r *ruling) closeReports(list []standing, made []desk.Decision) error {
	about := map[sandlot.ProjectID]int64{}
	for i, s := range list {
		ids := []sandlot.ProjectID{s.Project}
		if r.Action == desk.TakeDownAccount {
			all, err := projectsOf(r.tx, s.Account)
			if err != nil {
				return err
			}
			ids = append(ids, all...)
		}
		for _, id := range ids {
			about[id] = made[i].ID
		}
	}
	ids := make([]string, 0, len(about))
	for id := range about {
		ids = append(ids, string(id))
	}
	type reporter struct {
		project sandlot.ProjectID
		contact string
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
		j := sandlot.Job{Kind: sandlot.MailOutcome, Address: p.contact, Lang: r.Lang, Due: r.At, About: about[p.project]}
		if err := r.addJob(j, 0); err != nil {
			return err
		}
	}
	return nil
}
