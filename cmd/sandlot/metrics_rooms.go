package main

import (
	"strconv"

	"sandlot/internal/base/meter"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/blob/measured"
	"sandlot/internal/transport/mcp"
	"sandlot/internal/transport/play"
)

// meters are the measurements of rooms that are made before the metrics.
type meters struct {
	mail    *meter.Counts[account.MailTry]
	reports *operate.ReportMeters
	blobs   *measured.Meters
	plays   func() int64
	players func() int
}

func newMeters() meters {
	return meters{mail: account.NewMailOutcomes(), reports: operate.NewReportMeters(), blobs: measured.New()}
}

// build exports the build of this program. The schema is that of its engine.
func (m *metrics) build(b build, postgres bool) {
	schema := b.Schema.SQLite
	if postgres {
		schema = b.Schema.PostgreSQL
	}
	m.export("sandlot_build_info", "Always 1; the labels name the build of this node.", []string{"version", "revision", "schema"},
		func(add sample) { add(1, b.Version, b.Revision, strconv.Itoa(schema)) })
}

// rooms exports the measurements of the rooms of this node.
func (m *metrics) rooms(a *app) {
	m.export("sandlot_mail_total", "Tries at messages by this node.", []string{"kind", "outcome"}, func(add sample) {
		for try := range a.meters.mail.Labels() {
			add(float64(a.meters.mail.Get(try)), try.Kind, try.Outcome)
		}
	})
	m.export("sandlot_reports_total", "Reports of projects recorded by this node.", []string{"via"}, func(add sample) {
		for via := range a.meters.reports.Reports.Labels() {
			add(float64(a.meters.reports.Reports.Get(via)), string(via))
		}
	})
	m.export("sandlot_holds_total", "Projects that this node held by a rule.", []string{"rule"}, func(add sample) {
		for rule := range a.meters.reports.Held.Labels() {
			add(float64(a.meters.reports.Held.Get(rule)), string(rule))
		}
	})
	m.export("sandlot_plays_total", "Plays counted by this node.", nil, func(add sample) { add(float64(a.meters.plays())) })
	m.gauge("sandlot_players", "Players who are present, of those whose heartbeats come to this node.",
		func() float64 { return float64(a.meters.players()) })
	m.gauge("sandlot_head_age_seconds", "Time since this node knew of all changes by other nodes to the projects that are read.",
		func() float64 { return a.service.Heads.Age().Seconds() })
	m.blocklist(a.blocklist)
	m.database(a)
	m.histograms("sandlot_blob_seconds", "Time of a call of the folder or bucket of files, without the wait for its client.",
		[]string{"op", "outcome"}, func(add func(*meter.Histogram, ...string)) {
			for call, h := range a.meters.blobs.All() {
				add(h, call.Op, call.Outcome)
			}
		})
}

// database exports the measurements of the database on this node.
func (m *metrics) database(a *app) {
	of := a.store.Engine()
	m.histogram("sandlot_commit_seconds", "Time of a commit.", of.Meters().CommitSeconds)
	m.histogram("sandlot_commit_batch", "Steps that shared a commit.", of.Meters().CommitBatch)
	m.export("sandlot_database_connections", "Connections to the database; on SQLite those that read.", []string{"state"},
		func(add sample) {
			p := of.Pool()
			add(float64(p.Used), "used")
			add(float64(p.Idle), "idle")
		})
	m.gauge("sandlot_database_connections_max", "The most of them.", func() float64 { return float64(of.Pool().Most) })
	m.export("sandlot_database_wait_seconds_total", "Time for which callers waited for a connection, or for their turn to write.", nil,
		func(add sample) { add(of.Pool().Waited.Seconds()) })
	m.gauge("sandlot_clock_skew_seconds", "By how much this machine's clock is ahead of the database's.",
		func() float64 { return of.Skew().Seconds() })
}

// limits exports the refusals by the limits of clients, and the bodies that are being received.
func (m *metrics) limits(l *admission.Limits) {
	m.export("sandlot_limited_total", "Requests refused by a limit.", []string{"limit"}, func(add sample) {
		for limit := range l.Refusals().Labels() {
			add(float64(l.Refusals().Get(limit)), limit)
		}
	})
	m.export("sandlot_wrong_keys_total", "Wrong keys, and wrong codes of logins.", nil, func(add sample) { add(float64(l.Wrong())) })
	m.gauge("sandlot_bodies", "Bodies of requests that are being received.", func() float64 { return float64(l.Receiving()) })
	m.gauge("sandlot_bodies_max", "The most of them at once: max-bodies.", func() float64 { return float64(l.MaxBodies) })
}

// mended exports the requests of MCP that were mended.
func (m *metrics) mended(f *mcp.Front) {
	m.export("sandlot_mcp_mended_total", "Requests of MCP of which a header was set from the body.", []string{"what"}, func(add sample) {
		for what := range f.Mended().Labels() {
			add(float64(f.Mended().Get(what)), what)
		}
	})
}

// reads exports the use of the files in memory.
func (m *metrics) reads(h *play.Handler) {
	m.export("sandlot_cache_total", "Look-ups of projects' files in memory.", []string{"result"}, func(add sample) {
		hits, misses := h.CacheReads()
		add(float64(hits), "hit")
		add(float64(misses), "miss")
	})
}

// connections exports the connections of clients.
func (m *metrics) connections(slots *admission.Slots, most int) {
	m.gauge("sandlot_connections", "Connections of clients.", func() float64 { return float64(slots.Held()) })
	m.gauge("sandlot_connections_max", "The most of them at once; 0: no limit.", func() float64 { return float64(most) })
}
