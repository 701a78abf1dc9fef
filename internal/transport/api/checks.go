package api

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/trial"
)

// checks returns the results of the play-tester to a project's owner, and why a picture did not become its cover; where
// nothing is opened, the findings of the static check.
func (a *API) checks(c *call) error {
	wait, err := c.wait()
	if err != nil {
		return err
	}
	made, sent, err := a.begin(c)
	if err != nil {
		return err
	}
	found, static, err := trialOf(a, c)
	made()
	sent() // the answer has no list of files, and an account has few turns to wait in
	if err != nil {
		return err
	}
	c.Grant.Files(found.Project.FileCount)
	if found, err = a.Trials.Await(c.R.Context(), c.By, found, wait); err != nil {
		return err
	}
	pictures, err := a.Covers.Findings(c.R.Context(), c.By, found.Project.ID)
	if err != nil {
		return err
	}
	answer := newChecks(found, a.notes(c, static))
	for _, f := range pictures {
		answer.CoverFindings = append(answer.CoverFindings, coverFinding{string(f.Source), text(f.File), f.Message()})
	}
	if answer.Picture, err = c.picture(a.Covers, found); err != nil {
		return err
	}
	return c.answer(reply{http.StatusOK, answer})
}

// pictureInfo holds the screenshot of a trial.
type pictureInfo struct {
	Type    string `json:"content_type"`
	Content []byte `json:"content"` // base64
}

// picture returns the screenshot of the current version, if the query asks for it and there is one.
func (c *call) picture(covers *cover.Service, found trial.Checks) (*pictureInfo, error) {
	if c.R.URL.Query().Get("picture") != "true" || found.State != trial.Ended || found.Seen.Blank {
		return nil, nil
	}
	shot, err := covers.Shot(c.R.Context(), c.By, found.Project.ID)
	if err != nil || shot == nil {
		return nil, err
	}
	return &pictureInfo{http.DetectContentType(shot), shot}, nil
}

// checkedPerWork is the number of bytes that the static check reads in one unit of work.
const checkedPerWork = 4 << 10

// trialOf returns the results of the play-tester, and the findings of the static check if it opens nothing.
func trialOf(a *API, c *call) (found trial.Checks, static []sandlot.Warning, err error) {
	found, err = a.Trials.Checks(c.R.Context(), c.By, c.param)
	if err == nil && (found.State == trial.Off || found.State == trial.Unavailable) {
		read := 0
		static, err = a.Reader.Findings(c.R.Context(), c.By, c.param, func(n int) error { read += n; return nil })
		c.Grant.Work(read / checkedPerWork)
	}
	return found, static, err
}

// wait returns the longest wait for the trial, from the query in seconds.
func (c *call) wait() (time.Duration, error) {
	said := c.R.URL.Query().Get("wait")
	if said == "" {
		return 0, nil
	}
	most := int(trial.WaitMax / time.Second)
	seconds, err := strconv.Atoi(said)
	if err != nil || seconds < 0 {
		return 0, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter wait is not a whole number of seconds.").In("wait").
			With(sandlot.OpChecks).Note("Send wait=%d, the longest, or leave it out for an answer at once:", most)
	}
	return time.Duration(min(seconds, most)) * time.Second, nil
}

// checksInfo holds the state of the new version's trial in the answer of a change, the address of its findings, and a
// sentence that says whether and when it is opened.
type checksInfo struct {
	State   trial.State `json:"state"`
	URL     string      `json:"url"`
	Message string      `json:"message"`
}

// newChecksInfo returns the state of a trial, with the address of its findings.
func newChecksInfo(state trial.State, url string) *checksInfo {
	message := "The play-tester opens this version when those before it are done, each in some 15 seconds. " +
		"GET " + url + "?wait=20 waits for it, and counts them (ahead). " +
		"POST " + url + " opens it at once, and plays your inputs."
	switch state {
	case trial.Off:
		message = "This service opens no versions; the warnings of its static check are all that it finds."
	case trial.Unavailable:
		message = "The play-tester cannot open a version now, and opens this one when it can: ask for " + url + " later."
	}
	return &checksInfo{state, url, message}
}

// playable returns a sentence for a dry run that leads to a check of the version; "" where nothing is ever opened.
func playable(a *API, p sandlot.Project) string {
	if a.Requests.Status.Off {
		return ""
	}
	return "POST " + a.Places.Base.String() + "/v1/project/" + cmp.Or(string(p.ID), "{id}") + "/checks plays the version once it is made."
}

// checked returns the checks of a new version, and the warnings of the version before it, 0 for none. A failed read is
// logged and leaves them out, for the change is made.
func (a *API) checked(c *call, p sandlot.Project, before int) (*checksInfo, []sandlot.Warning) {
	said := append(threw(a, c, p, before), crowded(a, c, p)...)
	state, warnings, err := a.Trials.After(c.R.Context(), c.By, p, before)
	if err != nil {
		a.logFault(c, err)
		return nil, said
	}
	warnings = append(warnings, said...)
	return newChecksInfo(state, a.Places.Base.String()+"/v1/project/"+string(p.ID)+"/checks"), warnings
}

// brokenPages returns the warnings of the play-tester about current versions. A failed read is logged.
func (a *API) brokenPages(c *call, projects ...sandlot.Project) []sandlot.Warning {
	warnings, err := a.Trials.Warnings(c.R.Context(), c.By, projects...)
	if err != nil {
		a.logFault(c, err)
	}
	return warnings
}

type checksAnswer struct {
	ProjectID string       `json:"project_id"`
	Version   int          `json:"version"`
	State     trial.State  `json:"state"`
	Reason    text         `json:"reason"`
	Ahead     *int         `json:"ahead"`
	Checked   *checkedInfo `json:"checked"`

	CoverFindings []coverFinding `json:"cover_findings"`
	Picture       *pictureInfo   `json:"picture,omitempty"`
	notes
}

// coverFinding holds the source of a picture, its file if it has one, and the reason why it is not the cover.
type coverFinding struct {
	Source   string `json:"source"`
	Filename text   `json:"filename"`
	Message  string `json:"message"`
}

type checkedInfo struct {
	Untrusted      bool           `json:"untrusted"` // true: all texts are the page's
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

func newChecks(c trial.Checks, n notes) *checksAnswer {
	out := &checksAnswer{string(c.Project.ID), c.Project.Version, c.State, text(c.Reason), nil, nil, []coverFinding{}, nil, n}
	if c.State == trial.Waiting {
		out.Ahead = &c.Ahead
	}
	if c.Version == 0 {
		return out
	}
	out.Checked = newChecked(c.Seen, c.Findings)
	out.Checked.Version, out.Checked.At = c.Version, moment(c.At)
	return out
}

// newChecked returns the observations of a version, without its number.
func newChecked(seen trial.Seen, findings []trial.Finding) *checkedInfo {
	out := &checkedInfo{
		Untrusted: true, Errors: append([]string{}, seen.Errors...), FailedRequests: make([]failedInfo, len(seen.Failed)),
		OtherHosts: append([]string{}, seen.Elsewhere...), Findings: make([]findingsInfo, len(findings)),
	}
	if !seen.Unseen {
		out.Moved = &seen.Moved
	}
	if ms := seen.FirstPaint.Milliseconds(); ms > 0 {
		out.FirstPaint = &ms
	}
	for i, r := range seen.Failed {
		out.FailedRequests[i] = failedInfo(r)
	}
	for i, f := range findings {
		out.Findings[i] = findingsInfo(f)
	}
	return out
}
