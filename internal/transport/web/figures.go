package web

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery/figures"
)

// statistics serves the page of a project's numbers over time, and its tables.
type statistics struct{ service *figures.Service }

func (s statistics) routes() []route {
	const at = "/account/projects/{id}/statistics"
	return []route{
		{"GET", at, owner, admission.Look, s.page},
		{"GET", at + ".csv", owner, admission.Look, s.table},
	}
}

// ranges lists the periods to choose from, in days.
var ranges = []int{7, 30, 90, figures.MostDays}

// versionsCharted is the number of versions on the page: the table to download has all.
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

// table sends days, versions or referrers as CSV.
func (s statistics) table(v *visit) error {
	by := v.r.URL.Query().Get("by")
	rows, err := s.rows(v, by)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+string(v.ownID())+"-"+by+`.csv"`)
	h.Set("Cache-Control", "no-store")
	out := csv.NewWriter(v.w)
	out.UseCRLF = true // as RFC 4180 requires
	_ = out.WriteAll(rows)
	return nil
}

func (s statistics) rows(v *visit, by string) ([][]string, error) {
	numbers := []string{"plays", "players", "likes", "median_play_seconds"}
	if by == "version" {
		found, err := s.service.ByVersion(v.r.Context(), v.by, string(v.ownID()))
		rows := [][]string{append([]string{"version"}, numbers...)}
		for _, of := range found.Versions {
			rows = append(rows, append([]string{strconv.Itoa(of.Version)}, csvCells(of.Numbers)...))
		}
		return rows, err
	}
	if by != "day" && by != "referrer" {
		return nil, sandlot.ErrNotFound
	}
	found, err := s.service.ByDay(v.r.Context(), v.by, string(v.ownID()), daysAsked(v))
	if by == "referrer" {
		rows := [][]string{{"host", "plays"}}
		for _, of := range found.Referrers {
			rows = append(rows, []string{harmless(of.Host), strconv.FormatInt(of.Plays, 10)})
		}
		return rows, err
	}
	rows := [][]string{append([]string{"date"}, numbers...)}
	for _, of := range found.Days {
		rows = append(rows, append([]string{of.Date.Format(time.DateOnly)}, csvCells(of.Numbers)...))
	}
	return rows, err
}

func csvCells(n figures.Numbers) []string {
	out := []string{strconv.FormatInt(n.Plays, 10), strconv.FormatInt(n.Players, 10), strconv.FormatInt(n.Likes, 10), ""}
	if n.Known {
		out[3] = strconv.FormatInt(int64(n.Median.Round(time.Second)/time.Second), 10)
	}
	return out
}

// harmless returns a text that no spreadsheet takes for a formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
