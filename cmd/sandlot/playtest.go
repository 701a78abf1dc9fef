package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"sandlot/internal/domain/trial"
	"sandlot/internal/domain/trial/browser"
	"sandlot/internal/transport/play"
)

// playtestWorkerCommand runs the process that opens a version. The server starts it.
type playtestWorkerCommand struct {
	Stage string `arg:""`
}

func (c *playtestWorkerCommand) Run(ctx context.Context) error {
	return browser.Work(ctx, c.Stage)
}

// checkPlaytest refuses a play-tester that could do harm, or could not run.
func (s settings) checkPlaytest() error {
	if !s.Playtest {
		if s.PlaytestUser != "" {
			return errors.New("--playtest-user does nothing without --playtest: set --playtest, or leave it out")
		}
		return nil
	}
	if s.Data != "" && browser.Shows(s.Data) {
		return fmt.Errorf("the data folder %s lies where the browser of --playtest reads its programs and fonts: "+
			"choose another with --data, such as /var/lib/sandlot", s.Data)
	}
	_, err := browser.FindUser(s.PlaytestUser)
	return err
}

// playtester starts the play-tester, if the settings request one. Its browser reads files through files, which is set
// before it runs.
func (a *app) playtester(files *trialFiles, shots trial.Shots) {
	a.tester.Off = !a.settings.Playtest
	a.trials = trial.New(a.store.Trials(), a.service.Reader, &a.tester)
	turn := trial.NewTurn()
	a.requests = &trial.Requests{
		Store: a.store.Trials(), Projects: a.service.Reader, Turn: turn, Status: &a.tester, Log: a.log,
		Counts: &trial.Counts{}, Now: a.store.Now,
	}
	if a.tester.Off {
		return
	}
	a.opened = a.requests.Counts
	user, _ := browser.FindUser(a.settings.PlaytestUser) // was checked at the start
	b := &browser.Browser{User: user, Origin: files}
	a.requests.Player = b
	r := &trial.Runner{
		Store: a.store.Trials(), Projects: a.service.Reader, Browser: b, Shots: shots, Turn: turn, Status: &a.tester, Log: a.log, Failures: a.failuresOf("trials"), Counts: a.opened,
		Public: public(a.places),
	}
	a.workers = append(a.workers, r.Run)
}

// trialFiles serves the files of projects to the play-tester as to visitors.
type trialFiles struct{ play *play.Handler }

func (f *trialFiles) ServeTrial(w http.ResponseWriter, r *http.Request, due trial.Due) {
	f.play.ServeTrial(w, r, due.Project, due.Version, due.Suffix)
}

// trials exports the counts of the play-tester; nil: there is none.
func (m *metrics) trials(c *trial.Counts) {
	if c == nil {
		return
	}
	for outcome, count := range map[string]func() int64{
		"done": c.Done.Load, "failed": c.Failed.Load, "passed": c.Passed.Load, "requested": c.Requested.Load,
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "sandlot_trials_total", Help: "Versions that the play-tester took up: opened, broken off, passed over, and opened on request.",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(count()) }))
	}
	seconds := prometheus.CounterOpts{Name: "sandlot_trial_seconds_total", Help: "Time that the play-tester was at versions."}
	m.registry.MustRegister(prometheus.NewCounterFunc(seconds,
		func() float64 { return float64(c.Milliseconds.Load()) / 1000 }))
}
