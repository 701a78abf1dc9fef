package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/transport/web/texts"
)

// A chart shows one number of each day as bars. Its texts are HTML around the bars, in the size of other texts; the
// bars fill the available width.
type chart struct {
	Name   string // the name of a text
	Sum    string // of all days, formatted
	Label  string // the description for screen readers
	Top    string // the labels of the axis
	Middle string
	Bottom string
	Width  int
	Bars   string // the path of all bars; empty if every day has zero
	Each   []bar  // each bar with its label; empty if there are too many to point at
}

// A bar is the bar of one day, in the chart's units.
type bar struct {
	X      int
	Y      float64
	Height float64
	Says   string
}

// The dimensions of a chart: a bar takes barWidth of the dayWidth of its day.
const (
	chartHeight = 100
	dayWidth    = 10
	barWidth    = 8
	mostPointed = 90 // days that can be pointed at
)

// drawn formats figures in the language of a visit, for the template of their page.
type drawn struct{ v texts.Voice }

// charts returns the charts of the page: plays, players, likes and play lengths.
func (d drawn) charts(days []figures.Day) []chart {
	count := func(name string, of func(figures.Numbers) int64) chart {
		numbers := make([]int64, len(days))
		var sum int64
		for i, day := range days {
			numbers[i] = of(day.Numbers)
			sum += numbers[i]
		}
		return d.chart(name, days, numbers, ceiling(numbers, counted), d.v.Number, d.v.Number(sum))
	}
	lengths := make([]int64, len(days))
	for i, day := range days {
		lengths[i] = int64(day.Median / time.Second)
	}
	length := func(n any) string { return d.Length(time.Duration(n.(int64)) * time.Second) }
	long := d.chart("figures.median", days, lengths, ceiling(lengths, timed), length, "")
	return []chart{
		count("figures.plays", func(n figures.Numbers) int64 { return n.Plays }),
		count("figures.players", func(n figures.Numbers) int64 { return n.Players }),
		count("figures.likes", func(n figures.Numbers) int64 { return n.Likes }),
		long,
	}
}

// counted and timed list the round ends of an axis, whose halves are round, too. Beyond the last they repeat tenfold.
var (
	counted = []int64{2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 50, 60, 80, 100}
	timed   = []int64{20, 60, 120, 240, 600, 1200, 2400, 3600, 7200, 14400, 18000}
)

// ceiling returns the least round number that is no smaller than any number.
func ceiling(numbers []int64, round []int64) int64 {
	most := int64(0)
	for _, n := range numbers {
		most = max(most, n)
	}
	for tens := int64(1); ; tens *= 10 {
		for _, n := range round {
			if most <= n*tens || tens > 1<<50 {
				return n * tens
			}
		}
	}
}

func (d drawn) chart(name string, days []figures.Day, numbers []int64, top int64, write func(any) string, sum string) chart {
	c := chart{Name: name, Sum: sum, Width: len(days) * dayWidth, Top: write(top), Middle: write(top / 2), Bottom: write(int64(0))}
	var path strings.Builder
	for i, n := range numbers {
		b := bar{X: i*dayWidth + (dayWidth-barWidth)/2, Y: chartHeight}
		if n > 0 { // more likes may be taken back on a day than given
			b.Height = max(float64(n)*chartHeight/float64(top), 1) // still visible
			b.Y -= b.Height
			fmt.Fprintf(&path, "M%d %.4gh%dv%.4gh-%dz", b.X, b.Y, barWidth, b.Height, barWidth)
		}
		b.Says = d.v.Day(days[i].Date) + ": " + write(n)
		c.Each = append(c.Each, b)
	}
	if c.Bars = path.String(); len(days) > mostPointed {
		c.Each = nil
	}
	from, to := d.Day(days[0].Date), d.Day(days[len(days)-1].Date)
	c.Label = d.v.T("figures.chart", "name", d.v.T(name), "from", from, "to", to, "most", write(slices.Max(numbers)))
	return c
}

// Day formats a day, which is one of UTC wherever it is read.
func (d drawn) Day(t time.Time) string { return d.v.Day(t.UTC()) }

// Length formats a play length.
func (d drawn) Length(length time.Duration) string {
	seconds := int64(length.Round(time.Second) / time.Second)
	switch {
	case seconds < 60:
		return d.v.T("figures.seconds", "s", seconds)
	case seconds%60 == 0 && seconds < 3600:
		return d.v.T("figures.minutes", "m", seconds/60)
	case seconds < 3600:
		return d.v.T("figures.minutes-seconds", "m", seconds/60, "s", seconds%60)
	}
	return d.v.T("figures.hours", "h", seconds/3600, "m", seconds%3600/60)
}

// Share returns a number as a percentage of the largest in its table, at least 1 if it is positive.
func (drawn) Share(n, most int64) int64 {
	if n <= 0 || most <= 0 {
		return 0
	}
	return max(1, n*100/most)
}

// MostPlays returns the most plays of any version in a table.
func (drawn) MostPlays(list []figures.Version) (most int64) {
	for _, of := range list {
		most = max(most, of.Plays)
	}
	return most
}

// Site names the referrer of a project's players.
func (d drawn) Site(host string) string {
	switch host {
	case figures.Direct:
		return d.v.T("figures.direct")
	case figures.Others:
		return d.v.T("figures.other")
	}
	return host
}

// measured holds numbers for a template that formats them in the visit's language.
type measured struct {
	V drawn
	N figures.Numbers
}

// Measured returns numbers for a template.
func (d drawn) Measured(n figures.Numbers) measured { return measured{d, n} }

// Middle returns the middle one of the days.
func (drawn) Middle(days []figures.Day) figures.Day { return days[len(days)/2] }

// Last returns the last of the days.
func (drawn) Last(days []figures.Day) figures.Day { return days[len(days)-1] }

// Unknown returns the text for an unknown play length.
func (d drawn) Unknown() string { return d.v.T("figures.unknown") }

// statistics serves the page of a project's numbers over time.
type statistics struct{ service *figures.Service }

func (s statistics) routes() []route {
	return []route{{"GET", "/account/projects/{id}/statistics", owner, admission.Look, s.page}}
}

// ranges lists the periods to choose from, in days.
var ranges = []int{7, 30, 90, figures.MostDays}

// versionsCharted is the number of versions on the page: the API has all.
const versionsCharted = 30

type statisticsPage struct {
	figures.Days
	drawn
	Ranges   []int
	Of       int // days
	Versions []figures.Version
	Charts   []chart
	Empty    bool
}

// daysAsked returns the number of days that an address asks for, or the default if that is none of the choices.
func daysAsked(v *visit) int {
	n := number(v.r.URL.Query().Get("days"))
	if !slices.Contains(ranges, n) {
		return figures.DefaultDays
	}
	return n
}

func (s statistics) page(v *visit) error {
	page := statisticsPage{Ranges: ranges, Of: daysAsked(v), drawn: drawn{v.Voice}}
	var err error
	if page.Days, err = s.service.ByDay(v.r.Context(), v.by, string(v.ownID()), page.Of); err != nil {
		return err
	}
	versions, err := s.service.ByVersion(v.r.Context(), v.by, string(v.ownID()))
	if err != nil {
		return err
	}
	page.Versions = versions.Versions[:min(len(versions.Versions), versionsCharted)]
	page.Charts = page.charts(page.Days.Days)
	page.Empty = !slices.ContainsFunc(page.Days.Days, func(d figures.Day) bool { return d.Plays != 0 || d.Likes != 0 || d.Known })
	query := v.r.URL.Query()
	v.place = len(query) == 1 && query.Has("days") // of the address the page has nothing but a choice of four
	return v.show(http.StatusOK, "statistics.html", v.T("figures.title"), page)
}
