package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testenv"
)

// TestABodyThatStalls holds nothing: in the real program, whose other clients do not notice.
func TestABodyThatStalls(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text := `{"content":"` + strings.Repeat("AAAA", 100_000)
	fmt.Fprintf(conn, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n%s", key, text)
	awaitTemps(t, s, 1)
	if status, _ := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(100)}); status != 201 {
		t.Errorf("another publish meanwhile: %d", status)
	}
	if err := conn.SetReadDeadline(time.Now().Add(5 * bodyWait)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection was not cut: %d bytes, %v", n, err)
	}
	awaitTemps(t, s, 0)
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

// pipes is a listener of one connection without a network, for the clock of synctest.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// client is the other end of a connection, and what runs on it.
type client struct {
	net.Conn
	sync.WaitGroup
}

// serveOne serves a connection with the paces of the program.
func serveOne(t *testing.T, h http.HandlerFunc) *client {
	t.Helper()
	inside, outside := net.Pipe()
	c := &client{Conn: outside}
	listener := make(pipes, 1)
	listener <- inside
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := newPacedBody(w, r, nil)
		r.Body = body
		h(&recorder{ResponseWriter: w, body: body}, r)
	}), slog.New(slog.DiscardHandler))
	done := make(chan struct{})
	go func() { _ = server.Serve(pacedListener{Listener: listener}); close(done) }()
	t.Cleanup(func() {
		outside.Close()
		server.Close()
		<-done
		c.Wait()
	})
	return c
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
		if _, err := io.WriteString(conn, strings.Replace(postHead, "1000000", "1000", 1)); err != nil {
			t.Fatal(err)
		}
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
			if err := r.Context().Err(); err != nil {
				t.Errorf("the request was given up: %v", err)
			}
		})
		conn.Go(func() { _, _ = io.WriteString(conn, postHead+strings.Repeat("x", 1_000_000)) })
		if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
			t.Errorf("the answer: %v", err)
		}
	})
}

func TestReadersKeepAPace(t *testing.T) {
	for _, tc := range []struct {
		name  string
		piece int64
		every time.Duration
		ended bool
	}{
		{"nothing at all", 1, time.Hour, true},
		{"100 bytes a second are too slow", 100, time.Second, true},
		{"2 KiB a second may take as long as they take", 2 << 10, time.Second, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := make(chan error, 1)
				conn := serveOne(t, func(w http.ResponseWriter, r *http.Request) {
					_, err := w.Write(make([]byte, 1_000_000))
					failed <- err
				})
				begun := time.Now()
				conn.Go(func() {
					_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
					for err == nil {
						testenv.Pass(tc.every)
						_, err = io.CopyN(io.Discard, conn, tc.piece)
					}
				})
				err := <-failed
				if (err != nil) != tc.ended {
					t.Errorf("the answer ended with %v", err)
				}
				if took := time.Since(begun); tc.ended && took > 2*answerWait {
					t.Errorf("it was cut only after %v", took)
				}
			})
		})
	}
}

// TestWhatTheSystemStillHolds: a slow reader moves although no write returns, for the system's buffer is large.
func TestWhatTheSystemStillHolds(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	in, err := pacedListener{Listener: l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := in.(*pacedConn)
	c.wait = 2 * time.Second // far more than a busy machine keeps the reader waiting
	const readFor = 5 * time.Second
	for _, reads := range []bool{true, false} {
		begun := time.Now()
		go func() {
			buf := make([]byte, 16<<10)
			for reads && time.Since(begun) < readFor {
				testenv.Wait(t, 10*time.Millisecond, "the client reads slowly, from a real connection")
				_, _ = out.Read(buf)
			}
		}()
		_, err = c.Write(make([]byte, 64<<20))
		took := time.Since(begun)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("the write ended with %v", err)
		}
		if reads && took < readFor {
			t.Errorf("a reader that moves was cut after %v", took)
		}
	}
}

func TestWhatMoreFollowsArrivesWholeAndInOrder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reader, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	c, err := pacedListener{Listener: l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rest := bytes.Repeat([]byte("0123456789abcdef"), 3*writePiece/16+7)
	go func() {
		w := c.(*pacedConn)
		_, _ = w.WriteMore([]byte("head "))
		_, _ = w.WriteMore([]byte("and "))
		_, _ = w.Write(rest)
	}()
	want := append([]byte("head and "), rest...)
	got := make([]byte, len(want))
	_ = reader.SetReadDeadline(time.Now().Add(30 * time.Second))
	if n, err := io.ReadFull(reader, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v, the same: %t", n, len(want), err, bytes.Equal(got, want))
	}
}
