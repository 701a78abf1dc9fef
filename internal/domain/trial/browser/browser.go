// Package browser opens a project in a headless Chromium, for the play-tester, and returns its observations.
//
// The page is hostile, and so is anything that it makes of the browser. So the browser runs in a process of its own
// beneath a worker, under a user that owns nothing, with Chromium's own sandbox on, inside namespaces:
//
//   - of the network: there is a loopback interface and nothing else. On it listens a proxy, whose
//     listener the worker hands to the server's process; all requests of the browser end there. It
//     answers those for the one origin on trial, and refuses any other. It dials nothing.
//   - of mounts: the programs of the machine can be read, and only memory is written to. No folder
//     of the service is there.
//   - of processes: no other process can be seen, and all end with the worker.
//
// The server's process watches time and memory, and kills the worker when either has run out. It reads
// one bounded report of the worker, and does not believe it.
//
// If a machine does not allow such namespaces, no page is opened at all.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"sandlot/internal/domain/trial"
)

// Limits of a trial.
const (
	probeWall   = 20 * time.Second
	mostMemory  = 1 << 30 // of the worker and all processes beneath it; a game of some size takes 400 MiB
	mostThreads = 768     // Chromium has 150 with one page; a page with a hundred workers has 250
	mostShot    = 1 << 20
	proxyPort   = 3128 // in the worker's own network
)

// programs are the browsers to look for, in this order. Those with a whole path are the programs of Debian's packages,
// whose names on the PATH are shells around them.
var programs = []string{
	"/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium", "chromium", "chromium-browser", "google-chrome-stable",
}

// ErrNoBrowser means that there is no browser on the machine.
var ErrNoBrowser = errors.New("no Chromium was found: install Debian's package chromium-headless-shell (or chromium)")

// find returns the browser of this machine, or ErrNoBrowser.
func find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// Origin answers the requests of a page on trial to its own origin.
type Origin interface {
	// ServeTrial answers a request for a file of that version, and leaves no trace of it.
	ServeTrial(w http.ResponseWriter, r *http.Request, due trial.Due)
}

// Browser opens pages, one at a time.
type Browser struct {
	User   User
	Origin Origin

	times   times  // zero: usual
	program string // the path that Probe found
	stage   string // the first stage of a worker; empty: StageRoom
	memory  int64  // the limit of a worker's memory; 0: mostMemory
}

// times are the limits of the parts of a trial.
type times struct {
	Wall time.Duration // from the start of the worker to its end, in any state
	Play time.Duration // the time to play
	Most time.Duration // the same on a busy machine, so that each move was made once; of a check, from the start of the worker
	Load time.Duration // then the page is played with, whether it has loaded or not
	Step time.Duration // for one answer of the page; one that hangs gives none
	Hang time.Duration // then for one more: a page that gives none hangs

	Pause time.Duration // between two moves
	Last  time.Duration // of a check, for the picture after the steps: all before ends earlier
}

// usual returns the times of a trial.
func usual() times {
	return times{
		Wall: 30 * time.Second, Play: 10 * time.Second, Most: 20 * time.Second, Load: 6 * time.Second, Step: 3 * time.Second,
		Hang: 8 * time.Second, Pause: 700 * time.Millisecond,
	}
}

// onRequest returns the times of a check, whose play is as long as its script.
func onRequest() times {
	return times{
		Wall: 39 * time.Second, Most: 34 * time.Second, Load: 5 * time.Second, Step: 3 * time.Second,
		Hang: 8 * time.Second, Pause: 500 * time.Millisecond, Last: 8 * time.Second,
	}
}

var (
	_ trial.Browser = (*Browser)(nil)
	_ trial.Player  = (*Browser)(nil)
)

// Open opens a page, after Probe has found a browser, plays with it for ten seconds, and returns its observations. It
// takes at most 30 seconds. An error means that nothing is known about the page: one that takes longer may be fine, on
// a busy machine.
func (b *Browser) Open(ctx context.Context, due trial.Due) (trial.Seen, error) {
	long := cmp.Or(b.times, usual())
	ctx, cancel := context.WithTimeout(ctx, long.Wall)
	defer cancel()
	s, _, err := b.see(ctx, due, order{Browser: b.program, Times: long})
	return s, err
}

// Play opens a page as Open does, and plays a script. It takes at most 39 seconds. If
// ctx ends earlier, it returns the observations until shortly before. Pictures of a page that is drawn too slowly are missing then.
func (b *Browser) Play(ctx context.Context, due trial.Due, script trial.Script) (trial.Played, error) {
	long := cmp.Or(b.times, onRequest())
	ctx, cancel := context.WithTimeout(ctx, long.Wall)
	defer cancel()
	if b.program == "" { // Probe is due as well
		var err error
		if b.program, err = find(); err != nil {
			return trial.Played{}, err
		}
	}
	end, _ := ctx.Deadline()
	s, r, err := b.see(ctx, due, order{Browser: b.program, Times: long, Script: &script, Until: end.Add(long.Most - long.Wall)})
	if err != nil {
		return trial.Played{}, err
	}
	return r.played(s, script.Probes), nil
}

// see carries out an order about a page, and returns the observations, with the report as it came.
func (b *Browser) see(ctx context.Context, due trial.Due, todo order) (trial.Seen, report, error) {
	o := newOrigin(b.Origin, due, todo.Times.Wall)
	defer o.close()
	todo.URL = "http://" + o.host + "/"
	r, err := b.work(ctx, todo, o)
	s := r.seen(todo.Times.Wall)
	o.note(&s)
	s.Memory = errors.Is(err, errMemory)
	if err != nil && !s.Memory {
		return trial.Seen{}, report{}, err
	}
	return s, r, nil
}

// Probe looks for a browser, starts it as Open does, on an empty page, and returns the reason if that fails.
func (b *Browser) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeWall)
	defer cancel()
	program, err := find()
	if err != nil {
		return err
	}
	b.program = program
	o := newOrigin(b.Origin, trial.Due{}, probeWall)
	defer o.close()
	_, err = b.work(ctx, order{Browser: b.program}, o)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the browser does not start within %v, which a busy machine may be the reason of: %w", probeWall, err)
	}
	if err != nil {
		return fmt.Errorf("the browser does not start in namespaces of its own: %w", err)
	}
	return nil
}
