package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/transport/web/texts"
)

// A chart is one of the numbers of each day as bars. What it says is in HTML around them, in the size of other texts; the bars are as wide as
// there is room.
type chart struct {
	Name   string // of the text
	Sum    string // of all days, as people read it
	Label  string // what somebody learns who does not see it
	Top    string // the axis
	Middle string
	Bottom string
	Width  int
	Bars   string // the path of all; empty where there is nothing on any day
	Zero   int    // where nothing is
	Each   []bar  // each by itself with what it says; empty where they are too many to be pointed at
}

// A bar is that of one day, in the chart's units.
type bar struct {
	X      int
	Y      float64
	Height float64
	Says   string
}

// Measures of a chart: a bar is barWidth of the dayWidth of its day.
const (
	chartHeight = 100
	dayWidth    = 10
	barWidth    = 8
	mostPointed = 90 // days that can be pointed at
)

// drawn writes figures in the language of a visit, for the template of their page.
type drawn struct{ v texts.Voice }

// charts are those of the page: plays, players, likes and play lengths.
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
	long := d.chart("figures.median", days, lengths, ceiling(lengths, timed), func(n any) string { return d.Length(time.Duration(n.(int64)) * time.Second) }, "")
	return []chart{
		count("figures.plays", func(n figures.Numbers) int64 { return n.Plays }),
		count("figures.players", func(n figures.Numbers) int64 { return n.Players }),
		count("figures.likes", func(n figures.Numbers) int64 { return n.Likes }),
		long,
	}
}

// counted and timed are round numbers below which an axis ends, and whose half is round, too. Beyond the last they go on tenfold.
var (
	counted = []int64{2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 50, 60, 80, 100}
	timed   = []int64{20, 60, 120, 240, 600, 1200, 2400, 3600, 7200, 14400, 18000}
)

// ceiling is the least of round numbers that none of the numbers is above, whatever its sign.
func ceiling(numbers []int64, round []int64) int64 {
	most := int64(0)
	for _, n := range numbers {
		most = max(most, n, -n)
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
	low := int64(0)
	if slices.Min(numbers) < 0 { // then nothing is in the middle
		low = -top
	}
	c := chart{
		Name: name, Sum: sum, Width: len(days) * dayWidth, Top: write(top), Middle: write((top + low) / 2), Bottom: write(low),
		Zero: int(chartHeight * top / (top - low)),
	}
	scale := chartHeight / float64(top-low)
	var path strings.Builder
	for i, n := range numbers {
		b := bar{X: i*dayWidth + (dayWidth-barWidth)/2, Height: float64(max(n, -n)) * scale}
		if n != 0 {
			b.Height = max(b.Height, 1) // it is seen
		}
		if b.Y = float64(c.Zero); n > 0 {
			b.Y -= b.Height
		}
		if b.Height > 0 {
			fmt.Fprintf(&path, "M%d %.4gh%dv%.4gh-%dz", b.X, b.Y, barWidth, b.Height, barWidth)
		}
		b.Says = d.v.Day(days[i].Date) + ": " + write(n)
		c.Each = append(c.Each, b)
	}
	if c.Bars = path.String(); len(days) > mostPointed {
		c.Each = nil
	}
	c.Label = d.v.T("figures.chart", "name", d.v.T(name), "from", d.Day(days[0].Date), "to", d.Day(days[len(days)-1].Date), "most", write(slices.Max(numbers)))
	return c
}

// Day writes a day that is one of UTC wherever it is read.
func (d drawn) Day(t time.Time) string { return d.v.Day(t.UTC()) }

// Length writes how long people play.
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

// Share is a number as a part of the largest of its table, from 0 to 100.
func (drawn) Share(n, most int64) int64 {
	if n <= 0 || most <= 0 {
		return 0
	}
	return max(1, n*100/most)
}

// MostPlays is the most of what a table of versions has.
func (drawn) MostPlays(list []figures.Version) (most int64) {
	for _, of := range list {
		most = max(most, of.Plays)
	}
	return most
}

// Site names what led players to a project.
func (d drawn) Site(host string) string {
	switch host {
	case figures.Direct:
		return d.v.T("figures.direct")
	case figures.Others:
		return d.v.T("figures.other")
	}
	return host
}

// A measured is numbers for a template that writes them in the visit's language.
type measured struct {
	V drawn
	N figures.Numbers
}

// Measured hands numbers to a template.
func (d drawn) Measured(n figures.Numbers) measured { return measured{d, n} }

// Middle is the one in the middle of days.
func (drawn) Middle(days []figures.Day) figures.Day { return days[len(days)/2] }

// Last is the last of days.
func (drawn) Last(days []figures.Day) figures.Day { return days[len(days)-1] }

// Unknown is said of play lengths that are not known.
func (d drawn) Unknown() string { return d.v.T("figures.unknown") }
