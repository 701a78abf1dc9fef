package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"sandlot/internal/testenv"
)

// TestScripts runs testdata/script: the life of projects on the real binary, as
// somebody at a shell sees it. Beside the usual commands a script has
//
//	start [ARGS]         sandlot serve in the background, on $DATA; sets $URL, $ADDR
//	stop [SIGNAL]        ends it (TERM by default) and waits; its log goes to stderr of the script
//	await STATUS URL     asks until that is the answer, for 20 s at most
//	field NAME PATH      puts a field of the JSON in stdout into $NAME (PATH like files.0.url)
func TestScripts(t *testing.T) {
	testenv.Need(t, "curl", "unzip")
	bin := testenv.Binary(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("DATA", filepath.Join(e.WorkDir, "data"))
			e.Values["server"] = &background{bin: bin}
			e.Defer(func() { e.Values["server"].(*background).end(syscall.SIGKILL) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": start, "stop": stop, "field": field, "await": await,
		},
	})
}

// background is the server of one script.
type background struct {
	bin  string
	cmd  *exec.Cmd
	log  strings.Builder
	done chan struct{}
}

var listening = regexp.MustCompile(`msg=listening addr=(\S+) base_url=(\S+)`)

func start(ts *testscript.TestScript, neg bool, args []string) {
	b := ts.Value("server").(*background)
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--data", ts.Getenv("DATA")}, args...)
	b.cmd = exec.Command(b.bin, args...)
	b.cmd.Dir = ts.Getenv("WORK")
	b.cmd.Env = []string{"HOME=" + ts.Getenv("WORK")}
	stderr, err := b.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(b.cmd.Start())
	found := make(chan []string, 1)
	b.done = make(chan struct{})
	go b.read(stderr, found)
	select {
	case m := <-found:
		ts.Setenv("ADDR", m[1])
		ts.Setenv("URL", m[2])
	case <-b.done:
		ts.Fatalf("the server ended:\n%s", b.log.String())
	case <-time.After(time.Minute):
		ts.Fatalf("the server does not listen")
	}
}

// read keeps the log and tells where the server listens.
func (b *background) read(r io.Reader, found chan<- []string) {
	defer close(b.done)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		fmt.Fprintln(&b.log, lines.Text())
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			found <- m
		}
	}
}

func (b *background) end(signal os.Signal) error {
	if b.cmd == nil {
		return nil
	}
	_ = b.cmd.Process.Signal(signal) // it may have ended
	<-b.done
	err := b.cmd.Wait()
	b.cmd = nil
	return err
}

func stop(ts *testscript.TestScript, neg bool, args []string) {
	signal := os.Signal(syscall.SIGTERM)
	if len(args) > 0 && args[0] == "KILL" {
		signal = syscall.SIGKILL
	}
	b := ts.Value("server").(*background)
	err := b.end(signal)
	ts.Logf("%s", b.log.String())
	ts.Check(os.WriteFile(ts.MkAbs("log"), []byte(b.log.String()), 0o600))
	if (err != nil) != (neg || signal == syscall.SIGKILL) {
		ts.Fatalf("the server ended with %v", err)
	}
}

// await waits for what becomes effective a moment after the command that did it.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await STATUS URL")
	}
	server := ts.Getenv("ADDR")
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server) // names under localhost are not known everywhere
		},
	}}
	last := ""
	if !testenv.Poll(20*time.Second, func() bool {
		resp, err := client.Get(args[1])
		ts.Check(err)
		resp.Body.Close()
		last = strconv.Itoa(resp.StatusCode)
		return last == args[0]
	}) {
		ts.Fatalf("%s answers %s", args[1], last)
	}
}

func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field NAME PATH")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for _, key := range strings.Split(args[1], ".") {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[key]
		case []any:
			var i int
			_, err := fmt.Sscan(key, &i)
			ts.Check(err)
			if i >= len(inner) {
				ts.Fatalf("%s: there are only %d", args[1], len(inner))
			}
			v = inner[i]
		default:
			ts.Fatalf("%s: there is nothing at %q", args[1], key)
		}
	}
	if v == nil {
		ts.Fatalf("%s: there is nothing", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}
