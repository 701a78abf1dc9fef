package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

const (
	// trialRound is the wait of one call for the play-tester. It opens a version in some 15 seconds.
	trialRound = 20 * time.Second
	// trialRounds is the number of such calls of checks --wait: 5 minutes.
	trialRounds = 15
)

type checksCommand struct {
	Project string `arg:"" optional:"" placeholder:"PROJECT" help:"Project, by its project_id or URL (default: as for --id)."`
	Inputs  string `placeholder:"FILE" help:"Open a version now, with the inputs, probe and seconds of this JSON file. (default: show what was seen)"`
	Wait    bool   `help:"Wait until the current version was opened, 5 minutes at most. (default: print how far it is)"`
	target
}

// Run prints the results of the play-tester. It fails if the current version is broken, or was waited for in vain.
func (c *checksCommand) Run(ctx context.Context, env *Env) error {
	c.ID = cmp.Or(c.Project, c.ID)
	s, err := c.here(env)
	if err != nil {
		return err
	}
	if s.id == "" {
		_, err := s.project(ctx) // reports that no project is named
		return err
	}
	if c.Inputs != "" {
		return s.asOwner().play(ctx, c.Inputs, c.JSON)
	}
	found, err := s.asOwner().checks(ctx, c.Wait)
	if err != nil {
		return err
	}
	if err := env.print(c.JSON, found.Text, lines(found)...); err != nil {
		return err
	}
	return s.verdict(found, c.Wait)
}

// checks returns the checks of the project, with wait after its current version was opened, if that does not take too
// long.
func (s *session) checks(ctx context.Context, wait bool) (found client.Checks, err error) {
	if !wait {
		return asked(ctx, s, func() (client.Checks, error) { return s.Checks(ctx, s.id, 0) })
	}
	for n := 1; ; n++ {
		began := time.Now()
		found, err = asked(ctx, s, func() (client.Checks, error) { return s.Checks(ctx, s.id, trialRound) })
		if err != nil || !found.Pending() || n == trialRounds {
			return found, err
		}
		if err := s.env.Wait(ctx, trialRound-time.Since(began)); err != nil { // it was answered earlier
			return found, s.explain(ctx, err)
		}
	}
}

// lines returns the lines for people.
func lines(c client.Checks) []string {
	pairs := []string{"project", c.ID, "version", strconv.Itoa(c.Version), "state", c.State, "reason", c.Reason}
	if c.State == "waiting" {
		pairs = append(pairs, "before it", plural(c.Ahead, "version", "versions"))
	}
	found := c.Warnings
	if v := c.Checked; v != nil {
		pairs = append(pairs, "opened", fmt.Sprintf("version %d, %s", v.Version, v.At.Local().Format(time.DateTime)))
		pairs = append(pairs, seenLines(*v)...)
		found = slices.Concat(v.Findings, found)
	}
	for _, w := range found {
		pairs = append(pairs, "finding", w.Code+": "+w.Message)
		for _, line := range notes(w.Hint) {
			pairs = append(pairs, "", line)
		}
	}
	for _, f := range c.CoverFindings {
		pairs = append(pairs, "cover", cmp.Or(f.Filename, f.Source)+": "+f.Message)
	}
	return pairs
}

// seenLines returns the observations of a version as pairs for print.
func seenLines(v client.Checked) []string {
	pairs := []string{"moved", moved(v.Moved)}
	if v.FirstPaint > 0 {
		pairs = append(pairs, "painted", fmt.Sprintf("after %d ms", v.FirstPaint))
	}
	for _, text := range v.Errors {
		pairs = append(pairs, "error", text)
	}
	for _, r := range v.Failed {
		pairs = append(pairs, "failed", fmt.Sprintf("%d %s", r.Status, r.Path))
	}
	for _, host := range v.OtherHosts {
		pairs = append(pairs, "other host", host)
	}
	return pairs
}

func moved(m *bool) string {
	if m == nil {
		return "not known: the machine was too busy"
	}
	return map[bool]string{true: "yes", false: "no"}[*m]
}

// verdict fails for a current version that is broken, and for one that was waited for and not opened.
func (s *session) verdict(c client.Checks, waited bool) error {
	name := fmt.Sprintf("version %d of %s", c.Version, c.ID)
	switch broken := broken(c); {
	case len(broken) > 0:
		text := "the play-tester found " + name + " broken: " + some(broken)
		return &Failure{Message: text, Notes: []string{"Mend the files, and send them again:"}, Fix: []string{s.place.whole()}, Exit: exitBroken}
	case waited && c.Pending():
		text := fmt.Sprintf("%s was not opened within %s", name, trialRounds*trialRound)
		return &Failure{Message: text, Fix: []string{s.env.again()}, Exit: exitLimit}
	}
	return nil
}

// broken returns the codes of the findings about the current version, without those that may be intended.
func broken(c client.Checks) (codes []string) {
	if c.State != "done" || c.Checked == nil {
		return nil
	}
	for _, f := range c.Checked.Findings {
		if f.Code != "nothing_moved" && f.Code != "another_host" && f.Code != "asks_for_secrets" {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// tested waits for the play-tester, if it opens the version of an answer, and prints its findings. The version is made,
// so that nothing here fails the command.
func (s *session) tested(ctx context.Context, a client.Answer) {
	if s.leave || !a.Checks.Pending() {
		return
	}
	s.env.say("waiting %s for the play-tester; --no-wait leaves at once", trialRound)
	s.Key, s.id = cmp.Or(s.Key, a.ProjectAPIKey), a.ProjectID
	c, err := s.Checks(ctx, a.ProjectID, trialRound)
	switch {
	case err != nil || c.Version != a.Version || c.Pending():
		s.env.say("version %d was not opened yet. To see what the play-tester finds:\n    %s", a.Version, s.about("checks", "--wait")[0])
	case c.State != "done" || c.Checked == nil:
		s.env.say("version %d was not opened. %s", a.Version, clean(c.Reason))
	case len(c.Checked.Findings) == 0:
		s.env.say("the play-tester opened version %d, and found nothing wrong", a.Version)
	default:
		s.env.say("the play-tester opened version %d:", a.Version)
		s.env.warn(c.Checked.Findings)
	}
}
