package cluster

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// A fault is one kind of what goes wrong. It has ended when do returns.
type fault struct {
	kind string
	do   func(r *run, random *rand.Rand)
}

// faults are all kinds. A run has each of them.
func faults() []fault {
	return []fault{
		{"a node is killed", func(r *run, random *rand.Rand) { r.endNode(random, (*run).killNode) }},
		{"a node is stopped", func(r *run, random *rand.Rand) { r.endNode(random, (*run).stopNode) }},
		{"PostgreSQL is stopped", func(r *run, random *rand.Rand) {
			r.endServer(random, "PostgreSQL is stopped", r.postgres, (*testenv.Private).Stop)
		}},
		{"PostgreSQL is killed", func(r *run, random *rand.Rand) {
			r.endServer(random, "PostgreSQL is killed", r.postgres, (*testenv.Private).Kill)
		}},
		{"answers to commits are lost", (*run).loseCommits},
		{"Redis is killed", func(r *run, random *rand.Rand) {
			r.endServer(random, "Redis is killed", r.redis, (*testenv.Private).Kill)
		}},
		{"Redis stands still", (*run).pauseRedis},
		{"Redis is flushed", (*run).flushRedis},
		{"the store is killed", func(r *run, random *rand.Rand) {
			r.endServer(random, "the store is killed", r.store, (*testenv.Private).Kill)
		}},
		{"the store says 500", func(r *run, random *rand.Rand) { r.failStore(random, "the store says 500", storeSays500) }},
		{"the store is slow", func(r *run, random *rand.Rand) { r.failStore(random, "the store is slow", storeSlow) }},
		{"the store drops connections", func(r *run, random *rand.Rand) { r.failStore(random, "the store drops connections", storeDrops) }},
		{"an answer to a PUT is lost", (*run).losePut},
		{"answers to clients are lost", (*run).loseAnswers},
	}
}

// spoil has one fault after another until the time is over, in an order that the seed draws. On a machine that is slow it takes longer:
// until
// each has happened. It ends at once when something is wrong.
func (r *run) spoil(random *rand.Rand) {
	list := faults()
	pause := min(r.length/time.Duration(3*len(list)), 2*time.Second)
	for round := 0; round == 0 || time.Since(r.begun) < r.length; round++ {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, f := range list {
			testenv.Wait(r.t, time.Duration(random.Int64N(int64(pause))), "the nodes are well for a while")
			if round > 0 && time.Since(r.begun) >= r.length {
				break
			}
			if r.over() {
				return
			}
			f.do(r, random)
		}
	}
	for _, f := range list {
		if r.kinds[f.kind] == 0 {
			r.wrong("it did not happen that %s", f.kind)
		}
	}
}

func (r *run) endNode(random *rand.Rand, end func(*run, *node)) {
	n := random.IntN(nodeCount)
	end(r, r.nodes[n])
	r.reached(func() bool { return r.front.red[n].Load() }, "the balancer leaves node %d out", n+1)
	testenv.Wait(r.t, time.Duration(random.Int64N(int64(time.Second))), "the others are alone")
	r.nodes[n].again(r.t)
}

func (r *run) killNode(n *node) {
	r.did("a node is killed", fmt.Sprint("at ", n.addr))
	n.kill(r.t)
}

func (r *run) stopNode(n *node) {
	r.did("a node is stopped", fmt.Sprint("at ", n.addr))
	n.stop(r.t)
}

// endServer ends a server for up to a second.
func (r *run) endServer(random *rand.Rand, kind string, p *testenv.Private, end func(*testenv.Private, testing.TB)) {
	r.did(kind, "")
	if p == r.postgres {
		defer r.blind()()
		defer r.wrongFor(ofDatabase)()
	}
	if p == r.store {
		defer r.wrongFor(ofStore)()
	}
	end(p, r.t)
	testenv.Wait(r.t, time.Duration(random.Int64N(int64(time.Second))), "the nodes are without a server")
	p.Start(r.t)
}

// faultWait is how long the load may take to reach a fault that lies in its way.
const faultWait = time.Minute

// reached waits until the load has reached a fault.
func (r *run) reached(done func() bool, what string, args ...any) {
	if !testenv.Poll(faultWait, func() bool { return done() || r.over() }) {
		r.wrong("within %v it did not happen that "+what, append([]any{faultWait}, args...)...)
	}
}

// loseCommits has some steps happen of which the node learns nothing.
func (r *run) loseCommits(random *rand.Rand) {
	defer r.wrongFor(ofDatabase)()
	before, n := r.wire.cuts.Load(), 1+random.Int32N(6)
	r.wire.armed.Store(n)
	r.reached(func() bool { return r.wire.cuts.Load() >= before+n }, "the answer to each of %d commits is lost", n)
	r.did("answers to commits are lost", fmt.Sprint(n))
}

func (r *run) pauseRedis(random *rand.Rand) {
	r.did("Redis stands still", "")
	r.redis.Pause(r.t)
	testenv.Wait(r.t, time.Duration(random.Int64N(int64(2*time.Second))), "Redis answers nothing")
	r.redis.Resume(r.t)
}

func (r *run) flushRedis(*rand.Rand) {
	at, err := url.Parse(r.redis.URL())
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := net.Dial("tcp", at.Host)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "FLUSHALL\r\n"); err != nil {
		r.t.Fatal(err)
	}
	answer := make([]byte, len("+OK"))
	if _, err := io.ReadFull(c, answer); err != nil || string(answer) != "+OK" {
		r.t.Errorf("FLUSHALL was answered %q, %v", answer, err)
	}
	r.did("Redis is flushed", "")
}

func (r *run) failStore(random *rand.Rand, kind string, mode int32) {
	defer r.wrongFor(ofStore)()
	before := r.bucket.spoil.Load()
	r.bucket.mode.Store(mode)
	testenv.Wait(r.t, time.Duration(random.Int64N(int64(2*time.Second))), "the store fails")
	r.reached(func() bool { return r.bucket.spoil.Load() > before }, "a request meets that %s", kind)
	r.bucket.mode.Store(storeWell)
	r.did(kind, fmt.Sprintf("to %d requests", r.bucket.spoil.Load()-before))
}

func (r *run) losePut(*rand.Rand) {
	defer r.wrongFor(ofStore)()
	before := r.bucket.lost.Load()
	r.bucket.lose.Store(1)
	r.reached(func() bool { return r.bucket.lost.Load() > before }, "an answer to a PUT is lost")
	r.bucket.lose.Store(0)
	r.did("an answer to a PUT is lost", "")
}

// loseAnswers has some calls answered of which the client learns nothing.
func (r *run) loseAnswers(random *rand.Rand) {
	before, n := r.lost.Load(), 1+random.Int32N(6)
	r.lose.Store(n)
	r.reached(func() bool { return r.lost.Load() >= before+n }, "each of %d answers to clients is lost", n)
	r.did("answers to clients are lost", fmt.Sprint(n))
}
