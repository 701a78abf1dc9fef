package main

import (
	"math"
	"slices"
)

// A Machine holds the assumed capacity of one machine of a part. Its processors are as fast as those of the
// measurement.
type Machine struct {
	Cores  float64
	Log    float64 // bytes a second of the database's log that its disk can write; 0: no limit
	Disk   float64 // bytes; 0: no limit
	Linked float64 // nodes that can be connected to it; 0: no limit
}

// machines are assumed: a node of 8 processors, a database of 32 with 8 TB, a server for the bucket of 8, and Redis,
// which uses one.
var machines = map[string]Machine{
	nodes:    {Cores: 8},
	database: {Cores: 32, Log: 300e6, Disk: 8e12, Linked: 30},
	bucket:   {Cores: 8, Disk: 100e12},
	redis:    {Cores: 1},
}

// full is the highest permitted use of a part: above it waits grow fast, and nothing is left for the loss of a
// neighbour.
const full = 0.6

// Demand holds the resources that a load takes.
type Demand struct {
	CPU  map[string]float64 // seconds of processor time in a second, by part
	Log  float64            // bytes a second of the database's log
	Disk map[string]float64 // bytes, by part
}

// Demand returns the sum of the costs at these rates.
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

// A Bound is a limited resource, with the used part of it: 1 is all that is permitted.
type Bound struct {
	Part, What string
	Taken      float64
}

// Bounds returns the used part of one machine of each part, highest first. Nodes are left out, since their number is
// free.
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

// A Plan is the set of machines for a load.
type Plan struct {
	Fleet    Fleet
	Mix      Mix
	Rates    map[Work]float64
	Demand   Demand
	Bounds   []Bound
	Machines map[string]int // number of machines by part
}

// Plan returns the machines that a load needs. The work that each node causes by itself grows with their number, so
// Plan repeats until the number is stable.
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

// Limit returns the factor by which a load can grow, all of it alike, until one machine of a part other than nodes is
// full, and the bound that it meets.
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

// Wait returns the average wait of a request for one of c processors, as a multiple of its own time, if the processors
// are busy for that part of the time: A. K. Erlang's formula for M/M/c. It is infinite from 1 on.
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
