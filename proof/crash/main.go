// Command crash proves that Sandlot keeps its promises when it is killed.
//
//	go run ./proof/crash -kills 2000
//
// It runs the real program on a folder of its own. Workers publish, update, delete, take back, import, upload in parts,
// send by tickets, sign up and read, and players save, share and score, while the program is killed with SIGKILL again and again: at a random moment,
// during a start, and at each of the points of package failpoint. Each worker writes to a ledger each request, before
// it sends it, and each answer, after it; the ledger is synced both times.
//
// After each restart the service is compared with the ledger. Acknowledged changes must be there: byte for byte, under
// the address and the keys of the answer, in the lists and in the export. A change without an answer must have happened
// wholly or not at all, and once seen it must stay. Then each request without an answer is sent again under its
// Idempotency-Key, often into the next kill, until it is answered, and must have had one effect.
//
// At the end everything is compared once more with the ledger as it lies on the disk, the records are counted, and the
// folder and the logs are searched for keys. The exit code is 0 if no fault was found. docs/durability.md explains the
// figures and their limits.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

// command reads the flags, builds the program twice, and starts the run.
func command(ctx context.Context, args []string, out io.Writer) error {
	cfg := config{Out: out}
	flags := flag.NewFlagSet("crash", flag.ContinueOnError)
	flags.IntVar(&cfg.Kills, "kills", 2000, "how often the program is killed")
	flags.IntVar(&cfg.Workers, "workers", 8, "how many clients work at once")
	flags.Uint64Var(&cfg.Seed, "seed", uint64(time.Now().UnixNano()),
		"what the operations and kills are drawn from; the moments of kills differ from run to run all the same")
	flags.StringVar(&cfg.Dir, "dir", "", "folder for data, ledger and logs (a temporary one, which is kept if something is wrong)")
	flags.StringVar(&cfg.Power, "power", "",
		"cut the power at each kill, too: what was not synced is gone; the images of the disks, up to 1 GB, go into this "+
			"folder, best in memory (Linux, root)")
	set := flags.String("set", "folder",
		"where the program keeps everything: folder, or full for PostgreSQL, a bucket and Redis, as scripts/servers has them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if cfg.Dir == "" {
		dir, err := os.MkdirTemp("", "sandlot-crash-")
		if err != nil {
			return err
		}
		cfg.Dir = dir
	}
	var err error
	switch *set {
	case "folder":
	case "full":
		if cfg.Servers, err = fullSet(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("-set is folder or full, not %q", *set)
	}
	if cfg.Plain, err = build(ctx, cfg.Dir, "sandlot"); err != nil {
		return err
	}
	if cfg.Tagged, err = build(ctx, cfg.Dir, "sandlot-failpoints", "-tags", "failpoints", "-ldflags=-s -w -checklinkname=0"); err != nil {
		return err
	}
	if cfg.Migrations, err = migrations(ctx, cfg.Servers != nil); err != nil {
		return err
	}
	err = run(ctx, cfg)
	if err != nil {
		return fmt.Errorf("%w\nseed %d; data, ledger and logs are in %s", err, cfg.Seed, cfg.Dir)
	}
	return os.RemoveAll(cfg.Dir)
}

// build builds the program into dir.
func build(ctx context.Context, dir, name string, flags ...string) (string, error) {
	path := filepath.Join(dir, name)
	args := append([]string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", path}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "sandlot/cmd/sandlot")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}
