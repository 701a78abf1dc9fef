// Command load exposes the service to the loads that a public instance meets, each for a limited time and on loopback,
// and prints the results beside the promises. It ends with an error if a promise was not kept.
//
//	go run ./proof/bench/load              all rows
//	go run ./proof/bench/load -row 1,16    some
//	go run ./proof/bench/load -list
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sandlot/proof/bench/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "load: "+err.Error())
		os.Exit(1)
	}
}

// A row is one load.
type row struct {
	n     int
	about string
	run   func(context.Context, *load) ([]result, error)
}

var rows = [...]row{
	{1, "idle connections and slow headers", slowHeaders},
	{2, "bodies at 100 bytes a second", slowBodies},
	{3, "readers of 100 MB at 100 bytes a second", slowReaders},
	{4, "50 publishes of 100 MB, packed, at once", packedBodies},
	{5, "a storm of publishes without a key", storm},
	{6, "500 updates of one project at once", updates},
	{7, "10,000 signups with one handle", handles},
	{8, "a hot project", hot},
	{11, "plays by ever new visitors", plays},
	{12, "exports of which nobody reads the end", exports},
	{13, "a store of a million projects", million},
	{16, "wrong keys", wrongKeys},
	{21, "attack: content full of beginnings of keys", keyBomb},
	{22, "attack: small bodies that become large", diskBomb},
	{24, "attack: slow bodies from all networks of a /56", slots},
	{26, "attack: plays and likes made up", popularity},
	{28, "attack: connections that send nothing", silent},
}

// load holds the settings and tools shared by the rows.
type load struct {
	*rig.Rig
	limit time.Duration // length of a load
	seeds string        // a folder filled by bench -seeds; empty: row 13 fills its own
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 && args[0] == visitCommand {
		return visit(ctx, args[1:], out)
	}
	var l load
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	numbers := flags.String("row", "", "rows, separated by commas (default: all)")
	list := flags.Bool("list", false, "list the rows and end")
	flags.DurationVar(&l.limit, "limit", 10*time.Second, "how long a load lasts where it is not bounded otherwise")
	flags.StringVar(&l.seeds, "seeds", "", "folder that keeps the store of a million projects, as of bench")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*numbers)
	if err != nil {
		return err
	}
	if *list {
		for _, r := range chosen {
			fmt.Fprintf(out, "%2d %s\n", r.n, r.about)
		}
		return nil
	}
	if l.Rig, err = rig.New(ctx); err != nil {
		return err
	}
	return errors.Join(l.all(ctx, chosen, out), l.Close())
}

func (l *load) all(ctx context.Context, rows []row, out io.Writer) error {
	fmt.Fprintf(out, "%s\n\n| row | load | result | promise | |\n|---|---|---|---|---|\n", rig.Machine())
	var errs []error
	for _, r := range rows {
		if ctx.Err() != nil {
			break
		}
		results, err := r.run(ctx, l)
		for _, res := range results {
			fmt.Fprintf(out, "| %d | %s | %s | %s | %s |\n", r.n, res.what, res.got, res.promise, res.verdict())
			if res.broken {
				errs = append(errs, fmt.Errorf("row %d: %s: %s, promised %s", r.n, res.what, res.got, res.promise))
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("row %d: %w", r.n, err))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

func choose(numbers string) ([]row, error) {
	if numbers == "" {
		return rows[:], nil
	}
	var chosen []row
	for text := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.Atoi(text)
		i := slices.IndexFunc(rows[:], func(r row) bool { return r.n == n })
		if err != nil || i < 0 {
			return nil, fmt.Errorf("there is no row %q (see -list)", text)
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}

// A result is one observed figure.
type result struct {
	what, got, promise string
	broken             bool
}

func (r result) verdict() string {
	switch {
	case r.broken:
		return "broken"
	case r.promise == "":
		return ""
	}
	return "kept"
}

// told returns a figure that has no promise.
func told(what, format string, args ...any) result {
	return result{what: what, got: fmt.Sprintf(format, args...)}
}

// promised returns a figure with a promise, and whether it was kept.
func promised(what, promise string, kept bool, format string, args ...any) result {
	return result{what: what, got: fmt.Sprintf(format, args...), promise: promise, broken: !kept}
}
