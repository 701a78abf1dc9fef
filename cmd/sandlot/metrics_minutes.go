package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/storage/sqlstore/engine"
)

// minutes reads once a minute the numbers that cost a query: a scrape reads them from memory.
type minutes struct {
	totals   operate.TotalStore
	runs     operate.RunStore
	lists    listed.Store
	database sqlstore.EngineNumbers
	folder   string // of the data
	now      func() time.Time
	log      *slog.Logger
	failures *worker.Failures
	last     atomic.Pointer[minute]
	recount  time.Time // when the totals are counted again; of run alone
}

// A minute holds the numbers of one reading; the zero one has only zeros.
type minute struct {
	at     time.Time
	totals operate.Totals
	runs   map[operate.RunKind]operate.Run
	listed []listed.Sighting
	size   engine.Size
	free   uint64
}

// minuteEvery is the time between two readings, minuteLimit the longest of one.
const minuteEvery, minuteLimit = time.Minute, 20 * time.Second

// minutes returns the worker that reads the numbers.
func (a *app) minutes() *minutes {
	return &minutes{
		totals: a.store.Operate().Totals(), runs: a.store.Operate().Runs(),
		lists: a.store.Operate().Sightings(), database: a.store.Engine(), folder: a.settings.Data,
		now: a.store.Now, log: a.log, failures: a.failuresOf("numbers"),
	}
}

// run reads the numbers until ctx ends.
func (m *minutes) run(ctx context.Context) {
	worker.Every(ctx, minuteEvery, func() {
		switch err := m.read(ctx); {
		case err == nil:
			m.failures.Worked()
		case ctx.Err() == nil:
			m.failures.Add(1)
			m.log.Warn("numbers for the metrics not read", "error", err)
		}
	})
}

// read reads the numbers once. After an error the last ones stay.
func (m *minutes) read(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, minuteLimit)
	defer cancel()
	next := minute{at: m.now(), runs: map[operate.RunKind]operate.Run{}}
	_, next.free, _ = datafolder.Usage(m.folder)
	if next.totals, err = m.count(ctx); err != nil {
		return err
	}
	runs, err := m.runs.All(ctx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		next.runs[r.Kind] = r
	}
	if next.listed, err = m.lists.Sightings(ctx); err != nil {
		return err
	}
	if next.size, err = m.database.Size(ctx); err != nil {
		return err
	}
	m.last.Store(&next)
	return nil
}

// rest is the ratio of the pause after a count of the totals to its duration: counting takes a hundredth of the time.
const rest = 100

// count returns the totals, counted again if it is time.
func (m *minutes) count(ctx context.Context) (operate.Totals, error) {
	begun := time.Now()
	if begun.Before(m.recount) {
		return m.current().totals, nil
	}
	t, err := m.totals.Totals(ctx, m.now())
	m.recount = time.Now().Add(rest * time.Since(begun))
	return t, err
}

// current returns the last reading.
func (m *minutes) current() minute {
	if last := m.last.Load(); last != nil {
		return *last
	}
	return minute{}
}

// minutes exports the numbers that are read once a minute.
func (m *metrics) minutes(a *app) {
	of := a.numbers
	m.totals(of)
	m.waiting(of, a.opened != nil)
	m.runs(of)
	m.lists(of, a.looker)
	m.export("sandlot_disk_free_bytes", "Bytes that this program may still write to the disk of a folder.", []string{"folder"},
		func(add sample) { add(float64(of.current().free), "data") })
	m.gauge("sandlot_database_bytes", "Size of the database.", func() float64 { return float64(of.current().size.Data) })
	if a.settings.DatabaseURL == "" {
		m.gauge("sandlot_database_log_bytes", "Size of SQLite's log.", func() float64 { return float64(of.current().size.Log) })
	}
}

// totals exports the numbers of accounts, projects, bytes and operators' acts. All nodes export the same.
func (m *metrics) totals(of *minutes) {
	m.export("sandlot_accounts", "Accounts, each in one state.", []string{"state"}, func(add sample) {
		t := of.current().totals.Accounts
		add(float64(t.Verified), "verified")
		add(float64(t.Unverified), "unverified")
		add(float64(t.Suspended), "suspended")
	})
	m.export("sandlot_projects", "Projects, each in one state; in the trash are those that their owners can take back.", []string{"state"},
		func(add sample) {
			t := of.current().totals.Projects
			add(float64(t.Live), "live")
			add(float64(t.Suspended), "suspended")
			add(float64(t.Trash), "trash")
		})
	m.export("sandlot_stored_bytes", "Bytes of all files, compressed forms, pictures and parts of uploads.", []string{"where"},
		func(add sample) {
			t := of.current().totals.Stored
			add(float64(t.Inline), "database")
			add(float64(t.Files), "blobs")
		})
	m.export("sandlot_moderation_total", "Acts of operators, as the audit log names them.", []string{"act"}, func(add sample) {
		acts := of.current().totals.Acts
		for _, act := range sandlot.Actions() {
			add(float64(acts[act]), act)
		}
	})
}

// waiting exports the backlogs. All nodes export the same.
func (m *metrics) waiting(of *minutes, playtest bool) {
	m.export("sandlot_mail_waiting", "Messages that wait, 10,000 at most.", []string{"kind"}, func(add sample) {
		for _, kind := range account.MailKinds() {
			add(float64(of.current().totals.Mail[kind].Size), kind)
		}
	})
	m.gauge("sandlot_mail_oldest_seconds", "Time for which the oldest of them has waited.", func() float64 {
		var all operate.Backlog
		for _, b := range of.current().totals.Mail {
			all.Add(b)
		}
		return of.age(all)
	})
	backlogs := func(add func(b operate.Backlog, worker string)) {
		t := of.current().totals
		add(t.Variants, "variants")
		add(t.Covers, "covers")
		add(t.Deleted, "collect")
		add(t.Forgets, "forget")
		if playtest {
			add(t.Trials, "trials")
		}
	}
	m.export("sandlot_worker_waiting", "Things that wait for a worker, 10,000 at most of a kind.", []string{"worker"}, func(add sample) {
		backlogs(func(b operate.Backlog, worker string) { add(float64(b.Size), worker) })
	})
	m.export("sandlot_worker_oldest_seconds", "Time for which the oldest of them has waited, as far as that is known.", []string{"worker"},
		func(add sample) { backlogs(func(b operate.Backlog, worker string) { add(of.age(b), worker) }) })
	m.gauge("sandlot_reports_open", "Reports that are not closed.", func() float64 { return float64(of.current().totals.Reports.Size) })
	m.gauge("sandlot_report_oldest_seconds", "Age of the oldest of them.", func() float64 { return of.age(of.current().totals.Reports) })
}

// age returns the seconds for which the oldest of a backlog had waited when it was read.
func (m *minutes) age(b operate.Backlog) float64 { return age(m.current().at, b.Oldest) }

// runs exports the last runs of the operator's commands. All nodes export the same.
func (m *metrics) runs(of *minutes) {
	good := func(kind operate.RunKind) func() float64 {
		return func() float64 { return timestamp(of.current().runs[kind].GoodAt) }
	}
	m.gauge("sandlot_backup_last_success_timestamp_seconds", "End of the last backup without damage; 0: none.", good(operate.RunBackup))
	m.gauge("sandlot_rehearse_last_success_timestamp_seconds", "End of the last good rehearsal of a backup; 0: none.",
		good(operate.RunRehearse))
	m.gauge("sandlot_verify_last_success_timestamp_seconds", "End of the last verification that found no damage; 0: none.",
		good(operate.RunVerify))
	m.gauge("sandlot_verify_damaged", "Damaged things that the last verification found.",
		func() float64 { return float64(of.current().runs[operate.RunVerify].Damaged) })
}
