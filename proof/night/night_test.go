package night

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/trial"
	"sandlot/internal/domain/trial/browser"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/proof/night/corpus"
)

// The hours of a night. It begins on a Friday at 18:00 and ends on Monday at 6:00.
var friday = time.Date(2026, 6, 12, 18, 0, 0, 0, time.UTC)

const (
	published = time.Hour       // all pages are published within it
	asleep    = 60 * time.Hour  // nobody is awake for so long
	lookEvery = time.Minute     // as visitors in the first hours
	watched   = 12 * time.Hour  // these hours; later they look every tenth minute
	pollEvery = 3 * time.Second // as the play-tester
	mailEvery = 15 * time.Second
)

// A scene holds the pages and people of a night.
type scene struct {
	habits
	seed             uint64
	watched          time.Duration // in which visitors look every minute
	phishing, honest []corpus.Page
	browser          func(browser.Origin) trial.Browser // nil: no play-tester
}

// A night runs a scene.
type night struct {
	*instance
	agenda
	scene
	t *testing.T

	all       []*resident
	byID      map[string]*resident // by project
	byEmail   map[string]*resident // by address
	old       *resident            // an honest maker whose address was verified 40 days before
	moderator sandlot.Account
	runner    *trial.Runner // nil: no play-tester
	testing   bool
	looks     int
	reporters int
}

// pass lets a night pass, until Monday.
func pass(t *testing.T, parts testworld.Option, s scene) *night {
	t.Helper()
	x := open(t, parts)
	n := &night{
		instance: x, agenda: agenda{clock: x.Clock}, scene: s, t: t,
		byID: map[string]*resident{}, byEmail: map[string]*resident{},
	}
	n.settle()
	n.moveTo(friday)
	n.hireTester()
	n.arrive()
	end := friday.Add(asleep)
	n.every(mailEvery, friday.Add(6*time.Hour), n.post)
	n.every(time.Hour, end, n.post)
	n.every(lookEvery, friday.Add(n.watched), n.lookAtAll)
	n.at(friday.Add(n.watched), func() { n.every(30*lookEvery, end, n.lookAtAll) })
	n.run(end)
	n.lookAtAll()
	return n
}

func (n *night) lookAtAll() {
	for _, r := range n.all {
		n.look(r)
	}
}

// of returns a source of randomness for one thing.
func (n *night) of(what string, i int) *rand.Rand {
	return rand.New(rand.NewPCG(n.seed, uint64(len(what))<<32+uint64(what[0])<<24+uint64(i)))
}

// settle makes the moderator and an honest maker, both verified 40 days before the night.
func (n *night) settle() {
	n.moveTo(friday.Add(-40 * 24 * time.Hour))
	mod := &resident{Page: honest[0], network: address(ofMakers, 9_000), email: "mod@mail.internal", proves: time.Second}
	n.old = &resident{Page: honest[0], network: address(ofMakers, 9_001), email: "old@mail.internal", proves: time.Second}
	for _, r := range []*resident{mod, n.old} {
		n.byEmail[r.email] = r
		n.publish(r)
	}
	n.post()
	n.run(n.clock.Now().Add(time.Minute))
	p, err := n.Served.Publish().Project(n.t.Context(), sandlot.ProjectID(mod.id))
	expect.OK(n.t, err)
	a, err := n.Served.Publish().Account(n.t.Context(), p.Account)
	expect.OK(n.t, err)
	expect.Equal(n.t, "that the moderator is verified", a.EmailVerified, true)
	_, err = n.operate.Grant(n.t.Context(), sandlot.AsOperator("kay"), "@"+a.Handle, sandlot.ModeratorRole, false, "")
	expect.OK(n.t, err)
	n.moderator = a
	n.old.sight = sight{}
}

// arrive plans when everybody publishes within the hour. Crews come from few networks; of the honest makers, two in five sit in schools
// with ten behind one address.
func (n *night) arrive() {
	n.all = append(n.all, n.old)
	n.look(n.old)
	for i, p := range n.phishing {
		draw := n.of("crew", i)
		r := &resident{Page: p, number: i, crew: true, network: address(ofCrews, draw.IntN(n.crewNetworks)), networks: map[string]bool{}}
		r.email = fmt.Sprintf("t%d@drop%d.mail.internal", i, draw.IntN(30))
		if draw.Float64() < n.crewVerifies {
			r.proves = time.Duration(10+draw.IntN(50)) * time.Second
		}
		n.join(r, draw)
	}
	for i, p := range n.honest {
		draw := n.of("maker", i)
		r := &resident{Page: p, number: i, network: address(ofMakers, i), email: fmt.Sprintf("maker%d@mail.internal", i), networks: map[string]bool{}}
		if i%5 < 2 {
			r.network = address(ofMakers, 8_000+i/25)
		}
		if draw.Float64() < n.honestProves {
			r.proves = delay(draw, honestMail)
		}
		at := n.join(r, draw)
		for which := range 1 + draw.IntN(3) {
			at = at.Add(delay(draw, 12*time.Minute))
			n.at(at, func() { n.update(r, which) })
		}
	}
	n.mistakes()
}

// join plans when a resident publishes.
func (n *night) join(r *resident, draw *rand.Rand) time.Time {
	n.all = append(n.all, r)
	n.byEmail[r.email] = r
	at := friday.Add(time.Duration(draw.Int64N(int64(published))))
	n.at(at, func() { n.publish(r) })
	return at
}

// mistakes plans wrong reports: one or two people are wrong about every twentieth honest game, and in the third hour crowds attack
// two makers.
func (n *night) mistakes() {
	makers := n.makers()
	for i := 3; i < len(makers); i += 20 {
		for k := range 1 + i/20%2 {
			n.at(friday.Add(2*time.Hour+time.Duration(i+k*25)*time.Minute), func() {
				n.reporters++
				n.byForm(n.t, makers[i].id, address(ofReporters, n.reporters), "deceptive", makers[i].words(k))
				n.look(makers[i])
			})
		}
	}
	n.at(friday.Add(3*time.Hour), func() { n.attack(n.old) })
	if attacked := n.attacked(); attacked != nil {
		attacked.proves = 0
		n.at(friday.Add(3*time.Hour), func() { n.attack(attacked) })
	}
}

// attacked returns the new maker that a crowd attacks: the first without a field for a password.
func (n *night) attacked() *resident {
	for _, r := range n.makers() {
		if !r.Password {
			return r
		}
	}
	return nil
}

// makers returns the new honest makers.
func (n *night) makers() (list []*resident) {
	for _, r := range n.all {
		if !r.crew && r != n.old {
			list = append(list, r)
		}
	}
	return list
}

// crews returns the residents that publish phishing pages.
func (n *night) crews() (list []*resident) {
	for _, r := range n.all {
		if r.crew {
			list = append(list, r)
		}
	}
	return list
}

// hireTester starts the play-tester, if there is one.
func (n *night) hireTester() {
	n.tester.Off = n.browser == nil
	if n.tester.Off {
		return
	}
	b := &timed{night: n, Browser: n.browser(n.instance), known: map[sandlot.Digest]opened{}}
	expect.OK(n.t, b.Probe(n.t.Context()))
	n.runner = &trial.Runner{
		Store: n.Served.Trials(), Projects: n.Publish.Reader, Browser: b,
		Turn: trial.NewTurn(), Status: n.tester, Log: n.Log, Failures: &worker.Failures{}, Counts: &trial.Counts{}, Public: true,
	}
	n.test()
}
