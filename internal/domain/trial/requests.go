package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// Limits of a check, which is answered within 40 seconds. The trial of a version takes some 15.
const (
	playTime  = 39 * time.Second // with the wait for the browser
	turnWait  = 17 * time.Second
	mostAsked = 100 // openings of an account and day, with those that the Runner made
)

// Limits of the observations of a check.
const (
	MostLines   = 50        // of the console
	MostPicture = 100 << 10 // bytes, as many as a tool of MCP shows
	MostValue   = 4 << 10   // bytes of JSON
	MostDepth   = 5         // of a value
)

// Played holds the observations of a version that was opened on request. All texts and values are the page's own.
type Played struct {
	Seen
	Version       int
	Before, After []byte // screenshots, PNG or JPEG; nil: there is none, or not below MostPicture
	Values        []Value
	Console       []string // the lines, errors among them
	Frames        float64  // a second, as the page's thread had them; 0: unknown
}

// A Value holds the values of a probe before the steps and after them; nil for none, and after an Error.
type Value struct {
	Probe         string
	Before, After json.RawMessage
	Error         string // of the evaluation after the steps, or else of the first one
}

// Player opens a version and plays a script; *browser.Browser is one. An error means nothing about the page.
type Player interface {
	Play(ctx context.Context, due Due, script Script) (Played, error)
}

// Requests opens versions on request of their owners. It may be used concurrently.
type Requests struct {
	Store    Store
	Projects Projects
	Player   Player // nil where Status is Off
	Turn     *Turn  // shared with the Runner
	Status   *Status
	Log      *slog.Logger
	Counts   *Counts
	Now      func() time.Time
}

// Play opens a version of a project, by its id or one of its addresses, plays the script, and returns its observations,
// within 40 seconds. It is only for callers who may read all of the project's files. It opens one version of an account at a
// time, and 100 a day: beyond that it is CodeRateLimited. Without a play-tester it is CodePlaytestOff.
func (s *Requests) Play(ctx context.Context, by sandlot.Caller, ref string, script Script) (Played, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return Played{}, err
	}
	p, due, err := s.due(ctx, by, ref, script.Version)
	if err != nil {
		return Played{}, err
	}
	if err := s.open(p.ID); err != nil {
		return Played{}, err
	}
	if script, err = script.ready(); err != nil {
		return Played{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	done, err := s.Turn.enter(ctx, p.Account)
	if err != nil {
		return Played{}, err
	}
	defer done()
	if err := s.count(ctx, p.ID); err != nil {
		return Played{}, err
	}
	return s.play(ctx, due, script)
}

// due returns a project and its version n to open; 0 is the current one.
func (s *Requests) due(ctx context.Context, by sandlot.Caller, ref string, n int) (sandlot.Project, Due, error) {
	cursor := ""
	if n != 0 {
		cursor = strconv.Itoa(max(n, 0) + 1)
	}
	page, err := s.Projects.Versions(ctx, by, ref, 1, cursor)
	if err != nil {
		return sandlot.Project{}, Due{}, err
	}
	p := page.Project
	if n == 0 {
		n = p.Version
	}
	if len(page.Versions) == 0 || page.Versions[0].N != n || page.Versions[0].Erased {
		return p, Due{}, sandlot.Refuse(sandlot.CodeVersionNotFound, "The project has no version %d.", n).In("version").
			With(sandlot.OpVersions, sandlot.Set("project_id", string(p.ID))).Note("Its versions are listed here:")
	}
	return p, Due{Project: p.ID, Version: n, Suffix: page.Versions[0].Suffix}, nil
}

// open refuses a call if no version can be opened.
func (s *Requests) open(id sandlot.ProjectID) error {
	if s.Status.Off {
		return sandlot.Refuse(sandlot.CodePlaytestOff, "This service opens no projects: its play-tester is off.").
			With(sandlot.OpChecks, sandlot.Set("project_id", string(id))).Note("Its static check reads all files of the current version:")
	}
	if why := s.Status.reason(); why != "" {
		return sandlot.Refuse(sandlot.CodeUnavailable, "%s", why).After(time.Minute).With(sandlot.OpWait)
	}
	return nil
}

// count counts an opening of an account and day, or refuses it.
func (s *Requests) count(ctx context.Context, id sandlot.ProjectID) error {
	ok, err := s.Store.CountTrial(ctx, id, mostAsked)
	if err != nil {
		return fmt.Errorf("count trial: %w", err)
	}
	if ok {
		return nil
	}
	now := s.Now().UTC()
	return sandlot.Refuse(sandlot.CodeRateLimited, "Of this account %d versions were opened today, by themselves and on request.", mostAsked).
		After(now.Truncate(24*time.Hour).Add(24*time.Hour).Sub(now).Truncate(time.Second) + time.Second).With(sandlot.OpWait).
		Note("Nothing was opened. A day begins at midnight UTC.")
}

// play opens a version in the browser, and counts the opening.
func (s *Requests) play(ctx context.Context, due Due, script Script) (out Played, err error) {
	began := time.Now()
	err = worker.Guarded(func() (err error) {
		out, err = s.Player.Play(ctx, due, script)
		return err
	})
	s.Counts.Requested.Add(1)
	s.Counts.Milliseconds.Add(time.Since(began).Milliseconds())
	out.Version = due.Version
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		s.Log.Warn("a check failed", "error", fmt.Errorf("open version %d of %s: %w", due.Version, due.Project, err))
		err = busy("The browser broke off, which a busy machine may be the reason of.")
	}
	if err == nil && out.nothing() {
		err = busy("The page was not drawn in time: the machine is busy, or the page hangs.")
	}
	return out, err
}

// nothing reports whether the machine was too busy to see the page: there is no picture, and its thread has not answered.
func (p Played) nothing() bool {
	return len(p.Before) == 0 && len(p.After) == 0 && p.Frames == 0 && !p.Hangs && !p.Memory
}

// Findings returns the probable faults of a page with these observations, the worst first.
func (p Played) Findings() []Finding { return findings(p.Seen) }
