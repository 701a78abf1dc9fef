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

// told returns the findings with their entries.
func (c *checks) told() (all []toldCheck) {
	T, failed := c.v.T, false
	blank, errors := T("checks.blank-hint"), T("checks.errors-hint")
	if len(c.Seen.Elsewhere) > 0 {
		blank, errors = T("checks.elsewhere-hint"), T("checks.elsewhere-hint")
	}
	for _, f := range c.Findings {
		switch f.Code {
		case trial.TooMuch:
			all = append(all, toldCheck{What: T("checks.memory"), Hint: T("checks.memory-hint")})
		case trial.PageHangs:
			all = append(all, toldCheck{What: T("checks.hangs"), Hint: T("checks.hangs-hint")})
		case trial.PageBlank:
			all = append(all, toldCheck{What: T("checks.blank"), Hint: blank})
		case trial.ScriptError:
			all = append(all, toldCheck{What: T("checks.errors"), Hint: errors, Of: c.Seen.Errors})
		case trial.MissingFile:
			if !failed {
				all = append(all, toldCheck{What: T("checks.failed"), Hint: T("checks.failed-hint"), Of: c.failed()})
			}
			failed = true
		case trial.NothingMove:
			all = append(all, toldCheck{What: T("checks.still"), Hint: T("checks.still-hint"), Mild: true})
		case trial.AnotherHost:
			all = append(all, toldCheck{What: T("checks.hosts"), Hint: T("checks.hosts-hint"), Of: c.Seen.Elsewhere, Mild: true})
		}
	}
	if !failed && len(c.Seen.Failed) > 0 {
		all = append(all, toldCheck{What: T("checks.failed"), Of: c.failed()})
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
