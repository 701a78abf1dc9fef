package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/storage/hook"
)

// judgeSettings name the judge of new versions.
type judgeSettings struct {
	Judge       string `placeholder:"HOOK" help:"Judges new versions of accounts with no verified email: a command or an https URL. (default: none)"`
	JudgeSecret string `placeholder:"SECRET" secret:"" help:"Signs what is sent to the URL of --judge; 16 characters or more. (default: none)"`
	JudgeFails  string `enum:"pass,hold" default:"pass" help:"What a version gets without an answer of --judge: pass or hold."`
}

// hook returns the judge, nil without one. It is an error if it cannot be called.
func (s judgeSettings) hook() (judge.Hook, error) {
	switch {
	case s.Judge == "" && s.JudgeSecret != "":
		return nil, errors.New("--judge-secret does nothing without --judge: set --judge to a URL, or leave it out")
	case s.Judge == "":
		return nil, nil
	case hook.IsCommand(s.Judge):
		c, err := hook.NewCommand(s.Judge)
		if err != nil {
			return nil, fmt.Errorf("--judge %w", err)
		}
		return c, nil
	}
	c, err := hook.NewService(s.Judge, s.JudgeSecret)
	if err != nil {
		return nil, fmt.Errorf("--judge %w", err)
	}
	return c, nil
}

// guards start the workers that judge new versions and look at lists of other services.
type guards struct {
	judged *judge.Counts  // nil without a judge
	looker *listed.Looker // at the lists of other services; nil without any
}

// guard starts the guards that the settings request.
func (a *app) guard() {
	a.judge()
	a.lookAtLists()
}

// judge starts the judge of new versions, if the settings request one.
func (a *app) judge() {
	call, _ := a.settings.hook() // was checked at the start
	if call == nil {
		return
	}
	a.judged = &judge.Counts{}
	r := &judge.Runner{
		Store: a.store.Operate().Verdicts(), Contents: a.service.Contents, Pictures: a.store.Covers(), Playtest: a.settings.Playtest,
		Hook: call, Fails: judge.Answer(a.settings.JudgeFails), Places: a.places, Log: a.log, Failures: a.failuresOf("judge"), Counts: a.judged,
	}
	a.workers = append(a.workers, r.Run)
}

// verdicts exports the counts of the judge; nil: there is none.
func (m *metrics) verdicts(c *judge.Counts) {
	if c == nil {
		return
	}
	m.export("sandlot_verdicts_total", "Verdicts of the judge; unanswered ones are also in that of judge-fails.", []string{"answer"}, func(add sample) {
		add(float64(c.Passed.Load()), "pass")
		add(float64(c.Held.Load()), "hold")
		add(float64(c.Refused.Load()), "refuse")
		add(float64(c.Failed.Load()), "unanswered")
	})
}

type verdictsCommand struct {
	listing
	Answer string `placeholder:"ANSWER" help:"Only pass, hold or refuse. (default: all)"`
}

// Run lists verdicts.
func (c *verdictsCommand) Run(ctx context.Context, t *terminal) error {
	if !slices.Contains([]judge.Answer{"", judge.Pass, judge.Hold, judge.Refuse}, judge.Answer(c.Answer)) {
		return usageError{fmt.Errorf("--answer %q is not pass, hold or refuse", c.Answer)}
	}
	return list(ctx, c.listing, t, newVerdictLine, func(a operator, _ judge.Record, seen, limit int) ([]judge.Record, error) {
		verdicts := judge.Service{Store: a.db.Operate().Verdicts()}
		return verdicts.Verdicts(ctx, a.by, judge.Query{Answer: judge.Answer(c.Answer), Skip: seen, Limit: limit})
	})
}

// verdictLine is a verdict in its printed form.
type verdictLine struct {
	ProjectID  string     `json:"project_id"`
	Version    int        `json:"version"`
	Answer     string     `json:"answer"`
	Held       bool       `json:"held"`
	At         time.Time  `json:"at"`
	ReversedAt *time.Time `json:"reversed_at"`
	Reason     string     `json:"reason"`
}

func newVerdictLine(v judge.Record) verdictLine {
	return verdictLine{string(v.Project), v.Version, string(v.Answer), v.Held, v.At, orNil(v.ReversedAt), v.Reason}
}
