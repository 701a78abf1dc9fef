package sqlstore

import (
	"context"
	"errors"

	"sandlot/internal/publish"
)

const reportColumns = "number, project, reason, details, contact, at"

func scanReport(r row) (p publish.Report, err error) {
	err = r.Scan(&p.Case, &p.Project, &p.Reason, &p.Details, &p.Contact, asTime{&p.At})
	return p, err
}

// AddReport implements publish.ReportStore.
func (db *DB) AddReport(ctx context.Context, r publish.Report, form publish.Digest, job *publish.Job) (number string, err error) {
	err = db.step(ctx, 0, func(t *tx) error {
		number, err = one(ctx, t, scanValue[string], "SELECT number FROM reports WHERE form = ?", form[:])
		if !errors.Is(err, publish.ErrNotFound) {
			return err
		}
		taken, err := t.number("SELECT count(*) FROM reports WHERE number = ?", r.Case)
		if err != nil {
			return err
		}
		if taken > 0 {
			return publish.ErrExists
		}
		number = r.Case
		id, err := t.insert("INSERT INTO reports (number, form, project, reason, details, contact, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
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

// addReportJob records a job, and which report it tells of.
func (t *tx) addReportJob(j publish.Job, report int64) error {
	id, err := t.insert("INSERT INTO jobs (kind, address, lang, attempts, due, asker, network) VALUES (?, ?, ?, ?, ?, ?, ?)",
		j.Kind, j.Address, j.Lang, j.Attempts, micros(j.Due), j.Asker.Kind, j.Asker.Network[:])
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE reports SET job = ? WHERE id = ?", id, report)
	return err
}

// ReportOfJob implements publish.ReportStore. The ID of a job that is done may be
// used again: the newest report is meant.
func (db *DB) ReportOfJob(ctx context.Context, job int64) (publish.Report, error) {
	r, err := one(ctx, db, scanReport, "SELECT "+reportColumns+" FROM reports WHERE job = ? ORDER BY id DESC LIMIT 1", job)
	return r, in("read report", err)
}

// Report implements publish.ReportReader.
func (db *DB) Report(ctx context.Context, number string) (publish.Report, error) {
	r, err := one(ctx, db, scanReport, "SELECT "+reportColumns+" FROM reports WHERE number = ?", number)
	return r, in("read report", err)
}

// Reports implements publish.ReportReader.
func (db *DB) Reports(ctx context.Context, skip, limit int) ([]publish.Report, error) {
	list, err := all(ctx, db, scanReport, "SELECT "+reportColumns+" FROM reports WHERE id > 0 ORDER BY id DESC LIMIT ? OFFSET ?", limit, skip)
	return list, in("list reports", err)
}
