package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"sandlot/proof/bench/rig"
)

// write returns a request that publishes or updates, with more fields.
func (s *stand) write(path string, client int, content []byte, more string) []byte {
	body := "{" + rig.JSON("content", base64.StdEncoding.EncodeToString(content)) + more + "}"
	return rig.Post(path, rig.NodesHost, "application/json", s.keys[client], []byte(body))
}

// read returns a request for a project's primary file.
func read(project, more string) []byte {
	return rig.Get("/", project+"."+rig.NodesHost, "Accept-Encoding: gzip\r\n"+more)
}

func heartbeat(project string, player int) []byte {
	return rig.Post("/.sandlot/heartbeat", project+"."+rig.NodesHost, "text/plain", "",
		fmt.Appendf(nil, `{"player":"player-%020d"}`, player))
}

const (
	hits     = 36_000
	few      = 1_800 // projects that are read all the time
	many     = 9_000 // projects that are read once and then once more
	fetches  = 60
	beats    = 18_000
	searches = 180
)

// walk lets the clients of each node read projects from first on, each of them once at each node.
func (m *meter) walk(ctx context.Context, first, projects, times int) error {
	each := clients / measuredNodes
	return m.crowd(ctx, projects*measuredNodes*times, http.StatusOK, func(c, i int) []byte {
		return read(rig.SeededProject(first+(c/measuredNodes+each*i)%projects), "")
	})
}

func (m *meter) reads(ctx context.Context) error {
	one := m.projects[0]
	if err := m.work(ctx, Hit, hits, nil, func() error {
		return m.crowd(ctx, hits, http.StatusOK, func(int, int) []byte { return read(one, "") })
	}); err != nil {
		return err
	}
	var visitor atomic.Int64
	if err := m.work(ctx, Play, beats, map[Work]float64{Hit: 1}, func() error {
		err := m.crowd(ctx, beats, http.StatusOK, func(int, int) []byte {
			return read(one, fmt.Sprintf("User-Agent: visitor %d\r\n", visitor.Add(1)))
		})
		return errors.Join(err, sleep(ctx, 10*time.Second)) // until they are in the database
	}); err != nil {
		return err
	}
	if err := m.confirms(ctx); err != nil {
		return err
	}
	// The first time every read misses, the second time only the head is too old: it holds for 1.75 s at most.
	beside := map[Work]float64{Hit: 1, Confirm: 1}
	for _, w := range []Work{Miss, Ask} {
		if err := m.work(ctx, w, many*measuredNodes, beside, func() error { return m.walk(ctx, few, many, 1) }); err != nil {
			return err
		}
		if err := sleep(ctx, 3*time.Second); err != nil {
			return err
		}
	}
	return m.fetch(ctx)
}

// confirms measures the cost of heads that are read so often that they are only confirmed.
func (m *meter) confirms(ctx context.Context) error {
	if err := m.walk(ctx, 0, few, 1); err != nil {
		return err
	}
	const times = 40
	got, err := m.during(ctx, func() error { return m.walk(ctx, 0, few, times) })
	if err != nil {
		return err
	}
	confirmed, of := few*measuredNodes*got.took.Seconds()/confirmEvery, map[string]float64{}
	for _, part := range parts {
		us := (got.cpu[part].Seconds()-m.idle[part]*got.took.Seconds())*1e6 - few*measuredNodes*times*m.costs.CPU[Hit][part]
		of[part] = round(max(0, us/confirmed))
	}
	of[nodes] = 0 // within the noise of the reads
	m.costs.CPU[Confirm] = of
	m.log("%-10s %v, %.1f s", Confirm, of, got.took.Seconds())
	return nil
}

// fetch reads large files at the two nodes that did not receive them.
func (m *meter) fetch(ctx context.Context) error {
	var made []string
	for i := range fetches {
		project, err := m.nodes[0].Publish(ctx, m.keys[i%clients], newContent(largeSize))
		if err != nil {
			return err
		}
		made = append(made, project)
	}
	if err := m.settle(ctx); err != nil {
		return err
	}
	return m.work(ctx, Fetch, fetches*2, nil, func() error {
		for _, n := range m.nodes[1:] {
			_, err := rig.Crowd(ctx, n.Addr, clients, fetches/clients+1, time.Hour, func(l *rig.Lane, c, i int) error {
				if at := c + clients*i; at < fetches {
					_, err := l.Want(http.StatusOK, read(made[at], ""))
					return err
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (m *meter) players(ctx context.Context) error {
	one := m.projects[0]
	if err := m.work(ctx, Heartbeat, beats, nil, func() error {
		err := m.crowd(ctx, beats, http.StatusNoContent, func(c, i int) []byte { return heartbeat(one, c*1000+i%300) })
		return errors.Join(err, sleep(ctx, 2*time.Second)) // until Redis has them
	}); err != nil {
		return err
	}
	each := clients / measuredNodes
	if err := m.crowd(ctx, few*measuredNodes, http.StatusNoContent, func(c, i int) []byte {
		return heartbeat(rig.SeededProject((c/measuredNodes+each*i)%few), c)
	}); err != nil {
		return err
	}
	const rest = 10
	return m.work(ctx, Room, few*measuredNodes*rest, nil, func() error { return sleep(ctx, rest*time.Second) })
}

func (m *meter) searches(ctx context.Context) error {
	return m.work(ctx, Search, searches, nil, func() error {
		return m.crowd(ctx, searches, http.StatusOK, func(int, int) []byte { return rig.Get("/?q=seeded", rig.NodesHost, "") })
	})
}
