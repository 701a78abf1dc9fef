package web

import (
	"strconv"

	"sandlot"
	"sandlot/internal/domain/trial"
)

// shortList is the number of entries that a finding shows before it is unfolded.
const shortList = 3

// checks holds the trials of a project for its page.
type checks struct {
	trial.Checks
	v     *visit
	Now   string // the progress of the trial of the current version; empty: it has ended
	Facts []string
	Told  []toldCheck
}

// A toldCheck is a finding in the visitor's language.
type toldCheck struct {
	What, Hint string
	Of         []string // in the page's own words
	Mild       bool     // whether it may be intended
}

// Short reports whether all entries are shown at once.
func (c toldCheck) Short() bool { return len(c.Of) <= shortList }

// told returns the trials of a project; nil if it is suspended, or has none and this instance runs none.
func (o *ownPages) told(v *visit, p sandlot.Project) (*checks, error) {
	if p.Suspended {
		return nil, nil
	}
	found, err := o.trials.Checks(v.r.Context(), v.by, string(p.ID))
	if err != nil || found.State == trial.Off && found.Version == 0 {
		return nil, err
	}
	c := &checks{Checks: found, v: v}
	c.Now = c.now()
	if c.Version != 0 {
		c.Facts, c.Told = c.facts(), c.told()
	}
	return c, nil
}

// now returns the progress of the trial of the current version.
func (c *checks) now() string {
	version := c.Project.Version
	switch c.State {
	case trial.Ended:
		return ""
	case trial.Waiting:
		return c.v.T("checks.waiting", "version", version)
	case trial.Running:
		return c.v.T("checks.running", "version", version)
	case trial.NotOpened:
		if c.TooMany {
			return c.v.T("checks.too-many", "version", version)
		}
		return c.v.T("checks.broke-off", "version", version)
	}
	return c.v.T("checks.unavailable")
}

// facts returns the time of the first paint, and whether the page moved.
func (c *checks) facts() []string {
	painted, moved := c.v.T("checks.unpainted"), c.v.T("checks.still")
	if ms := c.Seen.FirstPaint.Milliseconds(); ms > 0 {
		painted = c.v.T("checks.painted", "seconds", c.v.Tenths((ms+99)/100))
	}
	if c.Seen.Moved {
		moved = c.v.T("checks.moved")
	}
	if c.Seen.Unseen {
		return []string{painted}
	}
	return []string{painted, moved}
}

// findingTexts maps findings to the texts of the finding and of a hint.
var findingTexts = map[trial.Code]toldCheck{
	trial.TooMuch:     {What: "checks.memory", Hint: "checks.memory-hint"},
	trial.PageHangs:   {What: "checks.hangs", Hint: "checks.hangs-hint"},
	trial.PageBlank:   {What: "checks.blank", Hint: "checks.blank-hint"},
	trial.ScriptError: {What: "checks.errors", Hint: "checks.errors-hint"},
	trial.MissingFile: {What: "checks.failed", Hint: "checks.failed-hint"},
	trial.NothingMove: {What: "checks.still", Hint: "checks.still-hint", Mild: true},
	trial.AnotherHost: {What: "checks.hosts", Hint: "checks.hosts-hint", Mild: true},
	trial.AsksSecrets: {What: "checks.secrets", Hint: "checks.secrets-hint", Mild: true},
}

// told returns the findings with their entries.
func (c *checks) told() (all []toldCheck) {
	failed := false
	for _, f := range c.Findings {
		t, ok := findingTexts[f.Code]
		if !ok || f.Code == trial.MissingFile && failed {
			continue
		}
		t.What, t.Hint = c.v.T(t.What), c.v.T(t.Hint)
		switch f.Code {
		case trial.ScriptError:
			t.Of = c.Seen.Errors
		case trial.MissingFile:
			t.Of, failed = c.failed(), true
		case trial.AnotherHost:
			t.Of = c.Seen.Elsewhere
		}
		if len(c.Seen.Elsewhere) > 0 && (f.Code == trial.PageBlank || f.Code == trial.ScriptError) {
			t.Hint = c.v.T("checks.elsewhere-hint")
		}
		all = append(all, t)
	}
	if !failed && len(c.Seen.Failed) > 0 {
		all = append(all, toldCheck{What: c.v.T("checks.failed"), Of: c.failed()})
	}
	return all
}

// failed returns the requests that were answered with an error.
func (c *checks) failed() (all []string) {
	for _, r := range c.Seen.Failed {
		all = append(all, strconv.Itoa(r.Status)+" "+r.Path)
	}
	return all
}
