package main

import (
	"math"
	"slices"
)

// A Machine is what one of a part is assumed to be. Its processors are as fast as those of the measurement.
type Machine struct {
	Cores  float64
	Log    float64 // bytes a second that its disk takes of the database's log; 0: no bound
	Disk   float64 // bytes; 0: no bound
	Linked float64 // nodes that can be connected to it; 0: no bound
}

// machines are assumed: a node of 8 processors, a database of 32 with 8 TB, a server for the bucket of 8, and Redis,
// which works on one.
var machines = map[string]Machine{
	nodes:    {Cores: 8},
	database: {Cores: 32, Log: 300e6, Disk: 8e12, Linked: 30},
	bucket:   {Cores: 8, Disk: 100e12},
	redis:    {Cores: 1},
}

// full is how busy a part may be: above it waits grow fast, and nothing is left for the death of a neighbour.
const full = 0.6

// Demand is what a load takes of everything.
type Demand struct {
	CPU  map[string]float64 // seconds of processor time in a second, by part
	Log  float64            // bytes a second of the database's log
	Disk map[string]float64 // bytes, by part
}

// Demand adds up rates and costs.
func (c Costs) Demand(l Load, rates map[Work]float64) Demand {
	d := Demand{CPU: map[string]float64{}, Disk: map[string]float64{}}
	for _, w := range works {
		for _, part := range parts {
			d.CPU[part] += rates[w] * c.of(w, part)
		}
		d.Log += rates[w] * c.Log[w]
	}
	d.Disk[database] = l.Projects * ((1-l.Large)*c.Stored.Database + l.Large*c.Stored.RowBytes())
	d.Disk[bucket] = l.Projects * l.Large * c.Stored.Bucket
	return d
}

// A Bound is one thing of which there is only so much, and how much of it is taken: 1 is all that may be.
type Bound struct {
	Part, What string
	Taken      float64
}

// Bounds tells how much of one machine of each part a demand takes, the most first. Nodes are not among them: they can
// be as many as one likes.
func (d Demand) Bounds(f Fleet) []Bound {
	var list []Bound
	for _, part := range parts[1:] {
		m := machines[part]
		list = append(list, Bound{part, "processors", d.CPU[part] / m.Cores / full})
		if m.Disk > 0 {
			list = append(list, Bound{part, "disk", d.Disk[part] / m.Disk / full})
		}
		if m.Log > 0 {
			list = append(list, Bound{part, "log", d.Log / m.Log / full})
		}
		if m.Linked > 0 {
			list = append(list, Bound{part, "connections", float64(f.Nodes) / m.Linked})
		}
	}
	slices.SortStableFunc(list, func(a, b Bound) int {
		switch {
		case a.Taken > b.Taken:
			return -1
		case a.Taken < b.Taken:
			return 1
		}
		return 0
	})
	return list
}

// A Plan is what carries a load.
type Plan struct {
	Fleet    Fleet
	Mix      Mix
	Rates    map[Work]float64
	Demand   Demand
	Bounds   []Bound
	Machines map[string]int // how many of each part
}

// Plan finds how many machines a load needs. What each node asks for by itself grows with their number, so it is
// looked for until it stays.
func (c Costs) Plan(l Load, byProject bool) Plan {
	p := Plan{Fleet: Fleet{Nodes: 2, ByProject: byProject}}
	for range 20 {
		z, n := l.node(p.Fleet)
		p.Mix = Replay(z, n, 1)
		p.Rates = l.Rates(p.Fleet, p.Mix)
		p.Demand = c.Demand(l, p.Rates)
		need := max(2, ceil(p.Demand.CPU[nodes]/machines[nodes].Cores/full))
		if need <= p.Fleet.Nodes {
			break
		}
		p.Fleet.Nodes = need
	}
	p.Bounds = p.Demand.Bounds(p.Fleet)
	p.Machines = map[string]int{nodes: p.Fleet.Nodes}
	for _, b := range p.Bounds {
		p.Machines[b.Part] = max(p.Machines[b.Part], 1, ceil(b.Taken))
	}
	return p
}

func ceil(x float64) int { return int(math.Ceil(x - 1e-9)) }

// Limit is by how much a load can grow, of everything alike, until one machine of a part other than nodes has no more
// to give, and which.
func (c Costs) Limit(l Load, byProject bool) (k float64, first Bound) {
	return c.limit(l.times, byProject)
}

func (c Costs) limit(load func(k float64) Load, byProject bool) (k float64, first Bound) {
	low, high := 0.0, 1.0
	at := func(k float64) Plan { return c.Plan(load(k), byProject) }
	for i := 0; at(high).Bounds[0].Taken < 1 && i < 40; i++ {
		low, high = high, high*2
	}
	for range 8 {
		if mid := (low + high) / 2; at(mid).Bounds[0].Taken < 1 {
			low = mid
		} else {
			high = mid
		}
	}
	return low, at(high).Bounds[0]
}

// Wait is how long a request waits for one of c processors on average, in times of what it takes itself, where they are
// busy for that part of the time: A. K. Erlang's formula for M/M/c. It is infinite from 1 on.
func Wait(processors int, busy float64) float64 {
	if busy >= 1 {
		return math.Inf(1)
	}
	offered := busy * float64(processors)
	blocked := 1.0 // Erlang's B, from one processor to the next
	for k := 1; k <= processors; k++ {
		blocked = offered * blocked / (float64(k) + offered*blocked)
	}
	waits := blocked / (1 - busy*(1-blocked))
	return waits / (float64(processors) * (1 - busy))
}
