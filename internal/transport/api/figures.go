package api

import (
	"net/http"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
)

// asksFigures reports whether the query requests a project's numbers over time, which only its owner may read.
func (c *call) asksFigures() bool { return c.R.URL.Query().Has("by") }

// figures answers with a project's numbers by day or by version.
func (a *API) figures(c *call) error {
	query := c.R.URL.Query()
	if err := sandlot.Authorize(c.By, sandlot.ActReadFiles, nil); err != nil {
		return err
	}
	with := []sandlot.Arg{{Name: "project_id", Value: c.param}, {Name: "by", Value: "day"}}
	switch by := query["by"]; {
	case len(by) == 1 && by[0] == "day":
	case len(by) == 1 && by[0] == "version":
		found, err := a.Figures.ByVersion(c.R.Context(), c.By, c.param)
		if err != nil {
			return err
		}
		return c.answer(reply{http.StatusOK, newFiguresByVersion(found, a.Now())})
	default:
		return sandlot.Refuse(sandlot.CodeInvalidField, "The parameter by is neither day nor version, or there twice.").
			In("by").With(sandlot.OpStats, with...).
			Note("by=day tells each of the last days, by=version each version. Leave by out for the numbers of now.")
	}
	days := figures.DefaultDays
	if said := query["days"]; len(said) > 0 {
		n, err := strconv.Atoi(said[0])
		if err != nil || len(said) > 1 {
			return sandlot.Refuse(sandlot.CodeInvalidField,
				"The parameter days is not a whole number from 1 to %d, or there twice.", figures.MostDays).
				In("days").With(sandlot.OpStats, with...)
		}
		days = n
	}
	found, err := a.Figures.ByDay(c.R.Context(), c.By, c.param, days)
	if err != nil {
		return err
	}
	return c.answer(reply{http.StatusOK, newFiguresByDay(found, a.Now())})
}

// numbers holds the totals of a day, of a version or of all days. The median is null if no play has a known duration.
type numbers struct {
	Plays   int64  `json:"plays"`
	Players int64  `json:"players"`
	Likes   int64  `json:"likes"`
	Median  *int64 `json:"median_play_seconds"`
}

func newNumbers(n figures.Numbers) numbers {
	out := numbers{Plays: n.Plays, Players: n.Players, Likes: n.Likes}
	if n.Known {
		seconds := int64(n.Median.Round(time.Second) / time.Second)
		out.Median = &seconds
	}
	return out
}

type dayInfo struct {
	Date string `json:"date"`
	numbers
}

type referrerInfo struct {
	Host  string `json:"host"`
	Plays int64  `json:"plays"`
}

type figuresByDayAnswer struct {
	ProjectID string         `json:"project_id"`
	By        string         `json:"by"`
	Days      []dayInfo      `json:"days"`
	Total     numbers        `json:"total"`
	Referrers []referrerInfo `json:"referrers"`
	AsOf      time.Time      `json:"as_of"`
}

func newFiguresByDay(of figures.Days, now time.Time) *figuresByDayAnswer {
	out := &figuresByDayAnswer{
		string(of.Project.ID), "day", make([]dayInfo, len(of.Days)), newNumbers(of.Total),
		make([]referrerInfo, len(of.Referrers)), now.UTC(),
	}
	for i, d := range of.Days {
		out.Days[i] = dayInfo{d.Date.Format(time.DateOnly), newNumbers(d.Numbers)}
	}
	for i, r := range of.Referrers {
		out.Referrers[i] = referrerInfo(r)
	}
	return out
}

type versionNumbers struct {
	Version int `json:"version"`
	numbers
}

type figuresByVersionAnswer struct {
	ProjectID string           `json:"project_id"`
	By        string           `json:"by"`
	Versions  []versionNumbers `json:"versions"`
	AsOf      time.Time        `json:"as_of"`
}

func newFiguresByVersion(of figures.Versions, now time.Time) *figuresByVersionAnswer {
	out := &figuresByVersionAnswer{string(of.Project.ID), "version", make([]versionNumbers, len(of.Versions)), now.UTC()}
	for i, v := range of.Versions {
		out.Versions[i] = versionNumbers{v.Version, newNumbers(v.Numbers)}
	}
	return out
}
