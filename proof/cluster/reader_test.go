package cluster

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// An answer is what a node has served.
type answer struct {
	status int
	body   []byte
	begun  time.Time
	life   int  // of the node
	alone  bool // the node may have been without the database
}

// open opens an address at a node. What is not served, for a fault, is no answer.
func (n *node) open(url, coding string) (answer, bool) {
	a := answer{life: n.lives()}
	s := n.begin()
	status, body, err := fetch(n.http, url, coding)
	a.alone = n.end(s)
	a.status, a.body, a.begun = status, body, s.begun
	return a, err == nil && status < http.StatusInternalServerError
}

// fetch opens an address, as a program that does not play.
func fetch(h *http.Client, url, coding string) (status int, body []byte, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; cluster-bot/1.0)")
	req.Header.Set("Accept-Encoding", coding)
	resp, err := h.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	from := io.Reader(resp.Body)
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if from, err = gzip.NewReader(resp.Body); err != nil {
			return 0, nil, err
		}
	}
	body, err = io.ReadAll(from)
	return resp.StatusCode, body, err
}

// readPause lies between two reads of one client.
const readPause = 3 * time.Millisecond

// read opens projects at one node after another until the time is over.
func (r *run) read(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		p := r.anyProject(random)
		if p == nil {
			testenv.Wait(r.t, 10*time.Millisecond, "nobody has published yet")
			continue
		}
		n, look := random.IntN(nodeCount), r.look
		if random.IntN(8) == 0 {
			look = r.list
		}
		if err := look(n, p, random); err != nil {
			r.wrong("node %d: %w", n+1, err)
			return
		}
		testenv.Wait(r.t, readPause, "readers leave some of the machine to writers")
	}
}

func (r *run) anyProject(random *rand.Rand) *project {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.projects) == 0 {
		return nil
	}
	if random.IntN(2) == 0 { // the newest ones change
		return r.projects[max(0, len(r.projects)-1-random.IntN(6))]
	}
	return r.projects[random.IntN(len(r.projects))]
}

// look opens a project at a node.
func (r *run) look(i int, p *project, random *rand.Rand) error {
	coding := "identity"
	if random.IntN(3) == 0 {
		coding = "gzip"
	}
	a, answered := r.nodes[i].open(p.url, coding)
	if !answered {
		r.readFailed()
		return nil
	}
	if a.status != http.StatusOK {
		return fmt.Errorf("%s is answered %d, %v after it was acknowledged", p.url, a.status, a.begun.Sub(p.since()))
	}
	shows, stale, changed, err := p.judge(i, a.begun, sum(a.body))
	if err != nil {
		return err
	}
	most, strict := r.allowed(r.nodes[i], a, stale)
	r.readDone(stale, changed, strict)
	if stale > most {
		return fmt.Errorf("%s serves version %d of %d, %v after the next was acknowledged, which may be %v", p.url, shows, p.count(),
			stale, most)
	}
	return nil
}

// list asks a node for a project and its files.
func (r *run) list(i int, p *project, _ *rand.Rand) error {
	known := p.count()
	said, err := r.client(r.nodes[i].http, p.owner).Project(context.Background(), p.id, "none")
	var refused *api.Error
	switch {
	case errors.Is(err, api.ErrNoAnswer), errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError:
		r.readFailed()
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", p.id, err)
	}
	r.counted("list", 0, false)
	return p.judgeList(known, said)
}
