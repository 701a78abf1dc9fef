package sqlstore

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/storage/sqlstore/engine"
)

// endedAtOnce is how many versions one step ends without a trial.
const endedAtOnce = 50

// The lock under which nodes claim trials: of two at once the second sees the lease of the first.
var claimsOfTrials = sandlot.Digest(sha256.Sum256([]byte("trials")))

// selectUntried lists versions that are due and not leased, with how many trials their accounts had today. A held version
// comes last, since only its owner sees it; an account with fewer comes first, and of one with as many the version that waits longest: so each account waits for one trial
// of each other.
const selectUntried = `WITH opened AS (
		SELECT o.account, CAST(sum(t.opened) AS BIGINT) AS n FROM trials t JOIN projects o ON o.num = t.project WHERE t.day = ?
		GROUP BY o.account
	)
	SELECT p.num, p.id, p.version, CASE WHEN t.trying = p.version THEN t.tries ELSE 0 END, coalesce(opened.n, 0)
	FROM projects p LEFT JOIN trials t ON t.project = p.num LEFT JOIN opened ON opened.account = p.account
	WHERE p.tried < p.version AND p.deleted_at IS NULL AND p.suspended_at IS NULL AND (t.project IS NULL OR t.leased_until <= ?
	OR t.leased_until > ?)
	ORDER BY CASE WHEN p.hold <> '' AND p.hold_end = 0 THEN 1 ELSE 0 END, coalesce(opened.n, 0), p.updated_at LIMIT ?`

type untried struct {
	num, opened int64
	id          string
	version     int
	tries       int64
}

func scanUntried(r row) (d untried, err error) {
	err = r.Scan(&d.num, &d.id, &d.version, &d.tries, &d.opened)
	return d, err
}

func (store Trials) ClaimTrial(ctx context.Context, tries, daily int, length time.Duration) (due trial.Due, err error) {
	for due.Version == 0 && err == nil { // some at a time
		err = store.db.step(ctx, nil, func(t *tx) (err error) {
			due, err = store.claim(t, tries, daily, length)
			return err
		})
	}
	return due, in("claim trial", err)
}

// claim leases the next version that is due, and ends those without a trial. It returns nothing if those filled the
// step.
func (store Trials) claim(t *tx, tries, daily int, length time.Duration) (trial.Due, error) {
	if err := t.alone(claimsOfTrials); err != nil {
		return trial.Due{}, err
	}
	l := store.db.lease(length)
	day := dayOf(store.db.Now())
	list, err := all(context.Background(), t, scanUntried, selectUntried, day, micros(l.now), lease{l.now, trial.LeaseMax}.never(),
		endedAtOnce)
	if err == nil && len(list) == 0 {
		err = sandlot.ErrNotFound
	}
	if err != nil {
		return trial.Due{}, err
	}
	for _, d := range list {
		switch {
		case d.tries >= int64(tries):
			err = store.pass(t, d, trial.Failed)
		case d.opened >= int64(daily):
			err = store.pass(t, d, trial.Passed)
		default:
			due := trial.Due{Project: sandlot.ProjectID(d.id), Version: d.version, Lease: l.until(), Try: int(d.tries) + 1}
			err := t.do(`INSERT INTO trials (project, trying, tries, leased_until, day, opened) VALUES (?1, ?2, 1, ?3, ?4, 1)
				ON CONFLICT (project) DO UPDATE SET
				trying = excluded.trying,
				tries = CASE WHEN trials.trying = excluded.trying THEN trials.tries + 1 ELSE 1 END, leased_until = excluded.leased_until,
				opened = CASE WHEN trials.day = excluded.day THEN trials.opened + 1 ELSE 1 END,
				day = excluded.day`, d.num, d.version, due.Lease, day)
			return due, err
		}
		if err != nil {
			return trial.Due{}, err
		}
	}
	return trial.Due{}, nil
}

func (store Trials) CountTrial(ctx context.Context, id sandlot.ProjectID, daily int) (counted bool, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		if err := t.alone(claimsOfTrials); err != nil {
			return err
		}
		day := dayOf(store.db.Now())
		opened, err := t.number(`SELECT CAST(coalesce(sum(t.opened), 0) AS BIGINT) FROM trials t JOIN projects o ON o.num = t.project
			WHERE t.day = ? AND o.account = (SELECT account FROM projects WHERE id = ?)`, day, string(id))
		if counted = err == nil && opened < int64(daily); !counted {
			return err
		}
		return t.do(`INSERT INTO trials (project, day, opened) SELECT num, ?1, 1 FROM projects WHERE id = ?2
			ON CONFLICT (project) DO UPDATE SET
			opened = CASE WHEN trials.day = excluded.day THEN trials.opened + 1 ELSE 1 END, day = excluded.day`, day, string(id))
	})
	return counted, in("count trial", err)
}

func (store Trials) pass(t *tx, d untried, how trial.Outcome) error {
	return t.Run(do(`INSERT INTO trials (project, version, at, outcome) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (project) DO UPDATE SET
		version = excluded.version, at = excluded.at, outcome = excluded.outcome, seen = '', trying = 0, tries = 0,
		leased_until = 0`, d.num, d.version, micros(store.db.Now()), string(how)), tried(d.num, d.version))
}

func tried(project int64, version int) engine.Statement {
	return do("UPDATE projects SET tried = ?1 WHERE num = ?2 AND tried < ?1", version, project)
}

func (store Trials) EndTrial(ctx context.Context, d trial.Due, how trial.Outcome, seen []byte) error {
	return in("end trial", store.db.step(ctx, nil, func(t *tx) error {
		_, err := store.end(t, d, how, seen)
		return err
	}))
}

func (store Trials) EndTrialHeld(ctx context.Context, d trial.Due, seen []byte) error {
	return in("end trial", store.db.onProject(ctx, d.Project, func(t *tx) error {
		num, err := store.end(t, d, trial.Done, seen)
		if err != nil {
			return err
		}
		current, err := t.number(`SELECT count(*) FROM projects p JOIN accounts a ON a.id = p.account WHERE p.num = ? AND p.version = ?
			AND p.deleted_at IS NULL AND a.verified <> 1 AND a.trusted_at IS NULL`, num, d.Version)
		if err != nil || current == 0 {
			return err
		}
		t.changed = changed(d.Project)
		return hold(t, num, sandlot.HeldFields, store.db.Now())
	}))
}

// end records the outcome of a claimed trial, and returns the number of its project.
func (store Trials) end(t *tx, d trial.Due, how trial.Outcome, seen []byte) (int64, error) {
	num, err := t.number(`UPDATE trials SET version = ?1, at = ?2, outcome = ?3, seen = ?4, trying = 0, tries = 0, leased_until = 0
			WHERE project = (SELECT num FROM projects WHERE id = ?5) AND leased_until = ?6 AND trying = ?1 RETURNING project`,
		d.Version, micros(store.db.Now()), string(how), string(seen), string(d.Project), d.Lease)
	if err != nil {
		return 0, err
	}
	return num, t.Run(tried(num, d.Version))
}

func (store Trials) GiveBackTrial(ctx context.Context, d trial.Due, forget bool) error {
	return in("give back trial", store.db.step(ctx, nil, func(t *tx) error {
		forgotten := 0
		if forget {
			forgotten = 1
		}
		return t.do(`UPDATE trials SET leased_until = 0, tries = tries - ?1 WHERE project = (SELECT num FROM projects
			WHERE id = ?2) AND leased_until = ?3`, forgotten, string(d.Project), d.Lease)
	}))
}

func (store Trials) Trials(ctx context.Context, ids ...sandlot.ProjectID) (map[sandlot.ProjectID]trial.Record, error) {
	type record struct {
		trial.Record
		id    sandlot.ProjectID
		until int64
	}
	l := store.db.lease(trial.LeaseMax)
	list, err := all(ctx, store.db, fields(func(r *record) []any {
		return []any{&r.id, &r.Version, sometime{&r.At}, &r.Outcome, &r.Seen, &r.Running, &r.until}
	}), `SELECT p.id, t.version, t.at, t.outcome, t.seen, t.trying, t.leased_until FROM `+store.db.dialect.Texts("?", "j")+`
		CROSS JOIN projects p JOIN trials t ON t.project = p.num WHERE p.id = j.value`, engine.List(ids))
	found := make(map[sandlot.ProjectID]trial.Record, len(list))
	for _, r := range list {
		if len(r.Seen) == 0 {
			r.Seen = nil
		}
		if !l.holds(r.until) {
			r.Running = 0
		}
		found[r.id] = r.Record
	}
	return found, in("read trials", err)
}

func (store Trials) TrialsAhead(ctx context.Context, id sandlot.ProjectID) (int, error) {
	now := store.db.Now()
	list, err := all(ctx, store.db, scanUntried, selectUntried, dayOf(now), micros(now), lease{now, trial.LeaseMax}.never(),
		trial.MostAhead)
	if i := slices.IndexFunc(list, func(d untried) bool { return d.id == string(id) }); i >= 0 {
		return i, err
	}
	if len(list) < trial.MostAhead {
		return 0, err
	}
	return trial.MostAhead, err
}
