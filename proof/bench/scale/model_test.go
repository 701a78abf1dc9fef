package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"sandlot/internal/testkit/testenv"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*math.Max(math.Abs(want), 1e-12) {
		t.Errorf("%s is %g, and not %g", what, got, want)
	}
}

func TestSharesAddUpToOne(t *testing.T) {
	for _, n := range []int{1, 7, 1000, exact, exact + 1, 3_000_000} {
		for _, s := range []float64{0.7, 0.9, 1, 1.2} {
			near(t, "the sum of all shares", NewZipf(n, s).Sum(func(p float64) float64 { return p }), 1, 1e-9)
		}
	}
}

func TestAStretchOfRanksIsWhatItsRanksAre(t *testing.T) {
	z := NewZipf(exact*5, 0.9)
	var sum float64
	for k := 1; k <= exact*5; k++ {
		sum += math.Pow(float64(k), -0.9)
	}
	near(t, "the sum of the weights", z.total, sum, 1e-8)
}

func TestProjectsAreDrawnInProportionToTheirShare(t *testing.T) {
	for _, s := range []float64{0.7, 1, 1.3} {
		const projects, draws = 50, 400_000
		z, r, seen := NewZipf(projects, s), rand.New(rand.NewPCG(1, 2)), [projects + 1]float64{}
		for range draws {
			seen[z.Draw(r)]++
		}
		for k := 1; k <= projects; k++ {
			// Five standard deviations of a fixed row of numbers.
			if want := z.Share(k) * draws; math.Abs(seen[k]-want) > 5*math.Sqrt(want) {
				t.Errorf("with a skew of %g project %d came %g times, and not %.0f", s, k, seen[k], want)
			}
		}
	}
}

func TestACacheForAllProjectsHitsAlways(t *testing.T) {
	near(t, "the part of reads from memory", 1-Replay(NewZipf(500, 0.9), Node{Places: 500, Heads: 500, Reads: 1000}, 1).Miss, 1,
		0.01) // the rarest are new
}

func TestWhatIsReadOftenIsConfirmedAndNotAskedFor(t *testing.T) {
	often := Replay(NewZipf(100, 0.9), Node{Places: 100, Heads: 100, Reads: 10_000}, 1)
	near(t, "the part of reads without a question", often.Hit, 1, 1e-3)
	near(t, "the heads confirmed in a second", often.Confirms, 100/confirmEvery, 0.05)
	rarely := Replay(NewZipf(100, 0.9), Node{Places: 100, Heads: 100, Reads: 1}, 1)
	if rarely.Ask < 0.8 {
		t.Errorf("%g of reads a second apart are asked for", rarely.Ask)
	}
}

// flat are costs of which each is another, so that none can stand for another.
func flat() Costs {
	c := Costs{CPU: map[Work]map[string]float64{}, Log: map[Work]float64{}, Stored: Stored{
		Database: 30e3, Bucket: 400e3, Rows: map[string]Table{"projects": {Table: 100, Indexes: map[string]float64{"key": 50}}},
	}}
	for i, w := range works {
		c.CPU[w], c.Log[w] = map[string]float64{}, float64(i)
		for j, part := range parts {
			c.CPU[w][part] = float64(1 + i*len(parts) + j)
		}
	}
	return c
}

func someLoad() Load {
	l := assumed
	l.Projects, l.Players, l.Publishes, l.Searches = 1e5, 1e4, 50, 20
	return l
}

func TestDemandIsLoadTimesCosts(t *testing.T) {
	c, l := flat(), someLoad()
	m := Mix{Hit: 0.5, Ask: 0.3, Miss: 0.2, Confirms: 100}
	rates := l.Rates(Fleet{Nodes: 3}, m)
	d := c.Demand(l, rates)
	for j, part := range parts {
		var want float64
		for i, w := range works {
			want += rates[w] * float64(1+i*len(parts)+j) / 1e6
		}
		near(t, "the processor time of "+part, d.CPU[part], want, 1e-12)
	}
	near(t, "all publishes", rates[Publish]+rates[Large]+rates[Update], l.Publishes, 1e-12)
	near(t, "all reads", rates[Hit]+rates[Fetch], l.Players/l.Stay*l.Reads, 1e-12)
	near(t, "heartbeats", rates[Heartbeat], l.Players/beat, 1e-12)
	near(t, "the database's disk", d.Disk[database], l.Projects*(0.9*30e3+0.1*150), 1e-12)
	near(t, "the bucket's disk", d.Disk[bucket], l.Projects*0.1*400e3, 1e-12)
}

func TestSoakAPlanCarriesItsLoad(t *testing.T) {
	testenv.Unraced(t)
	c := flat()
	last := map[string]int{}
	for _, k := range []float64{0.1, 10, 300} {
		p := c.Plan(someLoad().times(k), false)
		for _, part := range parts {
			if busy := p.Demand.CPU[part] / machines[part].Cores / float64(p.Machines[part]); busy > full+1e-9 {
				t.Errorf("%g times the load: %s is busy for %.2f of the time", k, part, busy)
			}
			if p.Machines[part] < last[part] {
				t.Errorf("%g times the load needs less of %s", k, part)
			}
			last[part] = p.Machines[part]
		}
	}
}

func TestSoakTheLimitIsWhereTheFirstPartIsFull(t *testing.T) {
	testenv.Unraced(t)
	c := flat()
	k, first := c.Limit(someLoad(), false)
	if k <= 0 || first.Taken < 1 || first.Taken > 1.2 {
		t.Errorf("at %g times the load %+v", k, first)
	}
	if under := c.Plan(someLoad().times(k*0.9), false).Bounds[0]; under.Taken >= 1 {
		t.Errorf("below the limit: %+v", under)
	}
}

func TestWaitsFollowErlang(t *testing.T) {
	near(t, "the wait for one processor", Wait(1, 0.5), 1, 1e-12) // rho / (1 - rho)
	near(t, "the wait for one busy processor", Wait(1, 0.9), 9, 1e-9)
	near(t, "the wait for two processors", Wait(2, 0.5), 1.0/3, 1e-12) // rho^2 / (1 - rho^2)
	if !math.IsInf(Wait(4, 1), 1) || Wait(8, 0.6) >= Wait(4, 0.6) || Wait(4, 0.6) >= Wait(4, 0.7) {
		t.Error("waits do not grow with what is busy, or do not fall with processors")
	}
}

func TestTheMeasuredCostsCanBeRead(t *testing.T) {
	c, err := readCosts("")
	if err != nil {
		t.Fatal(err)
	}
	if c.Date == "" || c.Machine == "" || c.Commit == "" || c.Stored.Database <= 0 || c.Stored.RowBytes() <= 0 {
		t.Errorf("not all is told: %+v", c)
	}
	for _, w := range works {
		var sum float64
		for _, part := range parts {
			sum += c.of(w, part)
		}
		if sum <= 0 {
			t.Errorf("%s costs nothing", w)
		}
	}
	for _, w := range []Work{Publish, Update, Large} {
		if c.Log[w] <= 0 {
			t.Errorf("%s has %g bytes of log", w, c.Log[w])
		}
	}
}
