package browser

import (
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sandlot/internal/testkit/expect"
)

// TestAWorkerGivesOneListener: what it gives beside is not kept open, and neither is what is given in place of one.
func TestAWorkerGivesOneListener(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head  string
		given func(listener, pipe int) []int
		taken bool
	}{
		"a listener alone":             {"l", func(l, _ int) []int { return []int{l} }, true},
		"a listener and a pipe":        {"l", func(l, p int) []int { return []int{l, p} }, false},
		"a pipe":                       {"l", func(_, p int) []int { return []int{p} }, false},
		"a pipe with another greeting": {"x", func(_, p int) []int { return []int{p} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			expect.OK(t, err)
			defer l.Close()
			listener, err := l.(*net.TCPListener).File()
			expect.OK(t, err)
			defer listener.Close()
			r, w, err := os.Pipe()
			expect.OK(t, err)
			defer r.Close()
			ours, theirs, err := pair()
			expect.OK(t, err)
			defer ours.Close()
			defer theirs.Close()
			expect.OK(t, unix.Sendmsg(int(theirs.Fd()), []byte(c.head), unix.UnixRights(c.given(int(listener.Fd()), int(w.Fd()))...), nil, 0))
			got, err := receive(ours)
			expect.Equal(t, "that it was taken", err == nil, c.taken)
			if err == nil {
				expect.OK(t, got.Close())
			}
			expect.OK(t, w.Close())
			expect.OK(t, r.SetReadDeadline(time.Now().Add(5*time.Second)))
			_, err = r.Read(make([]byte, 1))
			expect.Equal(t, "what is read of the pipe, which is closed everywhere", err.Error(), "EOF")
		})
	}
}
