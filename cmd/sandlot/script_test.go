package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

	"sandlot/examples"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// TestScripts runs testdata/script: the life of projects on the real binary, as
// somebody at a shell sees it. Beside the usual commands a script has
//
//	start [ARGS]         sandlot serve in the background, on $DATA; sets $URL, $ADDR
//	stop [SIGNAL]        ends it (TERM by default) and waits; its log goes to stderr of the script
//	await STATUS URL     asks until that is the answer, for 20 s at most
//	example FOLDER NAME  copies an example game
//	exits CODE ARGS      runs the program, which ends with that exit code
//	field NAME PATH      puts a field of the JSON in stdout into $NAME (PATH like files.0.url)
//
// Every script runs on SQLite and a folder, and on PostgreSQL, an S3-compatible store and
// Redis: the variables of its environment lead there, so that it says nothing of it. What is
// only true of one stands behind [embedded].
func TestScripts(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "curl", "unzip")
	bin := testenv.Binary(t)
	for name, variables := range map[string]func(testing.TB) []string{"embedded": func(testing.TB) []string { return nil }, "full": sharedParts} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScripts(t, "script", bin, name, variables)
		})
	}
}

// TestClientScripts runs testdata/client: the commands of those who publish, against a server of the script's own. What they
// keep is in a home of the script's own.
func TestClientScripts(t *testing.T) {
	testenv.Need(t, "unzip", "curl")
	t.Parallel()
	runScripts(t, "client", testenv.Binary(t), "embedded", func(testing.TB) []string { return nil })
}

// sharedParts are variables that lead to a database, a bucket and a Redis of the script's own.
func sharedParts(tb testing.TB) []string {
	b := testenv.S3(tb)
	return []string{
		"SANDLOT_DATABASE_URL=" + testenv.Postgres(tb), "SANDLOT_REDIS_URL=" + redistest.Database(tb),
		"SANDLOT_BLOB_URL=s3://" + b.Name + "/scripts?region=" + b.Region + "&endpoint=" + b.Endpoint,
		"AWS_ACCESS_KEY_ID=" + b.Key, "AWS_SECRET_ACCESS_KEY=" + b.Secret,
	}
}

func runScripts(t *testing.T, folder, bin, set string, variables func(testing.TB) []string) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/" + folder,
		RequireExplicitExec: true,
		Condition:           func(c string) (bool, error) { return c == set, nil },
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_CONFIG_HOME", "")
			e.Setenv("DATA", filepath.Join(e.WorkDir, "data"))
			parts := variables(e.T().(testing.TB))
			e.Vars = append(e.Vars, parts...)
			e.Values["line"] = &line{}
			e.Values["server"] = &background{bin: bin, env: append([]string{"HOME=" + e.WorkDir}, parts...)}
			e.Defer(func() { e.Values["server"].(*background).end(syscall.SIGKILL) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": start, "stop": stop, "field": field, "await": await, "exits": exits,
			"online": onLine, "broken": brokenLine, "carried": carried, "random": random, "example": example,
			"camein": cameIn, "forge": forge,
		},
	})
}

// background is the server of one script.
type background struct {
	bin  string
	env  []string
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
	b.cmd.Env = b.env
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

// read keeps the log, and reports the address on which the server listens.
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

func example(ts *testscript.TestScript, neg bool, args []string) {
	files, err := fs.Sub(examples.Files(), args[1])
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), files))
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("sandlot", args[1:]...)
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code, err = ended.ExitCode(), nil
	}
	ts.Check(err)
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("it ended with exit code %d, not %s", code, args[0])
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
