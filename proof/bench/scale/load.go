package main

import "math"

// A Load describes the activity of people; all rates are per second. Figures that are not measured are assumed, and
// printed with the result.
type Load struct {
	Projects  float64 // stored projects
	Players   float64 // players at the same time
	Publishes float64 // new projects and updates together
	Searches  float64

	Updates float64 // the part of Publishes that are updates
	Large   float64 // the part of new projects whose file is too large for the database
	Stay    float64 // length of a player's visit in seconds
	Reads   float64 // requests for files in a visit
	Fetches float64 // the part of reads of bucket files that are not in a node's folder
	Skew    float64 // of Zipf: the i-th most popular project is played in proportion to 1/i^Skew
	Weight  float64 // bytes of a node's memory per project
}

// assumed holds the figures that nobody has measured, since no instance is that large.
var assumed = Load{Updates: 0.5, Large: 0.1, Stay: 300, Reads: 3, Fetches: 0.1, Skew: 0.9, Weight: 8 << 10}

// times returns the load multiplied by k.
func (l Load) times(k float64) Load {
	l.Projects, l.Players, l.Publishes, l.Searches = l.Projects*k, l.Players*k, l.Publishes*k, l.Searches*k
	return l
}

const (
	beat = 20.0 // seconds between two heartbeats of a player
	// The limits of a node: publish.DefaultProjects, the rooms of live/redis, and its memory for files.
	mostHeads = 20_000
	mostRooms = 10_000
	memory    = 64 << 20
)

func (l Load) plays() float64 { return l.Players / l.Stay }
func (l Load) reads() float64 { return l.plays() * l.Reads }

// A Fleet is the number of nodes, and whether the proxy sends each project's readers to one of them, by host name, or
// to any.
type Fleet struct {
	Nodes     int
	ByProject bool
}

// Rates returns the rate of each work in a second, with the mix that the replay found for one node.
func (l Load) Rates(f Fleet, m Mix) map[Work]float64 {
	created := l.Publishes * (1 - l.Updates)
	large := l.Large * l.reads() * l.Fetches
	small := l.reads() - large
	n := float64(f.Nodes)
	return map[Work]float64{
		Publish: created * (1 - l.Large), Large: created * l.Large, Update: l.Publishes * l.Updates,
		Hit: small, Ask: small * m.Ask, Miss: small * m.Miss, Fetch: large, Play: l.plays(),
		Heartbeat: l.Players / beat, Room: n * l.rooms(f), Confirm: n * m.Confirms, Search: l.Searches,
		Hint: l.Publishes * n, Idle: n,
	}
}

// rooms returns the number of projects for which one node queries Redis each second.
func (l Load) rooms(f Fleet) float64 {
	if l.Players == 0 || l.Projects < 1 {
		return 0
	}
	played := NewZipf(int(l.Projects), l.Skew).Distinct(l.Players)
	if f.ByProject {
		played /= float64(f.Nodes)
	}
	return math.Min(played, mostRooms)
}

// node returns the arguments of the replay of one node.
func (l Load) node(f Fleet) (Zipf, Node) {
	projects := l.Projects
	if f.ByProject {
		projects /= float64(f.Nodes)
	}
	reads := l.reads() / float64(f.Nodes)
	return NewZipf(max(1, int(projects)), l.Skew), Node{Places: int(memory / l.Weight), Heads: mostHeads, Reads: reads}
}
