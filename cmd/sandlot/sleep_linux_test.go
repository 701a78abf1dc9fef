package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testenv"
)

// TestRegression46UploadsOutliveAStoppedProcess stops the real program in the middle
// of an upload, for longer than a client may be silent.
func TestRegression46UploadsOutliveAStoppedProcess(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begin, end := `{"content":"`+strings.Repeat("AAAA", 100_000), strings.Repeat("AAAA", 1000)+`"}`
	fmt.Fprintf(conn, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", key, len(begin)+len(end), begin)
	awaitTemps(t, s, 1)
	if err := syscall.Kill(s.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	testenv.Wait(t, bodyWait+2*deadlineSlack, "the machine sleeps for longer than a body may; the real program has the real clock")
	if err := syscall.Kill(s.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	testenv.Wait(t, 2*time.Second, "a deadline that passed meanwhile would end the upload in this time")
	if _, err := io.WriteString(conn, end); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Errorf("the upload was answered %d", res.StatusCode)
	}
}

func TestDeadlinesWaitForAsLongAsTheProcessSlept(t *testing.T) {
	for _, tt := range []struct {
		name  string
		awake bool // whether the process looks at its clock meanwhile
		want  bool
	}{{"asleep", false, true}, {"awake", true, false}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, set := sleepyDeadline{clock: &sleepClock{}}, time.Time{}
				note := func(t time.Time) error { set = t; return nil }
				first := time.Now().Add(10 * time.Second)
				if err := d.put(first, note); err != nil {
					t.Fatal(err)
				}
				if tt.awake {
					go d.clock.run(t.Context())
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
		d := sleepyDeadline{clock: &sleepClock{}}
		_ = d.put(time.Unix(1, 0), func(time.Time) error { return nil })
		if d.putOff(func(time.Time) error { return nil }) {
			t.Error("it was put off")
		}
	})
}
