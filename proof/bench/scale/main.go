// Command scale computes the machines for a load: which part saturates first, at which number, and how many nodes and
// databases are needed beyond it. docs/scale.md describes the model, and which of its figures are measured.
//
//	go run ./proof/bench/scale                      the loads of the document
//	go run ./proof/bench/scale -players 100000 ...  another one
//	go run ./proof/bench/scale -measure             costs.json anew, from three nodes on this machine
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"sandlot/proof/bench/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scale: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	l := assumed
	flags.Float64Var(&l.Projects, "projects", 0, "projects that are stored; 0: the loads of the document")
	flags.Float64Var(&l.Players, "players", 0, "live players")
	flags.Float64Var(&l.Publishes, "publishes", 0, "publishes and updates a second")
	flags.Float64Var(&l.Searches, "searches", 0, "searches a second")
	flags.Float64Var(&l.Updates, "updates", l.Updates, "the part of publishes that are updates")
	flags.Float64Var(&l.Large, "large", l.Large, "the part of new projects whose file lies in the bucket")
	flags.Float64Var(&l.Stay, "stay", l.Stay, "seconds that a player stays")
	flags.Float64Var(&l.Reads, "reads", l.Reads, "requests for files of each visit")
	flags.Float64Var(&l.Fetches, "fetches", l.Fetches, "the part of reads of large files that comes from the bucket")
	flags.Float64Var(&l.Skew, "skew", l.Skew, "of Zipf: the i-th most popular project is played in proportion to 1/i^skew")
	costs := flags.String("costs", "", "file of costs (default: those in the program)")
	byProject := flags.Bool("by-project", false, "the proxy sends readers of a project to one node, and not to any")
	measuring := flags.Bool("measure", false, "measure the costs and write them to -costs")
	seeded := flags.Int("seeded", 100_000, "projects in the database while measuring")
	beside := flags.String("beside", "unknown", "what else the machine does while measuring, for the file")
	tools := flags.String("tools", filepath.Join(os.TempDir(), "sandlot-bench-tools"), "folder for foreign programs, built once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *measuring {
		if *costs == "" {
			*costs = "proof/bench/scale/costs.json"
		}
		r, err := rig.New(ctx)
		if err != nil {
			return err
		}
		return errors.Join(measure(ctx, r, *tools, *costs, *beside, *seeded), r.Close())
	}
	c, err := readCosts(*costs)
	switch {
	case err != nil:
		return err
	case l.Projects == 0:
		tellAll(out, c)
	default:
		tell(out, c, l, *byProject)
	}
	return nil
}
