package sqlite

import (
	"testing"
	"time"

	"sandlot/internal/testenv"
)

func TestGate(t *testing.T) {
	t.Run("reads make way until those under way have ended", func(t *testing.T) {
		var g gate
		g.enter(t.Context())
		in, ended := make(chan struct{}), make(chan struct{})
		go g.alone(func() { close(in); <-ended })
		testenv.Eventually(t, time.Minute, "the gate to shut", func() bool { return !g.isOpen() })
		entered := make(chan struct{})
		go func() { g.enter(t.Context()); close(entered) }()
		select {
		case <-entered:
			t.Error("a read passes a gate that is shut")
		case <-in:
			t.Error("it is alone while somebody reads")
		default:
		}
		g.leave()
		<-in
		close(ended)
		<-entered
		g.leave()
	})
	t.Run("a read that does not end holds nobody back for long", func(t *testing.T) {
		var g gate
		g.enter(t.Context())
		begun := time.Now()
		g.alone(func() {})
		g.enter(t.Context())
		if waited := time.Since(begun); waited > 20*gateWait {
			t.Errorf("it took %v", waited)
		}
	})
}

func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut == nil
}
