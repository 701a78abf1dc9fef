package front

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/testenv"
)

// serveOne serves a paced connection.
func serveOne(t *testing.T, h http.HandlerFunc) *testenv.Pipe {
	t.Helper()
	return testenv.ServePipe(t, &http.Server{Handler: h}, func(l net.Listener) net.Listener { return Pace(l, nil, nil) })
}

func TestReadersKeepAPace(t *testing.T) {
	t.Parallel()
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

// TestASlowReaderIsNotCutWhileTheSystemsBufferDrains: a slow reader moves although no write returns, for the system's buffer is large.
func TestASlowReaderIsNotCutWhileTheSystemsBufferDrains(t *testing.T) {
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
	in, err := Pace(l, nil, nil).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := in.(*socket)
	c.wait = time.Second // far more than a busy machine keeps the reader waiting
	const readFor = 1500 * time.Millisecond
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

func TestDeadlinesWaitForAsLongAsTheProcessSlept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		awake bool // whether the process looks at its clock meanwhile
		want  bool
	}{{"asleep", false, true}, {"awake", true, false}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, set := sleepyDeadline{clock: &Clock{}}, time.Time{}
				note := func(t time.Time) error { set = t; return nil }
				first := time.Now().Add(10 * time.Second)
				if err := d.put(first, note); err != nil {
					t.Fatal(err)
				}
				if tt.awake {
					go d.clock.Run(t.Context())
				}
				testenv.Pass(30 * time.Second)
				if got := d.putOff(note); got != tt.want {
					t.Errorf("put off: %v, to %v", got, set)
				}
				if want := first.Add(30 * time.Second); tt.want && !set.Equal(want) {
					t.Errorf("put off to %v, want %v", set, want)
				}
			})
		})
	}
	t.Run("one that was set to end a read ends it", func(t *testing.T) {
		d := sleepyDeadline{clock: &Clock{}}
		_ = d.put(time.Unix(1, 0), func(time.Time) error { return nil })
		if d.putOff(func(time.Time) error { return nil }) {
			t.Error("it was put off")
		}
	})
}
