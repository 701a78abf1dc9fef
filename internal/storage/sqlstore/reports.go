package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
)

const reportColumns = "number, project, reason, details, contact, at, coalesce(closed_at, 0)"

func scanReport(r row) (p operate.Report, err error) {
	var closed int64
	err = r.Scan(&p.Case, &p.Project, &p.Reason, &p.Details, &p.Contact, asTime{&p.At}, &closed)
	p.ClosedAt = sometime(closed)
	return p, err
}

func (store Operate) AddReport(ctx context.Context, r operate.Report, form sandlot.Digest, job *sandlot.Job) (number string, err error) {
	err = store.db.step(ctx, 0, func(t *tx) error {
		if err := t.alone(form); err != nil {
			return err
		}
		number, err = one(ctx, t, scanValue[string], "SELECT number FROM reports WHERE form = ?", form[:])
		if !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		taken, err := t.number("SELECT count(*) FROM reports WHERE number = ?", r.Case)
		if err != nil {
			return err
		}
		if taken > 0 {
			return sandlot.ErrExists
		}
		number = r.Case
		id, err := t.insert("id", "INSERT INTO reports (number, form, project, reason, details, contact, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			r.Case, form[:], string(r.Project), r.Reason, r.Details, r.Contact, micros(r.At))
		if err != nil || job == nil {
			return err
		}
		return t.addReportJob(*job, id)
	})
	if err != nil {
		return "", in("add report", err)
	}
	return number, nil
}

// addReportJob records a job, and the report that it is about.
func (t *tx) addReportJob(j sandlot.Job, report int64) error {
	id, err := t.insert("id", "INSERT INTO jobs (kind, address, lang, attempts, due, asker, network) VALUES (?, ?, ?, ?, ?, ?, ?)",
		j.Kind, j.Address, j.Lang, j.Attempts, micros(j.Due), j.Asker.Kind, j.Asker.Network[:])
	if err != nil {
		return err
	}
	return t.do("UPDATE reports SET job = ? WHERE id = ?", id, report)
}

// The ID of a job that is done may be
// used again: the newest report is meant.
func (store Mail) ReportOfJob(ctx context.Context, job int64) (account.ReportNotice, error) {
	r, err := one(ctx, store.db, scanReport, "SELECT "+reportColumns+" FROM reports WHERE job = ? ORDER BY id DESC LIMIT 1", job)
	return account.ReportNotice{Case: r.Case, Project: r.Project}, in("read report", err)
}

func (store Operate) Report(ctx context.Context, number string) (operate.Report, error) {
	return one(ctx, store.db, scanReport, "SELECT "+reportColumns+" FROM reports WHERE number = ?", number)
}

func (store Operate) Reports(ctx context.Context, q operate.ReportQuery) ([]operate.Report, error) {
	return all(ctx, store.db, scanReport, "SELECT "+reportColumns+` FROM reports
		WHERE (closed_at IS NULL OR CAST(? AS BIGINT) = 0) AND (project = ? OR ? = '') AND id > 0 ORDER BY id DESC LIMIT ? OFFSET ?`, q.Open, string(q.Project), string(q.Project), q.Limit, q.Skip)
}

func (store Operate) CloseReport(ctx context.Context, number string, e sandlot.LogEntry) error {
	// Not before the time that was known to be right last: by a clock that is behind it would be closed for long already.
	return in("close report", store.db.step(ctx, 0, func(t *tx) error {
		if _, err := t.number("SELECT id FROM reports WHERE number = ?", number); err != nil {
			return err
		}
		if err := t.must(sandlot.ErrMoved, "UPDATE reports SET closed_at = "+t.dialect.Greatest("?", "at", "coalesce((SELECT at FROM clock WHERE one = 1), 0)")+" WHERE number = ? AND closed_at IS NULL", micros(e.At), number); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

// emptyReports clears the words of people in reports that were closed long ago.
func (s *sweep) emptyReports(now time.Time) error {
	return s.times(`UPDATE reports SET details = '', contact = '' WHERE id IN (SELECT id FROM reports
		WHERE closed_at IS NOT NULL AND (details <> '' OR contact <> '') AND closed_at <= ? LIMIT ?)`, micros(now.Add(-operate.ReportKept)))
}
