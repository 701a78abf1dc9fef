package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// ladder holds the loads of docs/scale.md: each step is ten times the one before.
var ladder = []struct{ projects, players, publishes, searches float64 }{
	{1e5, 1e3, 10, 1}, {1e6, 1e4, 100, 5}, {1e7, 1e5, 1_000, 25}, {1e8, 1e6, 10_000, 125},
}

func rung(i int) Load {
	l := assumed
	l.Projects, l.Players, l.Publishes, l.Searches = ladder[i].projects, ladder[i].players, ladder[i].publishes, ladder[i].searches
	return l
}

// tellAll prints the tables of docs/scale.md.
func tellAll(out io.Writer, c Costs) {
	fmt.Fprintf(out, "Costs of %s, %s, commit %s; beside it: %s.\n\n", c.Date, c.Machine, c.Commit, c.Load)
	fmt.Fprint(out, "| of one | nodes | PostgreSQL | bucket | Redis | log |\n|---|---|---|---|---|---|\n")
	for _, w := range works {
		fmt.Fprintf(out, "| %s |", w)
		for _, part := range parts {
			fmt.Fprintf(out, " %s |", micro(c.CPU[w][part]))
		}
		fmt.Fprintf(out, " %s |\n", size(c.Log[w]))
	}
	fmt.Fprintf(out,
		"\nA stored project takes %s of rows and indexes at %d projects, %s in all with 10 KiB of text; one of 300 KiB takes %s "+
			"of the bucket.\n\n",
		size(c.Stored.RowBytes()), c.Stored.Projects, size(c.Stored.Database), size(c.Stored.Bucket))
	for _, byProject := range []bool{false, true} {
		fmt.Fprintf(out, "Readers of a project go to %s:\n\n", map[bool]string{false: "any node", true: "one node"}[byProject])
		fmt.Fprint(out,
			"| projects | live players | publishes/s | from memory, asked, missed | nodes | PostgreSQL | Redis | first "+
				"|\n|---|---|---|---|---|---|---|---|\n")
		for i := range ladder {
			l := rung(i)
			p := c.Plan(l, byProject)
			fmt.Fprintf(out, "| %.0f | %.0f | %.0f | %.2f, %.2f, %.2f | %d | %d | %d | %s |\n", l.Projects, l.Players, l.Publishes,
				p.Mix.Hit, p.Mix.Ask, p.Mix.Miss, p.Machines[nodes], p.Machines[database], p.Machines[redis], p.Bounds[0])
		}
		k, first := c.Limit(rung(2), byProject)
		fmt.Fprintf(out, "\nThe first part is full at %.1f times the third line: %s.\n\n", k, first)
	}
	fmt.Fprint(out, "Each by itself, beside nothing else:\n\n| only | the first part is full at | |\n|---|---|---|\n")
	for _, of := range []struct {
		what string
		unit float64
		load func(float64) Load
	}{
		{
			"projects, without players", 1e5,
			func(k float64) Load { l := rung(0); l.Players, l.Publishes, l.Searches = 0, 0, 0; return l.times(k) },
		},
		{
			"live players, of 10,000,000 projects", 1e3,
			func(k float64) Load { l := rung(2); l.Players, l.Publishes, l.Searches = 1e3*k, 0, 0; return l },
		},
		{"publishes a second", 10, func(k float64) Load { l := rung(0); l.Players, l.Searches, l.Publishes = 0, 0, 10*k; return l }},
		{"searches a second", 10, func(k float64) Load { l := rung(0); l.Players, l.Publishes, l.Searches = 0, 0, 10*k; return l }},
	} {
		k, first := c.limit(of.load, false)
		fmt.Fprintf(out, "| %s | %s | %s |\n", of.what, digits(k*of.unit), first)
	}
}

// String returns the name of the bound.
func (b Bound) String() string {
	return fmt.Sprintf("%s of %s (%.2f)", b.What, b.Part, b.Taken)
}

// tell prints the machines for one load.
func tell(out io.Writer, c Costs, l Load, byProject bool) {
	p := c.Plan(l, byProject)
	fmt.Fprintf(out, "%.0f reads/s, %.0f plays/s, %.0f heartbeats/s. Reads: %.2f from memory, %.2f asked for, %.2f missed.\n\n",
		l.reads(), l.plays(), l.Players/beat, p.Mix.Hit, p.Mix.Ask, p.Mix.Miss)
	fmt.Fprint(out, "| part | machines | processors in use | wait for one |\n|---|---|---|---|\n")
	for _, part := range parts {
		n, m := p.Machines[part], machines[part]
		busy := p.Demand.CPU[part] / m.Cores / float64(n)
		fmt.Fprintf(out, "| %s | %d | %.2f of %.0f | %.2f of its work |\n", part, n, p.Demand.CPU[part], m.Cores*float64(n),
			Wait(int(m.Cores), busy))
	}
	fmt.Fprint(out, "\nOf one machine, the most first:\n\n")
	for _, b := range p.Bounds {
		fmt.Fprintf(out, "- %s\n", b)
	}
	k, first := c.Limit(l, byProject)
	fmt.Fprintf(out, "\nOne machine of each part but nodes carries %.3g times this load; then the first is full: %s.\n", k, first)
	var most []string
	for _, part := range parts {
		w, share := c.dearest(p, part)
		most = append(most, fmt.Sprintf("%s: %s (%.0f%%)", part, w, 100*share))
	}
	fmt.Fprintf(out, "What takes most of each part: %s.\n", strings.Join(most, ", "))
}

// dearest returns the work that takes the largest share of a part, and that share.
func (c Costs) dearest(p Plan, part string) (most Work, share float64) {
	for _, w := range works {
		if s := p.Rates[w] * c.of(w, part) / math.Max(p.Demand.CPU[part], 1e-12); s > share {
			most, share = w, s
		}
	}
	return most, share
}

func micro(us float64) string {
	if us == 0 {
		return ""
	}
	return digits(us) + " µs"
}

func digits(x float64) string {
	switch {
	case x == 0:
		return ""
	case x >= 1000:
		return fmt.Sprintf("%.0f", round(x))
	}
	return fmt.Sprintf("%.3g", x)
}

func size(bytes float64) string {
	switch {
	case bytes == 0:
		return ""
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", bytes/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.1f KB", bytes/1e3)
	}
	return fmt.Sprintf("%.0f B", bytes)
}
