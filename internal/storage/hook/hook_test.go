package hook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// program writes a program of the shell, and returns its path.
func program(t *testing.T, text string) string {
	t.Helper()
	testenv.Need(t, "sh")
	path := filepath.Join(t.TempDir(), "judge")
	expect.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return path
}

func command(t *testing.T, target string) *Command {
	t.Helper()
	c, err := NewCommand(target)
	expect.OK(t, err)
	return c
}

// TestACommandGetsItsInputAndNothingElse: no shell reads its line, its environment is PATH and LANG, and its folder is its own.
func TestACommandGetsItsInputAndNothingElse(t *testing.T) {
	t.Setenv("SANDLOT_JUDGE_SECRET", "secret")
	t.Setenv("HOME", "/root")
	path := program(t, `cat; echo; echo "$*"; pwd; ls -A; env | cut -d= -f1 | grep -vxE 'PWD|SHLVL|_|OLDPWD' | sort | tr '\n' ' '`)
	out, err := command(t, "cmd:"+path+" a  $(id) ;b").Call(t.Context(), []byte(`{"a":1}`))
	expect.OK(t, err)
	lines := strings.Split(string(out), "\n")
	expect.Same(t, "input and arguments", lines[:2], []string{`{"a":1}`, "a $(id) ;b"})
	expect.Equal(t, "the rest", lines[3], "LANG PATH ")
	_, err = os.Stat(lines[2])
	expect.Equal(t, "that its folder is gone", os.IsNotExist(err), true)
}

// TestACommandThatHangsIsEndedWithItsChildren, also where it ignores signals.
func TestACommandThatHangsIsEndedWithItsChildren(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	path := program(t, fmt.Sprintf("trap '' TERM INT\nsleep 1000 &\necho $! > %s\necho $$ >> %s\nwait\nsleep 1000", pids, pids))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		testenv.Eventually(t, 10*time.Second, "both to be running", func() bool { text, _ := os.ReadFile(pids); return bytes.Count(text, []byte("\n")) == 2 })
		cancel()
	}()
	_, err := command(t, path).Call(ctx, nil)
	expect.Equal(t, "that it is an error", err != nil, true)
	allEnded(t, pids)
}

// TestWhatACommandLeavesBehindIsEnded: its answer counts.
func TestWhatACommandLeavesBehindIsEnded(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	out, err := command(t, program(t, "sleep 1000 &\necho $! > "+pids+"\necho good")).Call(t.Context(), nil)
	expect.OK(t, err)
	expect.Equal(t, "the answer", string(out), "good\n")
	allEnded(t, pids)
}

// allEnded waits until none of the processes in a file runs; one that nobody has waited for has ended, too.
func allEnded(t *testing.T, pids string) {
	t.Helper()
	text, err := os.ReadFile(pids)
	expect.OK(t, err)
	for pid := range strings.FieldsSeq(string(text)) {
		testenv.Eventually(t, 10*time.Second, "the end of process "+pid, func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
}

func TestACommandThatFailsIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"exit 1":     {"echo no >&2; exit 1", `exit status 1, and it said "no\n"`},
		"10 MB":      {"head -c 10000000 /dev/zero", "more than 64 KiB"},
		"a byte too": {"head -c 65537 /dev/zero", "more than 64 KiB"},
		"a long end": {"head -c 10000000 /dev/zero >&2; exit 3", "exit status 3"},
	} {
		_, err := command(t, program(t, c.text)).Call(t.Context(), nil)
		expect.Contains(t, name, fmt.Sprint(err), c.want)
	}
	out, err := command(t, program(t, "head -c 65536 /dev/zero")).Call(t.Context(), bytes.Repeat([]byte("x"), 1<<20))
	expect.OK(t, err)
	expect.Equal(t, "64 KiB", len(out), maxAnswer)
}

func TestOnlyWhatCanBeCalledIsTaken(t *testing.T) {
	path := program(t, "")
	expect.OK(t, os.Chmod(path, 0o600))
	for _, target := range []string{"cmd:", "cmd:judge", "judge", "/nowhere/judge", path} {
		_, err := NewCommand(target)
		expect.Equal(t, target+" is refused", err != nil, true)
	}
	for target, good := range map[string]bool{
		"https://judge.example/": true, "http://127.0.0.1:80/x": true, "http://localhost/": true, "http://[::1]/": true,
		"http://judge.example/": false, "https://u:p@judge.example/": false, "ftp://judge.example/": false, "https://": false, "http://127.0.0.1.example/": false,
	} {
		_, err := NewService(target, "0123456789abcdef")
		expect.Equal(t, target, err == nil, good)
	}
	_, err := NewService("https://judge.example/", "short")
	expect.Contains(t, "a short secret", fmt.Sprint(err), "16 characters")
	expect.Same(t, "what is a command", []bool{IsCommand("/a"), IsCommand("cmd:/a"), IsCommand("https://a")}, []bool{true, true, false})
}

func serve(t *testing.T, answer http.HandlerFunc) *Service {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	s, err := NewService(server.URL+"/judge?x=secret", "0123456789abcdef")
	expect.OK(t, err)
	return s
}

// TestACallIsSigned as docs/book/judge.md says: a service computes the same from the header and the body.
func TestACallIsSigned(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		at, given, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Sandlot-Signature"), "t="), ",v1=")
		mac := hmac.New(sha256.New, []byte("0123456789abcdef"))
		mac.Write([]byte(at + "." + string(body)))
		expect.Equal(t, "the signature", given, hex.EncodeToString(mac.Sum(nil)))
		expect.Equal(t, "its time", at, "1764352000")
		expect.Equal(t, "the call", r.Method+" "+r.Header.Get("Content-Type")+" "+string(body), `POST application/json {"a":1}`)
		fmt.Fprint(w, "good")
	})
	s.now = func() time.Time { return time.Unix(1764352000, 0) }
	out, err := s.Call(t.Context(), []byte(`{"a":1}`))
	expect.OK(t, err)
	expect.Equal(t, "the answer", string(out), "good")
}

func TestAServiceThatFailsIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/judge" {
				t.Error("a redirect was followed")
			}
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, "307"},
		"500":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "500"},
		"10 MB":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 10_000_000)) }, "64 KiB"},
		"no answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		_, err := serve(t, c.answer).Call(t.Context(), nil)
		expect.Contains(t, name, fmt.Sprint(err), c.want)
		expect.Equal(t, "that the error has no address", strings.Contains(fmt.Sprint(err), "secret"), false)
	}
}

func TestAServiceThatHangsIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := s.Call(ctx, nil)
	expect.Is(t, "the error", err, context.Canceled)
}

// TestNoProxyGetsACall, nor a host whose name leads elsewhere.
func TestNoProxyGetsACall(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	defer l.Close()
	t.Setenv("HTTP_PROXY", "http://"+l.Addr().String())
	t.Setenv("HTTPS_PROXY", "http://"+l.Addr().String())
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "direct") })
	out, err := s.Call(t.Context(), nil)
	expect.OK(t, err)
	expect.Equal(t, "the answer", string(out), "direct")
	expect.Equal(t, "an address of another", onlyLoopback("tcp", "192.0.2.1:80", nil) != nil, true)
}
