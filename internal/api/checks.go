package api

import (
	"context"
	"net/http"

	"sandlot/internal/publish"
	"sandlot/internal/trial"
)

// Trials tells what the play-tester saw; *trial.Service does.
type Trials interface {
	Checks(ctx context.Context, by publish.Caller, ref string) (trial.Checks, error)
}

// checks tells the owner of a project what the play-tester saw of it.
func (a *API) checks(c *call) error {
	found, err := a.Trials.Checks(c.r.Context(), c.by, c.param)
	if err != nil {
		return err
	}
	return c.answer(reply{http.StatusOK, newChecks(found)})
}

type checksAnswer struct {
	ProjectID string       `json:"project_id"`
	Version   int          `json:"version"`
	State     trial.State  `json:"state"`
	Reason    text         `json:"reason"`
	Checked   *checkedInfo `json:"checked"`
}

type checkedInfo struct {
	Version        int            `json:"version"`
	At             moment         `json:"at"`
	Moved          bool           `json:"moved"`
	FirstPaint     *int64         `json:"first_paint_ms"`
	Errors         []string       `json:"errors"`
	FailedRequests []failedInfo   `json:"failed_requests"`
	OtherHosts     []string       `json:"other_hosts"`
	Findings       []findingsInfo `json:"findings"`
}

type failedInfo struct {
	Path   string `json:"path"`
	Status int    `json:"status"`
}

type findingsInfo struct {
	Code    trial.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint"`
}

func newChecks(c trial.Checks) *checksAnswer {
	out := &checksAnswer{string(c.Project.ID), c.Project.Version, c.State, text(c.Reason), nil}
	if c.Version == 0 {
		return out
	}
	seen := c.Seen
	out.Checked = &checkedInfo{
		Version: c.Version, At: moment(c.At), Moved: seen.Moved, Errors: append([]string{}, seen.Errors...), FailedRequests: make([]failedInfo, len(seen.Failed)),
		OtherHosts: append([]string{}, seen.Elsewhere...), Findings: make([]findingsInfo, len(c.Findings)),
	}
	if ms := seen.FirstPaint.Milliseconds(); ms > 0 {
		out.Checked.FirstPaint = &ms
	}
	for i, r := range seen.Failed {
		out.Checked.FailedRequests[i] = failedInfo(r)
	}
	for i, f := range c.Findings {
		out.Checked.Findings[i] = findingsInfo(f)
	}
	return out
}
