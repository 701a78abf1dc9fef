package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"time"

	"sandlot/internal/base/failpoint"
)

// lastBackup is the latest moment at which a backup is killed: about as long as one takes.
const lastBackup = 300 * time.Millisecond

// backupDeaths returns a few deaths per epoch: each costs a whole backup.
func backupDeaths(r *rand.Rand) []death {
	list := []death{{how: byBackup, point: failpoint.MidBackup, count: 1 + r.IntN(4)}}
	for range 2 {
		list = append(list, death{how: byBackup, after: time.Duration(r.Int64N(int64(lastBackup)))})
	}
	return list
}

// backup makes a backup beside the running program, after some that were killed. A killed backup leaves a whole one, or
// files without the name of a backup.
func (e *epoch) backup(ctx context.Context) error {
	for _, d := range backupDeaths(e.random) {
		killed, err := e.runBackup(ctx, d)
		if err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
		if killed {
			e.count.killed(d)
		}
		if _, err := os.Stat(e.copied); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := e.verify(ctx, "--data", e.copied); err != nil {
			return fmt.Errorf("after %v: %w", d, err)
		}
		if err := os.RemoveAll(e.copied); err != nil {
			return err
		}
	}
	_, err := e.runBackup(ctx, death{after: time.Minute})
	return err
}

// runBackup runs the command until it ends, or is killed as d says.
func (e *epoch) runBackup(ctx context.Context, d death) (killed bool, err error) {
	bin := e.Plain
	if d.point != "" {
		bin, d.after = e.Tagged, time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, d.after) // ends it by SIGKILL
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "backup", "--data", e.data, e.copied)
	cmd.Env = append(ownEnvironment(), d.environment()...)
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return false, nil
	case wasKilled(cmd.ProcessState) && d.how == byBackup:
		return true, nil
	case cmd.ProcessState != nil && cmd.ProcessState.Success():
		return false, nil // it was done at the moment of the kill
	case ctx.Err() != nil && cmd.Process == nil:
		return false, nil // it had no time to start
	}
	return false, fmt.Errorf("sandlot backup: %w\n%s", err, out)
}

// recover starts the program on the backup, and compares it with the whole ledger.
func (e *epoch) recover(ctx context.Context) error {
	p, err := start(ctx, e.Plain, e.log, []string{"--data", e.copied}, nil)
	if err != nil {
		return fmt.Errorf("start on the backup: %w", err)
	}
	defer p.kill()
	c := newClient(p.addr, e.keys)
	defer c.close()
	if err := e.each(func(w *worker) error { return w.check(c, true) }); err != nil {
		return fmt.Errorf("the backup: %w", err)
	}
	return nil
}
