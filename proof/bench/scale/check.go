package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	checkedProjects = 20_000
	// checkedMemory is the least memory that a node accepts, so that many of the projects do not fit.
	checkedMemory = 1 << 20
	// seededWeight is the memory of a seeded project: its list and its bytes, as play weighs them.
	seededWeight = 1_870
)

// driven is the load of the check, per second: about half of the capacity of two processors.
var driven = []struct {
	work Work
	rate float64
}{{Hit, 1200}, {Play, 120}, {Heartbeat, 600}, {Publish, 20}, {Update, 20}, {Large, 2}, {Search, 6}}

// check puts three nodes under a skewed load and prints the processor time of each part beside the model's. The model
// gets the amount of each work, and finds by itself how many reads miss, and which work nodes do by themselves.
func check(ctx context.Context, r *rig.Rig, tools string, c Costs, limit time.Duration, out io.Writer) error {
	s, err := newStand(ctx, r, tools, checkedProjects, "--cache-size", "1MiB")
	if err != nil {
		return err
	}
	z := NewZipf(checkedProjects, assumed.Skew)
	s.log("memories fill")
	if _, err := s.drive(ctx, z, 20*time.Second); err != nil {
		return errors.Join(err, s.close())
	}
	s.log("%s of load", limit)
	var done map[Work]float64
	got, err := s.during(ctx, func() (err error) {
		if done, err = s.drive(ctx, z, limit); err == nil {
			err = s.settle(ctx)
		}
		return err
	})
	if err == nil {
		compare(out, c, z, got, done)
	}
	return errors.Join(err, s.close())
}

// drive sends the load, each request at its time or as soon after it as a client is free, and counts the works.
func (s *stand) drive(ctx context.Context, z Zipf, limit time.Duration) (map[Work]float64, error) {
	var all float64
	for _, d := range driven {
		all += d.rate
	}
	step := time.Duration(float64(time.Second) * clients / all)
	counts := make([]map[Work]float64, clients)
	random := make([]*rand.Rand, clients)
	for c := range clients {
		counts[c], random[c] = map[Work]float64{}, rand.New(rand.NewPCG(uint64(c), 5))
	}
	began := time.Now()
	_, err := rig.CrowdOf(ctx, s.addresses(), clients, 0, limit, func(l *rig.Lane, c, i int) error {
		if wait := time.Until(began.Add(time.Duration(i) * step)); wait > 0 {
			if err := sleep(ctx, wait); err != nil {
				return err
			}
		}
		at := random[c].Float64() * all
		for _, d := range driven {
			if at -= d.rate; at < 0 {
				counts[c][d.work]++
				return s.one(l, d.work, c, z, random[c])
			}
		}
		return nil
	})
	sum := map[Work]float64{}
	for _, of := range counts {
		for w, n := range of {
			sum[w] += n
		}
	}
	return sum, err
}

var newVisitors atomic.Int64

// one performs one work.
func (s *stand) one(l *rig.Lane, w Work, c int, z Zipf, r *rand.Rand) error {
	project := rig.SeededProject(z.Draw(r) - 1)
	status, request := http.StatusOK, []byte(nil)
	switch w {
	case Play:
		request = read(project, fmt.Sprintf("User-Agent: checker %d\r\n", newVisitors.Add(1)))
	case Heartbeat:
		status, request = http.StatusNoContent, heartbeat(project, r.IntN(12_000))
	case Publish:
		status, request = http.StatusCreated, s.write("/v1/publish", c, newContent(smallSize), "")
	case Update:
		request = s.write("/v1/update", c, newContent(smallSize), s.updated(c))
	case Large:
		status, request = http.StatusCreated, s.write("/v1/publish", c, newContent(largeSize), "")
	case Search:
		request = rig.Get("/?q=seeded", rig.NodesHost, "")
	default:
		request = read(project, "")
	}
	_, err := l.Want(status, request)
	return err
}

// compare prints the measured figures beside the model's.
func compare(out io.Writer, c Costs, z Zipf, got sample, done map[Work]float64) {
	took := got.took.Seconds()
	reads := (done[Hit] + done[Play]) / took
	mix := Replay(z, Node{Places: checkedMemory / seededWeight, Heads: mostHeads, Reads: reads / measuredNodes}, 1)
	rates := map[Work]float64{}
	for w, n := range done {
		rates[w] = n / took
	}
	rates[Hit] = reads
	rates[Ask], rates[Miss], rates[Confirm] = reads*mix.Ask, reads*mix.Miss, measuredNodes*mix.Confirms
	rates[Room] = measuredNodes * min(mostRooms, z.Distinct(done[Heartbeat]/took*presence))
	rates[Hint], rates[Idle] = measuredNodes*(rates[Publish]+rates[Update]+rates[Large]), measuredNodes
	d := c.Demand(Load{}, rates)
	fmt.Fprintf(out, "%s, costs of %s at %s\n\n", rig.Machine(), c.Date, c.Commit)
	fmt.Fprintf(out, "In %.0f s: %.0f reads (by the model %.2f from memory, %.2f asked for, %.2f missed), %.0f publishes and updates, %.0f heartbeats, %.0f searches.\n\n",
		took, done[Hit]+done[Play], mix.Hit, mix.Ask, mix.Miss, done[Publish]+done[Update]+done[Large], done[Heartbeat], done[Search])
	fmt.Fprint(out, "| part | measured | by the model | ratio |\n|---|---|---|---|\n")
	for _, part := range parts {
		measured := got.cpu[part].Seconds() / took
		fmt.Fprintf(out, "| %s | %.3f of a processor | %.3f | %.2f |\n", part, measured, d.CPU[part], d.CPU[part]/measured)
	}
	fmt.Fprintf(out, "| the database's log | %.0f KiB/s | %.0f KiB/s | %.2f |\n", got.log/took/1024, d.Log/1024, d.Log*took/got.log)
}

// presence is gallery.Presence: for so many seconds after a heartbeat nodes query a project's players.
const presence = 45
