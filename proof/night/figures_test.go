package night

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"sandlot/internal/testkit/expect"
)

// figures are those of pages of one kind or way, or of all.
type figures struct {
	pages, refused, seen, reported int
	times                          []time.Duration // how long each page was seen that was
	afterThird, afterThat          time.Duration   // the longest
}

func (f *figures) add(r *resident) {
	f.pages++
	if r.id == "" {
		f.refused++
	}
	if r.first.IsZero() {
		return
	}
	f.seen++
	f.times = append(f.times, r.seen)
	if r.reports >= 3 {
		f.reported++
	}
	f.afterThird, f.afterThat = max(f.afterThird, r.afterThird), max(f.afterThat, r.afterThat)
}

func (f *figures) median() time.Duration {
	if len(f.times) == 0 {
		return 0
	}
	slices.Sort(f.times)
	return f.times[len(f.times)/2]
}

func (f *figures) longest() time.Duration { return slices.Max(append(f.times, 0)) }

// crewFigures returns the figures of the phishing pages that belong to a group.
func (n *night) crewFigures(of func(*resident) bool) (f figures) {
	for _, r := range n.crews() {
		if of(r) {
			f.add(r)
		}
	}
	return f
}

// makerFigures are those of the new honest makers.
type makerFigures struct {
	makers, refused            int // refused: with a publish or an update
	withField, heldField       int // that have a field for a password; of these held at any time
	longestField               time.Duration
	withoutField, heldUnjustly int // of the others; held at any time, but for the maker that a crowd attacked
	attackedFor                time.Duration
	oldHeld                    time.Duration // the maker of 40 days
}

func (n *night) makerFigures() (f makerFigures) {
	f.oldHeld = n.old.held
	attacked := n.attacked()
	for _, r := range n.makers() {
		f.makers++
		if r.refused != "" {
			f.refused++
		}
		held := r.held > 0 || !r.shown
		switch {
		case r.Password:
			f.withField++
			if held {
				f.heldField++
				f.longestField = max(f.longestField, r.held)
			}
		case r == attacked:
			f.attackedFor = r.held
		default:
			f.withoutField++
			if held {
				f.heldUnjustly++
			}
		}
	}
	return f
}

// table writes the figures of a night and its Monday.
func (n *night) table(m monday) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "phishing pages\tpublished\trefused\tseen\tseen %\tmedian\tlongest\t3 reports\tafter the 3rd\tafter the 3rd network\t")
	row := func(name string, of func(*resident) bool) {
		f := n.crewFigures(of)
		share := 100 * float64(f.seen) / float64(max(f.pages, 1))
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f\t%s\t%s\t%d\t%s\t%s\t\n", name, f.pages, f.refused, f.seen, share, short(f.median()),
			short(f.longest()), f.reported, short(f.afterThird), short(f.afterThat))
	}
	row("all", func(*resident) bool { return true })
	row("address verified", func(r *resident) bool { return r.proves > 0 })
	row("not verified", func(r *resident) bool { return r.proves == 0 })
	row("and takes the secret itself", func(r *resident) bool { return r.proves == 0 && r.Collects })
	row("or leads elsewhere", func(r *resident) bool { return r.proves == 0 && !r.Collects })
	for _, name := range n.names(func(r *resident) string { return r.Kind }) {
		row("kind "+name, func(r *resident) bool { return r.Kind == name })
	}
	for _, name := range n.names(func(r *resident) string { return r.Way }) {
		row("way "+name, func(r *resident) bool { return r.Way == name })
	}
	for _, name := range n.names(howOf) {
		row(name, func(r *resident) bool { return howOf(r) == name })
	}
	expect.OK(n.t, w.Flush())
	f := n.makerFigures()
	fmt.Fprintf(&out, "honest makers %d, of whom %d met a refusal\n", f.makers, f.refused)
	fmt.Fprintf(&out, "  with a field for a password %d, held %d, the longest %s\n", f.withField, f.heldField, short(f.longestField))
	fmt.Fprintf(&out, "  without one %d, held %d; one more, whom a crowd attacked: held %s\n", f.withoutField, f.heldUnjustly, short(f.attackedFor))
	fmt.Fprintf(&out, "  verified 40 days before, attacked by a crowd: held %s\n", short(f.oldHeld))
	fmt.Fprintf(&out, "Monday: %d in the queue, %d decisions, %d presses; still seen %d; honest and held %d; the same bytes again: %d of %d refused\n",
		m.waiting, m.decisions, m.presses, m.unfound, m.honest, m.refused, m.again)
	if n.runner != nil {
		b := n.runner.Browser.(*timed)
		fmt.Fprintf(&out, "play-tester: %d trials, %d pages opened in %s each; ", n.runner.Counts.Done.Load(), len(b.known),
			short(b.total/time.Duration(max(len(b.known), 1))))
	}
	fmt.Fprintf(&out, "%d looks of visitors, %d reports\n", n.looks, n.reporters)
	return out.String()
}

// names returns the kinds, ways and tricks of crews' pages, each once.
func (n *night) names(of func(*resident) string) []string {
	set := map[string]bool{}
	for _, r := range n.crews() {
		set[of(r)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// howOf names the way of a page with its trick.
func howOf(r *resident) string { return r.Way + ": " + r.Trick }

// short writes a time in minutes and seconds, or in hours.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < 2*time.Hour:
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.1fh", d.Hours())
}
