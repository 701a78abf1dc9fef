package cluster

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

// clockEnv names the variable with the number of seconds that the clock of the instrumented program is ahead.
const clockEnv = "CLOCK_AHEAD"

// clocks are those of the nodes: minutes apart.
func clocks() [nodeCount]time.Duration {
	return [nodeCount]time.Duration{0, -3 * time.Minute, 4 * time.Minute}
}

// again starts a node again, with its own clock.
func (n *node) again(t *testing.T) {
	t.Helper()
	t.Setenv(clockEnv, seconds(n.ahead))
	n.reborn()
	n.Restart(t)
}

// compareClocks looks whether the clocks of the nodes are as far apart as they are to be.
func (r *run) compareClocks() {
	for i, n := range r.nodes {
		resp, err := n.http.Get(base + "/healthz")
		if err != nil {
			r.t.Errorf("node %d: %v", i+1, err)
			continue
		}
		resp.Body.Close()
		at, err := http.ParseTime(resp.Header.Get("Date"))
		if off := time.Until(at) - n.ahead; err != nil || off.Abs() > time.Minute {
			r.t.Errorf("the clock of node %d is off by %v, not by %v (%v)", i+1, off+n.ahead, n.ahead, err)
		}
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
