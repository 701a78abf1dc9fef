// Command bench measures Sandlot against the limits of the same machine: each row compares a path of the service with a
// yardstick that moves the same bytes, in the same run, in turns, and prints the ratio. Only ratios can be compared
// between machines; the other figures are for orientation.
//
// Everything runs on loopback and writes to one temporary folder. docs/performance.md describes each row and holds the
// figures of the last run.
//
//	go run ./proof/bench                     all rows
//	go run ./proof/bench -row large,nginx    some
//	go run ./proof/bench -list
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
	"strings"
	"syscall"
	"time"

	"sandlot/proof/bench/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "yardstick" {
		exit(yardstick(os.Args[2:]))
		return
	}
	exit(run(ctx, os.Args[1:], os.Stdout))
}

func exit(err error) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}

// bench holds the settings and tools shared by the rows.
type bench struct {
	*rig.Rig
	runs  int           // measurements of each pair, of which the median counts
	limit time.Duration // length of one measurement of a rate
	tools string        // folder of foreign programs, once built
	seeds string        // folder of stores with many projects; empty: in the run's folder
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var b bench
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	names := flags.String("row", "", "rows to measure, separated by commas (default: all)")
	list := flags.Bool("list", false, "list the rows and end")
	profiles := flags.String("profiles", "", "folder for CPU profiles of the service, one a measurement")
	flags.IntVar(&b.runs, "runs", 5, "how often each pair is measured")
	flags.DurationVar(&b.limit, "limit", 5*time.Second, "how long one measurement of a rate takes")
	flags.StringVar(&b.tools, "tools", filepath.Join(os.TempDir(), "sandlot-bench-tools"), "folder for foreign programs, built once")
	flags.StringVar(&b.seeds, "seeds", "", "folder that keeps the store of a million projects for the next run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*names)
	if err != nil {
		return err
	}
	if *list {
		for _, r := range chosen {
			fmt.Fprintf(out, "%-12s %s\n", r.name, r.about)
		}
		return nil
	}
	if b.Rig, err = rig.New(ctx); err != nil {
		return err
	}
	if b.Profiles, err = filepath.Abs(*profiles); err != nil || *profiles == "" {
		b.Profiles = ""
	}
	return errors.Join(b.all(ctx, chosen, out), b.Close())
}

// all measures the rows and prints their lines as a table. A failed row does not stop the others.
func (b *bench) all(ctx context.Context, rows []row, out io.Writer) error {
	fmt.Fprintf(out, "%s, median of %d\n\n%s", rig.Machine(), b.runs, heading)
	var errs []error
	for _, r := range rows {
		if ctx.Err() != nil {
			break
		}
		began := time.Now()
		lines, err := r.run(ctx, b)
		for _, l := range lines {
			fmt.Fprint(out, l)
		}
		fmt.Fprintf(os.Stderr, "bench: %s took %s\n", r.name, time.Since(began).Round(time.Second))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.name, err))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// choose returns rows by their names.
func choose(names string) ([]row, error) {
	if names == "" {
		return rows[:], nil
	}
	var chosen []row
	for name := range strings.SplitSeq(names, ",") {
		r, ok := byName(name)
		if !ok {
			return nil, fmt.Errorf("there is no row %q (see -list)", name)
		}
		chosen = append(chosen, r)
	}
	return chosen, nil
}
