package client_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

var someWaits = client.Waits{Stall: 45 * time.Second, Work: 128 << 10, Most: 10 * time.Minute}

// slowly is a client of a server in memory, whose time passes in a bubble. The server is given the head of each request and its body.
func slowly(t *testing.T, serve func(w io.Writer, r *http.Request)) *client.Client {
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			if r, err := http.ReadRequest(bufio.NewReader(there)); err == nil {
				serve(there, r)
			}
			_, _ = io.Copy(io.Discard, there) // until the client goes
		}()
		return here, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		testenv.Pass(time.Hour) // until the server has noticed
	})
	return &client.Client{Base: &url.URL{Scheme: "http", Host: "localhost"}, HTTP: &http.Client{Transport: transport}, Waits: someWaits}
}

// each writes a text byte by byte.
func each(w io.Writer, text string, pause time.Duration) {
	for i := range len(text) {
		if _, err := io.WriteString(w, text[i:i+1]); err != nil {
			return
		}
		testenv.Pass(pause)
	}
}

// ask makes the four kinds of calls.
func ask(c *client.Client, kind string) error {
	ctx := context.Background()
	switch kind {
	case "read":
		_, err := c.WhoAmI(ctx, 1)
		return err
	case "send":
		_, err := c.Publish(ctx, client.Fields{}, bytes.NewReader(make([]byte, 1<<20)))
		return err
	}
	body, err := c.Export(ctx, false)
	if err == nil {
		defer body.Close()
		_, err = io.Copy(io.Discard, body)
	}
	return err
}

func TestNoWaitIsWithoutABound(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
	for name, c := range map[string]struct {
		kind  string
		serve func(w io.Writer, r *http.Request)
		says  string
		most  time.Duration
	}{
		"silence":                           {"read", func(io.Writer, *http.Request) {}, "no answer began within 45s", 45 * time.Second},
		"silence after what was sent":       {"send", func(_ io.Writer, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }, "no answer began within 5", 56 * time.Second},
		"a body that nobody takes":          {"send", func(io.Writer, *http.Request) { testenv.Pass(2 * time.Minute) }, "it took no more of what is sent within 45s", 45 * time.Second},
		"a head that stalls":                {"read", func(w io.Writer, _ *http.Request) { _, _ = io.WriteString(w, head[:20]) }, "no answer began within 45s", 45 * time.Second},
		"a head that trickles":              {"read", func(w io.Writer, _ *http.Request) { each(w, head, 2*time.Second) }, "no answer began within 45s", 45 * time.Second},
		"an answer that stalls":             {"read", func(w io.Writer, _ *http.Request) { _, _ = io.WriteString(w, head+"{") }, "no more of the answer came within 45s", 45 * time.Second},
		"a transfer that stalls in the end": {"export", func(w io.Writer, _ *http.Request) { _, _ = io.WriteString(w, head+strings.Repeat(" ", 900_000)) }, "no more of the answer came within 45s", 45 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				err := ask(slowly(t, c.serve), c.kind)
				if !errors.Is(err, client.ErrStalled) || !errors.Is(err, client.ErrNoAnswer) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("it ended with %v", err)
				}
				if took := time.Since(begun); took > c.most {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestATransferMayTakeAsLongAsItMoves(t *testing.T) {
	const size = 4 << 20
	for name, c := range map[string]struct {
		kind  string
		serve func(w io.Writer, r *http.Request)
	}{
		"what comes": {"export", func(w io.Writer, _ *http.Request) {
			_, _ = fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
			for range size >> 12 {
				_, _ = w.Write(make([]byte, 1<<12))
				testenv.Pass(2 * time.Second)
			}
		}},
		"what goes": {"send", func(w io.Writer, r *http.Request) {
			for buffer := make([]byte, 16<<10); ; testenv.Pass(8 * time.Second) {
				if _, err := io.ReadFull(r.Body, buffer); err != nil {
					break
				}
			}
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				expect.OK(t, ask(slowly(t, c.serve), c.kind))
				if took := time.Since(begun); took < 10*time.Minute {
					t.Errorf("it took only %s", took)
				}
			})
		})
	}
}

func TestWhatThisSideTakesIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := slowly(t, func(w io.Writer, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		})
		_, err := c.Publish(t.Context(), client.Fields{}, io.MultiReader(strings.NewReader("a"), slowDisk{}))
		expect.OK(t, err)
	})
}

// slowDisk is a file that takes its time.
type slowDisk struct{}

func (slowDisk) Read([]byte) (int, error) {
	testenv.Pass(time.Hour)
	return 0, io.EOF
}
