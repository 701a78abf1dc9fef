package web

import (
	"net/http"
	"slices"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery/figures"
)

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
