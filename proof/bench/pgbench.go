package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sandlot/proof/bench/rig"
)

// publishScript holds statements that record the rows of a publish into an account, in the fewest messages.
//
//go:embed publish.pgbench
var publishScript []byte

// publishTrips is the limit of round trips of a publish.
const publishTrips = 6

// pgbenchRow compares publishes at one node with pgbench inserting the same rows into the same tables of the same
// server, and with the round trips alone. The node also compresses the content, so it is measured with incompressible
// content, too.
func pgbenchRow(ctx context.Context, b *bench) ([]line, error) {
	set, err := b.Set(ctx, b.tools)
	if err != nil {
		return nil, err
	}
	uncompressed := "," + rig.JSON("filename", "level.bin")
	var lines []line
	for _, of := range []struct {
		name, more string
		reach      float64
	}{
		{"durable publishes of 10 KiB that is not compressed, 64 clients, against pgbench", uncompressed, 0.5},
		{"the same of text, which the node compresses beside", "", 0},
	} {
		p, err := b.pairs(
			func() (float64, error) { return b.publishOnSet(ctx, set, of.more) },
			func() (float64, error) { return b.pgbench(ctx, set, of.more) })
		if err != nil {
			return lines, err
		}
		lines = append(lines, p.line(of.name, "/s", of.reach))
	}
	p, err := b.pairs(
		func() (float64, error) { return b.publishOnSet(ctx, set, uncompressed) },
		func() (float64, error) { return bareTrips(ctx, set, b.limit) })
	if err != nil {
		return lines, err
	}
	return append(lines, p.line("the first, against six bare round trips", "/s", 0)), set.Stop()
}

// onNode runs one node on an empty database.
func (b *bench) onNode(ctx context.Context, set *rig.Set, do func(on *rig.Shared, s *rig.Service) error) error {
	on, err := set.Installation(ctx)
	if err != nil {
		return err
	}
	nodes, err := b.Nodes(ctx, on, 1)
	if err == nil {
		err = do(on, nodes[0])
	}
	return errors.Join(err, rig.RemoveAll(nodes))
}

func (b *bench) publishOnSet(ctx context.Context, set *rig.Set, more string) (rate float64, err error) {
	err = b.onNode(ctx, set, func(_ *rig.Shared, s *rig.Service) error {
		of, err := smallRequests(ctx, s, smallClients, text(smallSize), more)
		if err != nil {
			return err
		}
		wait := s.Profile("pgbench", int(b.limit.Seconds()))
		t, err := rig.Crowd(ctx, s.Addr, smallClients, 0, b.limit, func(l *rig.Lane, c, _ int) error {
			_, err := l.Want(http.StatusCreated, of[c])
			return err
		})
		rate = t.Rate()
		return errors.Join(err, wait())
	})
	return rate, err
}

var pgbenchRate = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

// pgbench returns the transactions in a second of as many clients, on tables and accounts made by a node.
func (b *bench) pgbench(ctx context.Context, set *rig.Set, more string) (float64, error) {
	var database string
	if err := b.onNode(ctx, set, func(on *rig.Shared, s *rig.Service) error {
		database = on.Database
		_, err := smallRequests(ctx, s, smallClients, text(smallSize), more)
		return err
	}); err != nil {
		return 0, err
	}
	dir, err := b.Folder("pgbench")
	if err != nil {
		return 0, err
	}
	script := filepath.Join(dir, "publish.pgbench")
	if err := os.WriteFile(script, publishScript, 0o600); err != nil {
		return 0, err
	}
	bin, err := rig.PostgresPrograms()
	if err != nil {
		return 0, err
	}
	out,
		err := exec.CommandContext(ctx, filepath.Join(bin, "pgbench"), "--no-vacuum", "--protocol=prepared",
		"--client="+strconv.Itoa(smallClients), "--jobs=2",
		"--time="+strconv.Itoa(max(1, int(b.limit.Seconds()))), "--define=content="+strings.ReplaceAll(string(text(smallSize)), "\n",
			" "), "--file="+script, database).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w\n%.2000s", err, out)
	}
	rate := pgbenchRate.FindSubmatch(out)
	if rate == nil || strings.Contains(string(out), "ERROR") {
		return 0, fmt.Errorf("pgbench:\n%.2000s", out)
	}
	return strconv.ParseFloat(string(rate[1]), 64)
}

// bareTrips returns how often in a second as many clients, each on a connection of its own, make the round trips of a
// publish, with statements that do nothing: the upper limit set by the way to the database.
func bareTrips(ctx context.Context, set *rig.Set, limit time.Duration) (float64, error) {
	on, err := set.Installation(ctx)
	if err != nil {
		return 0, err
	}
	counts := make([]int, smallClients)
	g, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for c := range counts {
		g.Go(func() error {
			conn, err := pgx.Connect(ctx, on.Database)
			if err != nil {
				return err
			}
			defer conn.Close(ctx)
			for time.Since(began) < limit {
				for range publishTrips {
					if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
						return err
					}
				}
				counts[c]++
			}
			return nil
		})
	}
	err = g.Wait()
	n := 0
	for _, c := range counts {
		n += c
	}
	return float64(n) / time.Since(began).Seconds(), err
}
