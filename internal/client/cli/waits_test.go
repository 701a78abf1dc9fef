package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// pipes are connections in memory to a server that is given each request, and what answers it.
func pipes(t *testing.T, serve func(w io.Writer, r *http.Request)) http.RoundTripper {
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			requests := bufio.NewReader(there)
			for {
				r, err := http.ReadRequest(requests)
				if err != nil {
					return
				}
				serve(there, r)
				_, _ = io.Copy(io.Discard, r.Body)
			}
		}()
		return here, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		testenv.Pass(time.Hour) // until the server has noticed
	})
	return transport
}

func TestASilentServerIsWaitedForTwiceAndNotSixTimes(t *testing.T) {
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
	for name, c := range map[string]struct {
		run  func(context.Context) error
		says string
		most time.Duration
	}{
		"a read": {func(ctx context.Context) error {
			return (&whoamiCommand{target: target{host: host{Server: "play.example"}}, Limit: 1}).Run(ctx, d.Env)
		}, "no answer began within 45s", 92 * time.Second},
		"a publish": {func(ctx context.Context) error {
			return (&publishCommand{Path: "a.html", target: target{host: host{Server: "play.example"}}}).Run(ctx, d.Env)
		}, "no answer began within 45s", 92 * time.Second},
		"an export": {func(ctx context.Context) error {
			return (&exportCommand{host: host{Server: "play.example"}}).Run(ctx, d.Env)
		}, "no answer began within 45s", 92 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64
				next := pipes(t, func(io.Writer, *http.Request) { calls.Add(1) })
				d.HTTP = roundTripper(func(r *http.Request) (*http.Response, error) {
					r.URL.Scheme = "http"
					return next.RoundTrip(r)
				})
				begun := time.Now()
				err := c.run(t.Context())
				code, _ := ExitCode(err)
				if took := time.Since(begun); took > c.most || calls.Load() != silences {
					t.Errorf("it took %s and %d calls", took, calls.Load())
				}
				if err == nil || code != exitServer || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "waited for in vain") {
					t.Errorf("exit code %d: %v", code, err)
				}
			})
		})
	}
}

func TestWhereNobodyIsAskedAKeyIsNotWaitedForForever(t *testing.T) {
	d := newDesk(t, nil)
	synctest.Test(t, func(t *testing.T) {
		open, end := io.Pipe()
		defer testenv.Pass(time.Second)
		defer end.Close()
		d.In = open
		err := (&loginCommand{host: host{Server: "https://play.example"}}).Run(t.Context(), d.Env)
		if code, _ := ExitCode(err); code != exitUsage || !strings.Contains(fmt.Sprint(err), "no key came on standard input") {
			t.Errorf("exit code %d: %v", code, err)
		}
	})
}
