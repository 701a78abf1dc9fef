package main

import (
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"sandlot/internal/testkit/testenv"
)

// A line is the way from a client to the server of a script. It counts the bytes of the client, and stands still at a given byte,
// as a network does that is gone: nothing arrives any more, without an error.
type line struct {
	listener net.Listener
	server   string

	lock sync.Mutex
	sent int64         // bytes
	most int64         // 0: any number
	over chan struct{} // closed when another count begins, with which older connections end
}

// onLine starts a line: through URL, in $LINE. Further words of a script:
//
//	online MOST          from now on lets at most so many bytes through, or with 0 all of them, and counts from nothing
//	broken               waits until the line stands still
//	carried LEAST MOST   fails unless so many bytes went through
//	random FILE SIZE     makes a file that cannot be compressed
func onLine(ts *testscript.TestScript, neg bool, args []string) {
	most, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	l, _ := ts.Value("line").(*line)
	if l.listener == nil {
		l.listener, err = net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		l.server = ts.Getenv("ADDR")
		ts.Setenv("LINE", "http://"+l.listener.Addr().String())
		ts.Defer(func() { l.listener.Close() })
		go l.accept()
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.over != nil {
		close(l.over)
	}
	l.sent, l.most, l.over = 0, most, make(chan struct{})
}

func (l *line) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.server)
		if err != nil {
			client.Close()
			continue
		}
		go func() {
			_, _ = io.Copy(client, server)
			client.Close()
		}()
		go func() {
			_, _ = io.Copy(server, counting{client, l, l.count()})
			server.Close()
		}()
	}
}

// counting is what a client sends, as far as the line lets it through.
type counting struct {
	net.Conn
	l    *line
	over chan struct{}
}

func (l *line) count() chan struct{} {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.over
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.l.passed(c.over, n) {
		<-c.over
		return 0, io.EOF
	}
	return n, err
}

// passed counts what came through, unless another count has begun, and reports whether the line stands still.
func (l *line) passed(over chan struct{}, n int) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.over == over {
		l.sent += int64(n)
	}
	return l.over != over || l.most > 0 && l.sent >= l.most
}

func (l *line) carried() (sent int64, still bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.sent, l.most > 0 && l.sent >= l.most
}

func brokenLine(ts *testscript.TestScript, neg bool, args []string) {
	l := ts.Value("line").(*line)
	if !testenv.Poll(time.Minute, func() bool { _, still := l.carried(); return still }) {
		ts.Fatalf("the line never stood still")
	}
}

func carried(ts *testscript.TestScript, neg bool, args []string) {
	least, errLeast := strconv.ParseInt(args[0], 10, 64)
	most, errMost := strconv.ParseInt(args[1], 10, 64)
	ts.Check(errLeast)
	ts.Check(errMost)
	sent, _ := ts.Value("line").(*line).carried()
	if ts.Logf("%d bytes were sent", sent); sent < least || sent > most {
		ts.Fatalf("%d bytes were sent", sent)
	}
}

func random(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{1}), size)
	ts.Check(err)
}

// TestLargeClientScripts runs testdata/client-large: what is sent in parts, and broken off.
func TestLargeClientScripts(t *testing.T) {
	testenv.Unraced(t)
	testenv.Need(t, "unzip")
	t.Parallel()
	runScripts(t, "client-large", testenv.Binary(t), "embedded", func(testing.TB) []string { return nil })
}
