package api

import (
	"context"
	"net/http"

	"sandlot/internal/cover"
	"sandlot/internal/publish"
	"sandlot/internal/trial"
)

// Trials tells what the play-tester saw; *trial.Service does.
type Trials interface {
	Checks(ctx context.Context, by publish.Caller, ref string) (trial.Checks, error)
}

// Covers tells what could not be used as the cover of a project; *cover.Service does.
type Covers interface {
	Findings(ctx context.Context, by publish.Caller, id publish.ProjectID) ([]cover.Finding, error)
}

// checks tells the owner of a project what the play-tester saw of it, and why a picture did not become its cover.
func (a *API) checks(c *call) error {
	made, sent, err := a.begin(c)
	if err != nil {
		return err
	}
	defer sent()
	found, err := a.Trials.Checks(c.r.Context(), c.by, c.param)
	made()
	if err != nil {
		return err
	}
	c.grant.Files(found.Project.FileCount)
	pictures, err := a.Covers.Findings(c.r.Context(), c.by, found.Project.ID)
	if err != nil {
		return err
	}
	answer := newChecks(found)
	for _, f := range pictures {
		answer.CoverFindings = append(answer.CoverFindings, coverFinding{string(f.Source), text(f.File), f.Message()})
	}
	return c.answer(reply{http.StatusOK, answer})
}

type checksAnswer struct {
	ProjectID string       `json:"project_id"`
	Version   int          `json:"version"`
	State     trial.State  `json:"state"`
	Reason    text         `json:"reason"`
	Checked   *checkedInfo `json:"checked"`

	CoverFindings []coverFinding `json:"cover_findings"`
}

// coverFinding says where a picture was found, in which file if it was in one, and why it is not the cover.
type coverFinding struct {
	Source   string `json:"source"`
	Filename text   `json:"filename"`
	Message  string `json:"message"`
}

type checkedInfo struct {
	Version        int            `json:"version"`
	At             moment         `json:"at"`
	Moved          *bool          `json:"moved"`
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
	out := &checksAnswer{string(c.Project.ID), c.Project.Version, c.State, text(c.Reason), nil, []coverFinding{}}
	if c.Version == 0 {
		return out
	}
	seen := c.Seen
	out.Checked = &checkedInfo{
		Version: c.Version, At: moment(c.At), Errors: append([]string{}, seen.Errors...), FailedRequests: make([]failedInfo, len(seen.Failed)),
		OtherHosts: append([]string{}, seen.Elsewhere...), Findings: make([]findingsInfo, len(c.Findings)),
	}
	if !seen.Unseen {
		out.Checked.Moved = &seen.Moved
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
