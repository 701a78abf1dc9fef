package api

import (
	"encoding/json"
	"math"
	"net/http"

	"sandlot/internal/domain/trial"
)

// check opens a version for its owner, plays a script, and returns the observations.
func check(a *API, c *call, script trial.Script) (reply, error) {
	played, err := a.Requests.Play(c.R.Context(), c.By, c.param, script)
	if err != nil {
		return reply{}, err
	}
	return reply{http.StatusOK, newCheck(played, a.notes(c, nil))}, nil
}

type checkAnswer struct {
	Version        int            `json:"version"`
	Untrusted      bool           `json:"untrusted"` // true: all texts and values are the page's
	Moved          *bool          `json:"moved"`
	FirstPaint     *int64         `json:"first_paint_ms"`
	Frames         *float64       `json:"frames_per_second"`
	Probes         []probeInfo    `json:"probes"`
	Errors         []string       `json:"errors"`
	Console        []string       `json:"console"`
	FailedRequests []failedInfo   `json:"failed_requests"`
	OtherHosts     []string       `json:"other_hosts"`
	Findings       []findingsInfo `json:"findings"`
	Before         *pictureInfo   `json:"before"`
	After          *pictureInfo   `json:"after"`
	notes
}

type probeInfo struct {
	Probe  string          `json:"probe"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Error  text            `json:"error"`
}

func newCheck(p trial.Played, n notes) *checkAnswer {
	seen := newChecked(p.Seen, p.Findings())
	out := &checkAnswer{
		Version: p.Version, Untrusted: true, Moved: seen.Moved, FirstPaint: seen.FirstPaint, Errors: seen.Errors,
		FailedRequests: seen.FailedRequests, OtherHosts: seen.OtherHosts, Findings: seen.Findings,
		Probes: make([]probeInfo, len(p.Values)), Console: append([]string{}, p.Console...),
		Before: pictureOf(p.Before), After: pictureOf(p.After), notes: n,
	}
	if p.Frames > 0 {
		rate := math.Round(10*p.Frames) / 10
		out.Frames = &rate
	}
	for i, v := range p.Values {
		out.Probes[i] = probeInfo{v.Probe, v.Before, v.After, text(v.Error)}
	}
	return out
}

// pictureOf returns a screenshot for an answer, nil if there is none.
func pictureOf(shot []byte) *pictureInfo {
	if len(shot) == 0 {
		return nil
	}
	return &pictureInfo{http.DetectContentType(shot), shot}
}
