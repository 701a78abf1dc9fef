package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/play/front"
)

// beginPublish sends the head of a publish with these header lines, and the beginning of its body.
func beginPublish(t *testing.T, s *testenv.Server, lines string, size int, begin string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr())
	expect.OK(t, err)
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", lines, size, begin)
	return conn
}

// awaitTemps returns when the server has n temporary files.
func awaitTemps(t *testing.T, s *testenv.Server, n int) {
	t.Helper()
	var found []string
	if !testenv.Poll(30*time.Second, func() bool {
		found, _ = filepath.Glob(filepath.Join(s.Data(), "blobs", "tmp", "*"))
		return len(found) == n
	}) {
		t.Fatalf("%d temporary files, want %d", len(found), n)
	}
}

// serveOne serves a connection with the paces of the program.
func serveOne(t *testing.T, h http.HandlerFunc) *testenv.Pipe {
	t.Helper()
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := newPacedBody(w, r, nil)
		r.Body = body
		h(&recorder{ResponseWriter: w, body: body}, r)
	}), slog.New(slog.DiscardHandler))
	return testenv.ServePipe(t, server, func(l net.Listener) net.Listener { return front.Pace(l, nil, nil) })
}

const postHead = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"

func TestBodiesKeepAPace(t *testing.T) {
	for _, tc := range []struct {
		name  string
		piece int
		every time.Duration
		ended bool // whether it is cut
	}{
		{"100 bytes a second are too slow", 100, time.Second, true},
		{"nothing at all", 1, time.Hour, true},
		{"a byte a second before each deadline", 1, bodyWait - time.Second, true},
		{"2 KiB a second may take as long as they take", 2 << 10, time.Second, false},
		{"bursts may be far apart", 64 << 10, bodyWait - time.Second, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, failed := time.Now(), make(chan error, 1)
				conn := serveOne(t, func(w http.ResponseWriter, r *http.Request) {
					_, err := io.Copy(io.Discard, r.Body)
					failed <- err
					if err != nil {
						panic(http.ErrAbortHandler)
					}
				})
				conn.Go(func() {
					_, err := io.WriteString(conn, postHead)
					for left := 1_000_000; left > 0 && err == nil; left -= tc.piece {
						testenv.Pass(tc.every)
						_, err = conn.Write(make([]byte, min(left, tc.piece)))
					}
				})
				err := <-failed
				if errors.Is(err, os.ErrDeadlineExceeded) != tc.ended {
					t.Errorf("the body ended with %v", err)
				}
				if took := time.Since(begun); tc.ended && took > 2*(bodyWait+deadlineSlack) {
					t.Errorf("it was cut only after %v", took)
				}
			})
		})
	}
}

func TestABodyThatNoHandlerReadsIsCutAsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := serveOne(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		begun := time.Now()
		_, err := io.WriteString(conn, strings.Replace(postHead, "1000000", "1000", 1))
		expect.OK(t, err)
		_, _ = io.Copy(io.Discard, conn)
		if took := time.Since(begun); took > bodyWait+deadlineSlack {
			t.Errorf("it was cut only after %v", took)
		}
	})
}

func TestTheServicesOwnTimeIsNotTheClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := serveOne(t, func(w http.ResponseWriter, r *http.Request) {
			for buf := make([]byte, 100_000); ; testenv.Pass(time.Minute) { // a disk that is slow
				if _, err := r.Body.Read(buf); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("the body ended with %v", err)
					break
				}
			}
			testenv.Pass(time.Hour) // an assembly that is slower
			expect.Is(t, "the request was given up", r.Context().Err(), nil)
		})
		conn.Go(func() { _, _ = io.WriteString(conn, postHead+strings.Repeat("x", 1_000_000)) })
		if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
			t.Errorf("the answer: %v", err)
		}
	})
}
