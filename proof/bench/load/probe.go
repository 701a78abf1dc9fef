package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"

	"sandlot/proof/bench/rig"
)

// A stage is a service with one published page.
type stage struct {
	*rig.Service
	key, project, host string
}

// stage starts a service and publishes a page.
func (l *load) stage(ctx context.Context, flags ...string) (*stage, error) {
	s, err := l.Service(ctx, "", flags...)
	if err != nil {
		return nil, err
	}
	st := &stage{Service: s}
	if st.key, err = s.Signup(ctx, "stage@mail.internal"); err != nil {
		return nil, err
	}
	if st.project, err = s.Publish(ctx, st.key, page(10<<10)); err != nil {
		return nil, err
	}
	st.host = s.Host(st.project)
	return st, st.warm(ctx)
}

// page returns n bytes of a page.
func page(n int) []byte {
	b := []byte("<!doctype html><title>Load</title><pre>\n")
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "line %d of many\n", i)
	}
	return b[:n]
}

func (s *stage) warm(ctx context.Context) error {
	_, err := s.probe(ctx, time.Second)
	return err
}

const (
	probers    = 4
	probePause = 5 * time.Millisecond
)

// probe loads the page as a few honest visitors do, each time on a new connection, until the limit. They run in a
// process of their own: in this one they would wait for the thousands of clients that make the load, unlike visitors
// elsewhere.
func (s *stage) probe(ctx context.Context, limit time.Duration) (rig.Times, error) {
	self, err := os.Executable()
	if err != nil {
		return rig.Times{}, err
	}
	cmd := exec.CommandContext(ctx, self, visitCommand, s.Addr, s.host, limit.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return rig.Times{}, fmt.Errorf("visitors: %w", err)
	}
	var t rig.Times
	return t, json.Unmarshal(out, &t)
}

// visitCommand is the argument that turns this program into the visitors.
const visitCommand = "visit"

// visit loads a page for probe, and prints the time of each load.
func visit(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 3 {
		return errors.New("visit takes an address, a host and a time")
	}
	addr, request := args[0], rig.Get("/", args[1], "")
	limit, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	t, err := rig.Crowd(ctx, addr, probers, 0, limit, func(*rig.Lane, int, int) error {
		l, err := rig.NewLane(ctx, addr)
		if err != nil {
			return err
		}
		defer l.Close()
		if _, err := l.Want(http.StatusOK, request); err != nil {
			return err
		}
		time.Sleep(probePause)
		return nil
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(t)
}

// unaffected compares the waits of honest visitors before a load and during it. It subtracts the pause of a probe. On
// few cores the load's own clients take part of the time, so differences below two milliseconds do not count.
func unaffected(before, during rig.Times) result {
	const floor = 2 * time.Millisecond
	b, d := before.Quantile(0.99)-probePause, during.Quantile(0.99)-probePause
	return promised("honest visitors' loads, p99", fmt.Sprintf("<= 2 x %s before", max(b, floor).Round(10*time.Microsecond)),
		d <= 2*max(b, floor), "%s", d.Round(10*time.Microsecond))
}

// connect opens n connections, and sends on each the bytes from begin.
func connect(ctx context.Context, addr string, n int, begin func(i int) []byte) ([]*rig.Lane, error) {
	lanes := make([]*rig.Lane, 0, n)
	for i := range n {
		l, err := rig.NewLane(ctx, addr)
		if err != nil {
			return lanes, err
		}
		lanes = append(lanes, l)
		if _, err := l.Conn().Write(begin(i)); err != nil {
			return lanes, err
		}
	}
	return lanes, nil
}

func closeAll(lanes []*rig.Lane) {
	for _, l := range lanes {
		l.Close()
	}
}
