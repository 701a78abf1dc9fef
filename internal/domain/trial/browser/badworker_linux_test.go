package browser

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// bad are workers that a page has taken over, or that have ended, by the stage they begin with.
var bad = map[string]func(*net.UnixConn){
	"dies":      func(*net.UnixConn) { os.Exit(3) },
	"complains": func(*net.UnixConn) { _, _ = os.Stderr.WriteString("\x1b[31mit is so\n"); os.Exit(3) },
	"silent":    func(c *net.UnixConn) { handed(c); select {} },
	"unready":   func(*net.UnixConn) { select {} },
	"rubbish":   func(c *net.UnixConn) { handed(c); say(c, "rubbish!") },
	"boasts":    func(c *net.UnixConn) { handed(c); say(c, `{"Errors":["`+strings.Repeat("x", 3<<20)) },
	"no JSON":   func(c *net.UnixConn) { handed(c); say(c, "{[") },
	"draws":     func(c *net.UnixConn) { handed(c); say(c, `{"Shot":"`+strings.Repeat("AAAA", 1<<20/3+1)+`"}`) },
	"half":      func(c *net.UnixConn) { handed(c); say(c, `{"Moved":tr`); os.Exit(0) },
	"hungry": func(c *net.UnixConn) {
		handed(c)
		taken := make([]byte, 96<<20)
		for i := 0; i < len(taken); i += 4096 {
			taken[i] = 1
		}
		select {}
	},
	"parent": func(c *net.UnixConn) { // what it leaves behind has its outputs
		handed(c)
		for range 3 {
			cmd := exec.Command("/proc/self/exe", "playtest-worker", "orphan")
			cmd.Stderr = os.Stderr
			_ = cmd.Start()
		}
		os.Exit(0)
	},
	"orphan": func(*net.UnixConn) { select {} },
	"liar": func(c *net.UnixConn) {
		handed(c)
		say(c, `{"Shot":"bm8gaW1hZ2Uh","Painted":true,"Paint":9223372036854775807,"Errors":["\u202eevil\n`+strings.Repeat("x", 5000)+`"`+strings.Repeat(`,"e"`, 5000)+`]}`)
	},
}

func badWorker(act func(*net.UnixConn)) {
	go func() { <-time.After(time.Minute); os.Exit(4) }() // whatever becomes of the test
	conn, err := net.FileConn(os.NewFile(control, "control"))
	if err != nil {
		act(nil)
		os.Exit(1)
	}
	act(conn.(*net.UnixConn))
	runtime.KeepAlive(conn) // a worker that says no more has its end open
	os.Exit(0)
}

func handed(c *net.UnixConn) {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	if l == nil { // there is no loopback interface yet
		l, _ = net.ListenUnix("unix", &net.UnixAddr{Name: "@test", Net: "unix"})
	}
	file, err := l.(interface{ File() (*os.File, error) }).File()
	if err == nil {
		err = handOver(c, file)
	}
	if err != nil {
		os.Exit(5)
	}
	_ = json.NewDecoder(c).Decode(&order{})
}

func say(c io.Writer, text string) { _, _ = io.WriteString(c, text) }

// TestAWorkerIsNotBelieved: it is cut off whatever it says, says nothing, or takes, and all beneath it ends with it.
func TestAWorkerIsNotBelieved(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "chromium")
	open := func(stage string, wall time.Duration) (trial.Seen, error) {
		b := &Browser{User: unprivileged(), Origin: files{}, times: times{Wall: wall}, stage: stage, memory: 64 << 20}
		if stage != "hungry" {
			b.memory = 0
		}
		return b.Open(t.Context(), trial.Due{Project: "pong"})
	}
	for stage, want := range map[string]string{
		"dies": "does not get ready", "complains": "it is so", "rubbish": "invalid character", "boasts": "broke off",
		"no JSON": "invalid character", "draws": "too large a picture", "half": "broke off", "parent": "broke off",
	} {
		_, err := open(stage, time.Minute)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("one that is called %q: %v", stage, err)
		}
	}
	for _, stage := range []string{"silent", "unready"} {
		_, err := open(stage, 300*time.Millisecond)
		expect.Equal(t, "that the time ran out for one that is "+stage, errors.Is(err, context.DeadlineExceeded), true)
	}
	seen, err := open("hungry", time.Minute)
	expect.OK(t, err)
	expect.Equal(t, "that it took too much", seen.Memory, true)
	seen, err = open("liar", time.Minute)
	expect.OK(t, err)
	expect.Equal(t, "when it says that something was painted", seen.FirstPaint, time.Minute)
	expect.Equal(t, "its errors", len(seen.Errors), trial.MostEntries)
	expect.Equal(t, "the first", strings.HasPrefix(seen.Errors[0], "evil xxx") && len(seen.Errors[0]) == trial.MostText, true)
}
