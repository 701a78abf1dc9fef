package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// killsAnEpoch limits the data of one folder, and with them the time of the comparison at its end and the disk space of
// a run: about 2 GB.
const killsAnEpoch = 100

// config holds the settings of a run.
type config struct {
	Kills      int
	Workers    int
	Seed       uint64
	Dir        string
	Sample     bool     // whether to kill at some points and migrations only, not at each
	Migrations int      // number of migrations in a first start
	Plain      string   // the normal program, for kills at moments
	Tagged     string   // the program with failpoints
	Power      string   // folder for disks that lose power at each kill; empty: the system's cache survives a kill
	Servers    *servers // store everything; nil: the data folder does
	Out        io.Writer
}

// run makes the configured number of kills, in one folder after another, and prints the figures. The error describes
// the faults found.
func run(ctx context.Context, cfg config) error {
	fmt.Fprintf(cfg.Out, "seed                  %d\n%s", cfg.Seed, cfg.leftOut())
	c := newCounts()
	begun := time.Now()
	for left := cfg.Kills; left > 0; {
		before := c.allKills()
		e, err := newEpoch(ctx, cfg, c)
		if err == nil {
			err = e.run(ctx, min(left, cfg.killsAnEpoch()))
		}
		if closed := e.close(); err == nil {
			err = closed
		}
		if err != nil {
			c.print(cfg.Out, cfg.points())
			return err
		}
		if err := e.remove(ctx); err != nil {
			return err
		}
		left -= c.allKills() - before
	}
	c.print(cfg.Out, cfg.points())
	fmt.Fprintf(cfg.Out, "took                  %v\n", time.Since(begun).Round(time.Second))
	if missed := c.missed(cfg.points()); len(missed) > 0 && !cfg.Sample {
		return fmt.Errorf("there was no kill at %v", missed)
	}
	return nil
}

func (c config) killsAnEpoch() int {
	if c.Power != "" {
		return killsADisk
	}
	return killsAnEpoch
}

// An epoch is the life of one data folder.
type epoch struct {
	config
	dir, data, log string
	blobs          string // folder of the blobs
	args, env      []string
	place          *place // nil: the data folder
	disk           *disk  // nil: the data are on the system's own disk
	random         *rand.Rand
	count          *counts
	ledger         *ledger
	keys           *keyring
	workers        []*worker
	copied         string   // the backup
	strays         []string // planted for the collector
	died           bool     // whether the last program was killed
}

func newEpoch(ctx context.Context, cfg config, c *counts) (*epoch, error) {
	c.epochs++
	e := &epoch{config: cfg, count: c, keys: newKeyring()}
	e.keys.logIn = e.logIn
	e.dir = filepath.Join(cfg.Dir, fmt.Sprint("epoch-", c.epochs))
	e.data, e.log = filepath.Join(e.dir, "data"), filepath.Join(e.dir, "log")
	e.copied = filepath.Join(e.dir, "backup")
	e.random = rand.New(rand.NewPCG(cfg.Seed, uint64(c.epochs)<<16))
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if cfg.Power != "" {
		if e.disk, err = newDisk(filepath.Join(e.dir, "disk"), cfg.Power); err != nil {
			return nil, err
		}
		e.data = filepath.Join(e.disk.dir, "data")
	}
	e.blobs, e.args = filepath.Join(e.data, "blobs"), []string{"--data", e.data}
	if cfg.Servers != nil {
		e.place = newPlace(cfg.Servers)
		if err := e.place.empty(ctx); err != nil {
			return nil, err
		}
		args, env := e.place.args()
		e.args, e.env, e.blobs = append(e.args, args...), env, e.place.bucket()
	}
	e.ledger, err = openLedger(filepath.Join(e.dir, "ledger"))
	for i, s := range newWorld(cfg.Workers) {
		random := rand.New(rand.NewPCG(cfg.Seed, uint64(c.epochs)<<16+uint64(i)+1))
		d := &drawer{worker: i, random: random, run: fmt.Sprint("run", c.epochs)}
		e.workers = append(e.workers, &worker{n: i, shard: s, draw: d, random: random, ledger: e.ledger, keys: e.keys, count: c})
	}
	return e, err
}

// close unmounts the disk.
func (e *epoch) close() error {
	if e == nil || e.disk == nil {
		return nil
	}
	return e.disk.close()
}

// remove removes all data of an epoch without faults.
func (e *epoch) remove(ctx context.Context) error {
	if e.place != nil {
		if err := e.place.remove(ctx); err != nil {
			return err
		}
	}
	if e.disk != nil {
		if err := os.Remove(e.disk.image()); err != nil {
			return err
		}
	}
	return os.RemoveAll(e.dir)
}

// cut cuts the power after a kill, if the disk can lose it.
func (e *epoch) cut() error {
	if e.place != nil {
		return os.RemoveAll(e.data) // as if on another machine: everything that counts is on the servers
	}
	if e.disk == nil {
		return nil
	}
	err := e.disk.cut()
	e.disk.used = true // by the program that starts next
	return err
}

// run makes about n kills and compares everything at the end. Unless it is a sample, it also kills at each point that
// was missed.
func (e *epoch) run(ctx context.Context, n int) error {
	deaths := e.deaths(n)
	for _, d := range deaths {
		if _, err := e.round(ctx, d); err != nil {
			return fmt.Errorf("epoch %d, before or at %v: %w", e.count.epochs, d, err)
		}
	}
	if !e.Sample {
		if err := e.insistAll(ctx); err != nil {
			return fmt.Errorf("epoch %d: %w", e.count.epochs, err)
		}
	}
	if err := e.finish(ctx); err != nil {
		return fmt.Errorf("epoch %d, at its end: %w", e.count.epochs, err)
	}
	return nil
}

// deaths draws about n kills.
func (e *epoch) deaths(n int) []death {
	if e.Sample {
		list := laterDeaths(e.random, e.points(), n)[:n]
		list[0] = death{how: byMoment, after: lastMoment} // a complete first start: a kill in the collector needs the tables
		return list
	}
	list := e.firstDeaths()
	return append(list, laterDeaths(e.random, e.points(), max(n-len(list), 0))...)
}

// round lets the program live until its death. hit reports whether the kill came as planned.
func (e *epoch) round(ctx context.Context, d death) (hit bool, err error) {
	if d.fresh && e.untouched() {
		if err := e.empty(ctx); err != nil {
			return false, err
		}
	}
	if d.how == bySweep {
		if err := e.age(ctx); err != nil {
			return false, err
		}
	}
	if d.how == byStart || d.how == byFirst {
		return true, e.killStart(d)
	}
	bin := e.Plain
	if d.point != "" {
		bin = e.Tagged
	}
	p, err := e.start(ctx, bin, d.environment()...)
	if errors.Is(err, errKilled) {
		e.count.killed(d)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if err := e.live(ctx, p, d); err != nil {
		p.kill()
		return false, err
	}
	return e.dead(p, d), nil
}

// untouched reports whether nothing was requested of the folder yet, so that it may be removed: if a point is passed
// later than planned, work begins before it.
func (e *epoch) untouched() bool {
	return !slices.ContainsFunc(e.workers, func(w *worker) bool { return w.shard.Ops > 0 })
}

// empty removes the data, so that the next start is a first one.
func (e *epoch) empty(ctx context.Context) error {
	if e.place != nil {
		return e.place.empty(ctx)
	}
	return os.RemoveAll(e.data)
}

// dead counts the death of a program that is gone.
func (e *epoch) dead(p *program, d death) (hit bool) {
	missed := d.point != "" && p.late.Load()
	if missed {
		d = death{how: byMoment}
	}
	e.count.killed(d)
	return !missed
}

// start starts the program, and counts the time of the start if it follows a kill.
func (e *epoch) start(ctx context.Context, bin string, env ...string) (*program, error) {
	if err := e.cut(); err != nil {
		return nil, err
	}
	p, err := start(ctx, bin, e.log, e.args, append(env, e.env...))
	if err == nil && e.died {
		e.count.restarted(p.took)
	}
	e.died = true
	return p, err
}

// killStart kills a program that has just been started.
func (e *epoch) killStart(d death) error {
	if err := e.cut(); err != nil {
		return err
	}
	p, _, err := launch(e.Plain, e.log, e.args, e.env)
	if err != nil {
		return err
	}
	timer := time.AfterFunc(d.after, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	<-p.exited
	if !p.wasKilled() {
		return fmt.Errorf("the program ended by itself: %v", p.cmd.ProcessState)
	}
	e.count.killed(d)
	return nil
}

// live compares, then lets the workers work until the program is killed.
func (e *epoch) live(ctx context.Context, p *program, d death) error {
	c := newClient(p.addr, e.keys)
	defer c.close()
	if err := e.each(func(w *worker) error { return w.check(c, false) }); err != nil {
		return err
	}
	timer := time.AfterFunc(d.after, p.killLate)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, p.killLate)
	defer stop()
	work := func() error { return e.each(func(w *worker) error { return w.work(c, maxSteps) }) }
	if d.only {
		work = func() error { return e.press(c, p, d) }
	}
	err := work()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && !p.gone() {
		err = errors.New("the program gives no answer, but still runs")
	}
	return err
}

// maxSteps is more than the steps of a worker in one life of the program.
const maxSteps = 1 << 20

// each calls do for all workers at once and joins their errors.
func (e *epoch) each(do func(*worker) error) error {
	errs := make([]error, len(e.workers))
	var all sync.WaitGroup
	for i, w := range e.workers {
		all.Go(func() { errs[i] = do(w) })
	}
	all.Wait()
	return errors.Join(errs...)
}
