package main

import (
	"context"
	"fmt"
	"slices"

	"sandlot/proof/bench/rig"
)

// A row is one part of the table.
type row struct {
	name, about string
	run         func(context.Context, *bench) ([]line, error)
}

var rows = [...]row{
	{"large", "one publish of 100 MB, against saving the same body with fsync", large},
	{"large16", "16 publishes of 100 MB at once, against the same", large16},
	{"keys", "the search for keys in 100 MB built to be its worst case, against hashing the same bytes", keysRow},
	{"small", "durable publishes of 10 KiB by 64 clients, against appending with fsync", small},
	{"saves", "saves and scores of players by 64 clients, against those publishes; 10,000 players who save each minute", saves},
	{"boards", "the first 100 and a rank of a board of 100,000 rows, against a bare handler", boardsRow},
	{"check", "the publish check of 10 KiB, against the publish, by processor time", checkRow},
	{"pocketbase", "the same, against PocketBase creating a record with the file", pocketRow},
	{"tree", "one publish of 10,000 files of 2 KiB, against copying their folder and syncing it", tree},
	{"nginx", "GET of 10 and 300 KiB, gzip, plain and 304, 64 connections, against nginx, with and without access logs", nginxRow},
	{"caddy", "the same, against Caddy with precompressed files", caddyRow},
	{"export", "export of 10,000 files of text, against copying the stored bytes", export},
	{"live", "10,000 players on one project: memory, and the count", live},
	{"watchers", "10,000 watchers of one project: memory, and the count", watch},
	{"pages", "the home page, a project's page, a profile and searches at 50,000 projects, against a bare handler", pagesRow},
	{
		"waits",
		"the longest small write beside changes of what is large (10,000 projects or files, 400,000 versions), against writes alone",
		waits,
	},
	{
		"nodes",
		"publishes and GET of 10 KiB with 1, 2 and 3 nodes on PostgreSQL, a bucket and Redis, against a folder and against 1 node",
		nodesRow,
	},
	{
		"pgbench",
		"publishes of 10 KiB by 64 clients on PostgreSQL, against pgbench inserting the same rows, and against six bare round trips",
		pgbenchRow,
	},
	{"growth", "publish at 1,000,000 projects, against 1,000; start-up", growth},
}

func byName(name string) (row, bool) {
	i := slices.IndexFunc(rows[:], func(r row) bool { return r.name == name })
	if i < 0 {
		return row{}, false
	}
	return rows[i], true
}

// A line is one result: the measured figure, the figure it is compared with, and the ratio.
type line struct {
	what        string
	ours, yard  string
	ratio       float64 // 0: none
	reach       string
	reached     bool
	unqualified bool // there is no target
}

const heading = "| path | Sandlot | yardstick | ratio | reach | |\n|---|---|---|---|---|---|\n"

// String returns the line as a row of the table.
func (l line) String() string {
	ratio, verdict := "", "missed"
	if l.ratio != 0 {
		ratio = fmt.Sprintf("%.2f", l.ratio)
	}
	switch {
	case l.unqualified:
		verdict = ""
	case l.reached:
		verdict = "reached"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", l.what, l.ours, l.yard, ratio, l.reach, verdict)
}

// pair holds the result of measuring two things in turns.
type pair struct{ ours, yard, ratio float64 }

// pairs measures Sandlot and the yardstick in turns, so that other work of the machine affects both, and returns the
// medians. The ratio is the median of the ratios of the turns.
func (b *bench) pairs(ours, yard func() (float64, error)) (pair, error) {
	var o, y, r []float64
	for range b.runs {
		rig.Settle()
		yardstick, err := yard()
		if err != nil {
			return pair{}, fmt.Errorf("yardstick: %w", err)
		}
		rig.Settle()
		own, err := ours()
		if err != nil {
			return pair{}, err
		}
		o, y, r = append(o, own), append(y, yardstick), append(r, own/yardstick)
	}
	return pair{median(o), median(y), median(r)}, nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// line compares a pair of rates with the ratio to reach; 0 is none.
func (p pair) line(what, unit string, reach float64) line {
	l := line{
		what: what, ours: fmt.Sprintf("%.0f %s", p.ours, unit), yard: fmt.Sprintf("%.0f %s", p.yard, unit),
		ratio: p.ratio, reached: p.ratio >= reach, unqualified: reach == 0,
	}
	if reach != 0 {
		l.reach = fmt.Sprintf(">= %.3g", reach)
	}
	return l
}

const mib = 1 << 20

// atMost returns the line of a figure with an upper limit, in MiB.
func atMost(what string, bytes float64, most int) line {
	return line{
		what: what, ours: fmt.Sprintf("%.1f MiB", bytes/mib), reach: fmt.Sprintf("<= %d MiB", most),
		reached: bytes <= float64(most)*mib,
	}
}
