package api

import (
	"net/http"

	"sandlot/internal/domain/operate"
)

// report records the report of a trusted reporter.
func report(a *API, c *call, in operate.NewReport) (reply, error) {
	in.Project = a.Places.ProjectIn(string(in.Project))
	r, err := a.Reporters.Report(c.R.Context(), c.By, c.reporter, in)
	if err != nil {
		return reply{}, err
	}
	return reply{http.StatusCreated, newReported(r, a.notes(c, nil))}, nil
}

type reportedAnswer struct {
	Case      string `json:"case"`
	ProjectID string `json:"project_id"`
	Status    string `json:"status"` // "open" or "closed"
	notes
}

func newReported(r operate.Report, n notes) *reportedAnswer {
	status := "open"
	if !r.ClosedAt.IsZero() {
		status = "closed"
	}
	return &reportedAnswer{r.Case, string(r.Project), status, n}
}
