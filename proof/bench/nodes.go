package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sandlot/proof/bench/rig"
)

// mostNodes is the limit of nodes on a set. They share the machine, too.
const mostNodes = 3

// A round is one measurement of nodes: the rate of requests in a second, and the processor time of each part for one.
type round struct {
	rate float64
	each map[string]time.Duration
}

// nodesRow compares one node on PostgreSQL, a bucket and Redis with one on a folder, and two and three nodes with one.
// The nodes, their servers and the clients share the processors of one machine: so the rate shows the cost of a node,
// and the processor time of each part shows the gain from another machine.
func nodesRow(ctx context.Context, b *bench) ([]line, error) {
	set, err := b.Set(ctx, b.tools)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, m := range []struct {
		what    string
		measure func(context.Context, *bench, *rig.Set, []*rig.Service) (round, error)
	}{
		{"publishes of 10 KiB, 64 clients", publishNodes},
		{"GET of 10 KiB, gzip", serveNodes},
	} {
		more, err := b.nodes(ctx, set, m.what, m.measure)
		if lines = append(lines, more...); err != nil {
			return lines, err
		}
	}
	return lines, set.Stop()
}

// nodes measures a folder and 1 to 3 nodes in turns.
func (b *bench) nodes(ctx context.Context, set *rig.Set, what string,
	measure func(context.Context, *bench, *rig.Set, []*rig.Service) (round, error),
) ([]line, error) {
	rounds := make([][]round, mostNodes+1) // the first is of the folder
	for range b.runs {
		for n := range rounds {
			rig.Settle()
			r, err := b.nodesRound(ctx, set, n, measure)
			if err != nil {
				return nil, fmt.Errorf("%s, %d nodes: %w", what, n, err)
			}
			rounds[n] = append(rounds[n], r)
		}
	}
	lines := []line{compareRounds(what+": 1 node with all three parts, against a folder", rounds[1], rounds[0])}
	for n := 2; n <= mostNodes; n++ {
		lines = append(lines, compareRounds(fmt.Sprintf("%s: %d nodes, against 1, on the same processors", what, n), rounds[n], rounds[1]))
	}
	for n, r := range rounds {
		name := fmt.Sprintf("processor time for each with nodes: %d", n)
		if n == 0 {
			name = "processor time for each with a folder"
		}
		lines = append(lines, line{what: what + ": " + name, ours: spent(r), unqualified: true})
	}
	return lines, nil
}

// nodesRound starts the nodes and measures them: on a folder if n is 0.
func (b *bench) nodesRound(ctx context.Context, set *rig.Set, n int,
	measure func(context.Context, *bench, *rig.Set, []*rig.Service) (round, error),
) (round, error) {
	var nodes []*rig.Service
	if n == 0 {
		s, err := b.Service(ctx, "", "--base-url", rig.NodesBase)
		if err != nil {
			return round{}, err
		}
		nodes = append(nodes, s)
	} else {
		on, err := set.Installation(ctx)
		if err != nil {
			return round{}, err
		}
		if nodes, err = b.Nodes(ctx, on, n); err != nil {
			return round{}, errors.Join(err, rig.RemoveAll(nodes))
		}
	}
	r, err := measure(ctx, b, set, nodes)
	return r, errors.Join(err, rig.RemoveAll(nodes))
}

// publishNodes lets 64 clients publish, each at one node.
func publishNodes(ctx context.Context, b *bench, set *rig.Set, nodes []*rig.Service) (round, error) {
	requests, err := smallRequests(ctx, nodes[0], smallClients, text(smallSize), "")
	if err != nil {
		return round{}, err
	}
	return spending(set.Parts(nodes), func() (rate float64, n int, err error) {
		t, err := rig.CrowdOf(ctx, addresses(nodes), smallClients, 0, b.limit, func(l *rig.Lane, c, _ int) error {
			_, err := l.Want(http.StatusCreated, requests[c])
			return err
		})
		return t.Rate(), len(t.All), err
	})
}

// serveNodes measures requests to all nodes for one page, after its compression.
func serveNodes(ctx context.Context, b *bench, set *rig.Set, nodes []*rig.Service) (round, error) {
	key, err := nodes[0].Signup(ctx, "serve@example.com")
	if err != nil {
		return round{}, err
	}
	project, err := nodes[0].Publish(ctx, key, text(smallSize))
	if err != nil {
		return round{}, err
	}
	p := page{host: project + "." + rig.NodesHost}
	var urls []string
	for _, s := range nodes {
		if err := p.read(ctx, s.Addr); err != nil {
			return round{}, err
		}
		urls = append(urls, "http://"+s.Addr+"/")
	}
	return spending(set.Parts(nodes), func() (float64, int, error) {
		rate, err := rig.WrkAll(ctx, b.limit, urls, "Host: "+p.host, "Accept-Encoding: gzip")
		return rate, int(rate * b.limit.Seconds()), err
	})
}

func addresses(nodes []*rig.Service) (list []string) {
	for _, s := range nodes {
		list = append(list, s.Addr)
	}
	return list
}

// spending measures the processor time of the parts while do runs, which returns a rate and a number of requests.
func spending(parts []rig.Part, do func() (float64, int, error)) (round, error) {
	before, err := rig.Used(parts)
	if err != nil {
		return round{}, err
	}
	rate, n, err := do()
	if err != nil {
		return round{}, err
	}
	after, err := rig.Used(parts)
	r := round{rate: rate, each: map[string]time.Duration{}}
	for name, t := range after.Since(before) {
		r.each[name] = t / time.Duration(max(n, 1))
	}
	return r, err
}

func compareRounds(what string, ours, yard []round) line {
	var o, y, ratios []float64
	for i := range ours {
		o, y, ratios = append(o, ours[i].rate), append(y, yard[i].rate), append(ratios, ours[i].rate/yard[i].rate)
	}
	return line{
		what: what, ours: fmt.Sprintf("%.0f /s", median(o)), yard: fmt.Sprintf("%.0f /s", median(y)), ratio: median(ratios),
		unqualified: true,
	}
}

// spent formats the median processor time of each part that used any.
func spent(rounds []round) string {
	var told []string
	for _, name := range []string{"nodes", "PostgreSQL", "bucket", "Redis"} {
		var of []float64
		for _, r := range rounds {
			of = append(of, float64(r.each[name].Nanoseconds())/1e3)
		}
		if m := median(of); m >= 0.5 {
			told = append(told, fmt.Sprintf("%s %.0f µs", name, m))
		}
	}
	return strings.Join(told, ", ")
}
