package sqlite

import (
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestGate(t *testing.T) {
	t.Run("reads make way until those under way have ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var g gate
			g.enter(t.Context())
			in, ended := make(chan struct{}), make(chan struct{})
			go g.alone(func() { close(in); <-ended })
			synctest.Wait() // it has shut the gate
			entered := make(chan struct{})
			go func() { g.enter(t.Context()); close(entered) }()
			synctest.Wait()
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
	})
	t.Run("a read that does not end holds nobody back for long", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var g gate
			g.enter(t.Context())
			begun := time.Now()
			g.alone(func() {})
			g.enter(t.Context())
			expect.Equal(t, "waited", time.Since(begun), gateWait)
		})
	})
}
