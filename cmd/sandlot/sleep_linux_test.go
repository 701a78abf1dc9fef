package main

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakRegression46UploadsOutliveAStoppedProcess stops the real program in the middle
// of an upload, for longer than a client may be silent.
func TestSoakRegression46UploadsOutliveAStoppedProcess(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	begin, end := `{"content":"`+strings.Repeat("AAAA", 100_000), strings.Repeat("AAAA", 1000)+`"}`
	conn := beginPublish(t, s, "Authorization: Bearer "+key+"\r\n", len(begin)+len(end), begin)
	awaitTemps(t, s, 1)
	expect.OK(t, syscall.Kill(s.PID(), syscall.SIGSTOP))
	testenv.Wait(t, bodyWait+2*deadlineSlack, "the machine sleeps for longer than a body may; the real program has the real clock")
	expect.OK(t, syscall.Kill(s.PID(), syscall.SIGCONT))
	testenv.Wait(t, 2*time.Second, "a deadline that passed meanwhile would end the upload in this time")
	_, err := io.WriteString(conn, end)
	expect.OK(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.OK(t, err)
	defer res.Body.Close()
	expect.Equal(t, "the upload was answered", res.StatusCode, http.StatusCreated)
}
