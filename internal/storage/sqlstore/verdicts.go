package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/judge"
)

// Verdicts is a judge.Store.
type Verdicts struct{ db *DB }

var _ judge.Store = Verdicts{}

func (store FrontLine) Verdicts() Verdicts { return Verdicts(store) }

// The lock under which nodes claim versions to judge: of two at once the second sees the lease of the first.
var claimsOfVerdicts = sandlot.DigestOf([]byte("verdicts"))

// passedAtOnce is how many versions one step passes over.
const passedAtOnce = 500

// judgedLook is the name under which the looks have the time when a judge was last at work.
const judgedLook = "judge"

func (store Verdicts) StartJudging(ctx context.Context, gap time.Duration) error {
	now := store.db.Now()
	at, err := one(ctx, store.db, scanValue[int64], "SELECT done_at FROM looks WHERE service = ?", judgedLook)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return in("read the last time of the judge", err)
	}
	if err != nil || at < micros(now.Add(-gap)) {
		if err := store.passAll(ctx); err != nil {
			return in("pass over versions", err)
		}
	}
	return in("record the time of the judge", store.db.run(ctx, do(`INSERT INTO looks (service, tried_at, done_at) VALUES (?1, ?2, ?2)
		ON CONFLICT (service) DO UPDATE SET tried_at = excluded.tried_at, done_at = excluded.done_at`, judgedLook, micros(now))))
}

// passAll passes over all versions of projects that there are now.
func (store Verdicts) passAll(ctx context.Context) error {
	last, err := one(ctx, store.db, scanValue[int64], "SELECT coalesce(max(num), 0) FROM projects")
	for n := int64(passedAtOnce); err == nil && n == passedAtOnce; {
		err = store.db.step(ctx, nil, func(t *tx) (err error) {
			n, err = t.Exec(`UPDATE projects SET judged = version WHERE num IN (SELECT num FROM projects
				WHERE judged < version AND deleted_at IS NULL AND suspended_at IS NULL AND num <= ? ORDER BY updated_at LIMIT ?)`, last, passedAtOnce)
			return err
		})
	}
	return err
}

// selectUnjudged lists versions that are due and not leased, the one that waits longest first.
const selectUnjudged = `SELECT a.verified = 1 OR a.trusted_at IS NOT NULL OR p.hold_end = 0 AND p.hold IN ('judge', 'moderator'),
		EXISTS (SELECT 1 FROM covers c JOIN pictures i ON i.id = c.shot WHERE c.project = p.num AND i.made_at >= p.updated_at),
		CASE WHEN v.judging = p.version THEN v.tries ELSE 0 END, ` + projectColumns + `
	FROM projects p JOIN accounts a ON a.id = p.account LEFT JOIN verdicts v ON v.project = p.num
	WHERE p.judged < p.version AND p.deleted_at IS NULL AND p.suspended_at IS NULL AND a.deleted_at IS NULL AND a.suspended_at IS NULL
	AND (v.project IS NULL OR v.leased_until <= ? OR v.leased_until > ?)
	AND (p.tried >= p.version OR p.updated_at <= ? OR p.updated_at > ?)
	ORDER BY p.updated_at LIMIT ?`

type unjudged struct {
	projectRow
	passed, shot bool
	tries        int
}

func scanUnjudged(r row) (d unjudged, err error) {
	d.projectRow, err = scanProject(before{r, []any{&d.passed, &d.shot, &d.tries}})
	return d, err
}

func (store Verdicts) ClaimVerdict(ctx context.Context, wait, length time.Duration) (due judge.Due, err error) {
	for due.Try == 0 && err == nil { // some at a time
		err = store.db.step(ctx, nil, func(t *tx) (err error) {
			due, err = store.claim(t, wait, length)
			return err
		})
	}
	return due, in("claim a version to judge", err)
}

// claim leases the next version that is due, and passes over those that are not judged. It returns nothing if those
// filled the step.
func (store Verdicts) claim(t *tx, wait, length time.Duration) (judge.Due, error) {
	if err := t.alone(claimsOfVerdicts); err != nil {
		return judge.Due{}, err
	}
	l := store.db.lease(length)
	opened := notAfter(l.now) // an import brings times of its own
	if wait > 0 {
		opened = micros(l.now.Add(-wait))
	}
	list, err := all(context.Background(), t, scanUnjudged, selectUnjudged, micros(l.now), lease{l.now, judge.LeaseMax}.never(),
		opened, notAfter(l.now), endedAtOnce)
	if err == nil && len(list) == 0 {
		err = sandlot.ErrNotFound
	}
	if err != nil {
		return judge.Due{}, err
	}
	for _, d := range list {
		if d.passed {
			if err := t.do("UPDATE projects SET judged = version WHERE num = ?", d.num); err != nil {
				return judge.Due{}, err
			}
			continue
		}
		due := judge.Due{Project: d.Project, Shot: d.shot, Lease: l.until(), Try: d.tries + 1}
		return due, t.do(`INSERT INTO verdicts (project, judging, tries, leased_until) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (project) DO UPDATE SET judging = excluded.judging, tries = excluded.tries, leased_until = excluded.leased_until`,
			d.num, d.Version, due.Try, due.Lease)
	}
	return judge.Due{}, nil
}

func (store Verdicts) EndVerdict(ctx context.Context, d judge.Due, v judge.Verdict) error {
	id, version := d.Project.ID, d.Project.Version
	return in("end a verdict", store.db.onProject(ctx, id, func(t *tx) error {
		at := store.db.Now()
		num, err := t.number(`UPDATE verdicts SET version = ?1, answer = ?2, reason = ?3, at = ?4, reversed_at = 0, judging = 0, tries = 0,
			leased_until = 0 WHERE project = (SELECT num FROM projects WHERE id = ?5) AND leased_until = ?6 AND judging = ?1 RETURNING project`,
			version, string(v.Answer), v.Reason, micros(at), string(id), d.Lease)
		if err != nil {
			return err
		}
		if err := t.do("UPDATE projects SET judged = ?1 WHERE num = ?2 AND judged < ?1", version, num); err != nil || !v.Holds() {
			return err
		}
		t.changed = changed(id)
		return hold(t, num, sandlot.HeldJudge, at)
	}))
}

func (store Verdicts) GiveBackVerdict(ctx context.Context, d judge.Due, pause time.Duration, forget bool) error {
	forgotten := 0
	if forget {
		forgotten = 1
	}
	return in("give back a verdict", store.db.run(ctx, do(`UPDATE verdicts SET leased_until = ?1, tries = tries - ?2
		WHERE project = (SELECT num FROM projects WHERE id = ?3) AND leased_until = ?4`,
		micros(store.db.Now().Add(pause)), forgotten, string(d.Project.ID), d.Lease)))
}

func (store Verdicts) Verdicts(ctx context.Context, q judge.Query) ([]judge.Record, error) {
	list, err := all(ctx, store.db, fields(func(v *judge.Record) []any {
		return []any{&v.Project, &v.Version, &v.Answer, &v.Reason, asTime{&v.At}, sometime{&v.ReversedAt}, &v.Held}
	}), `SELECT p.id, v.version, v.answer, v.reason, v.at, v.reversed_at, p.hold = 'judge' AND p.hold_end = 0
		FROM verdicts v JOIN projects p ON p.num = v.project WHERE v.at > 0 AND (? = '' OR v.answer = ?)
		ORDER BY v.at DESC, v.project DESC LIMIT ? OFFSET ?`, string(q.Answer), string(q.Answer), q.Limit, q.Skip)
	return list, in("list verdicts", err)
}

// reverseVerdict marks the verdict that holds a project as reversed, if there is one.
func reverseVerdict(t *tx, num int64, at time.Time) error {
	return t.do("UPDATE verdicts SET reversed_at = ? WHERE project = ? AND answer IN ('hold', 'refuse') AND reversed_at = 0", micros(at), num)
}
