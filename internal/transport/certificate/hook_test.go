package certificate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/libdns/libdns"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

var challenge = []libdns.Record{libdns.RR{Type: "TXT", Name: "_acme-challenge.games", Data: "the-value"}}

// script writes a command for a hook.
func script(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		testenv.Skip(t, "a shell") // there are no scripts
	}
	path := filepath.Join(t.TempDir(), "hook")
	expect.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), mode))
	return path
}

func TestACommandSetsAndDeletesRecords(t *testing.T) {
	t.Setenv("SANDLOT_SECRET", "hidden")
	t.Setenv("PROVIDER_TOKEN", "shown")
	said := filepath.Join(t.TempDir(), "said")
	h := &Hook{Target: script(t, `echo "$1 $2 $3 $# $PROVIDER_TOKEN $SANDLOT_SECRET" >>`+said, 0o755)}
	expect.OK(t, h.Check())
	_, err := h.AppendRecords(t.Context(), "example.", challenge)
	expect.OK(t, err)
	_, err = h.DeleteRecords(t.Context(), "example.", challenge)
	expect.OK(t, err)
	got, err := os.ReadFile(said)
	expect.OK(t, err)
	want := "present _acme-challenge.games.example. the-value 3 shown \ncleanup _acme-challenge.games.example. the-value 3 shown \n"
	if string(got) != want {
		t.Errorf("%q", got)
	}
}

func TestHooksThatDoNotWork(t *testing.T) {
	t.Parallel()
	fails := func(t *testing.T, h *Hook, says ...string) {
		t.Helper()
		_, err := h.AppendRecords(t.Context(), "example.", challenge)
		for _, want := range says {
			if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 2000 {
				t.Errorf("%v, without %q", err, want)
			}
		}
	}
	t.Run("one that hangs is ended with what it started", func(t *testing.T) {
		t.Parallel()
		child := filepath.Join(t.TempDir(), "child")
		h := &Hook{Target: script(t, "sleep 1000 &\necho $! >"+child+"\nwait", 0o755), Wait: 300 * time.Millisecond}
		fails(t, h, "present: it took longer than 300ms")
		pid, err := os.ReadFile(child)
		expect.OK(t, err)
		testenv.Eventually(t, 5*time.Second, "the end of the child", func() bool {
			stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	})
	t.Run("one that fails is quoted, but not at length", func(t *testing.T) {
		t.Parallel()
		fails(t, &Hook{Target: script(t, "head -c 100000 /dev/zero; exit 3", 0o755)}, "exit status 3", `it said "\x00\x00`)
	})
	t.Run("rubbish of one that works does not matter", func(t *testing.T) {
		t.Parallel()
		h := &Hook{Target: script(t, "head -c 100000 /dev/urandom", 0o755)}
		if _, err := h.AppendRecords(t.Context(), "example.", challenge); err != nil {
			t.Error(err)
		}
	})
	t.Run("one that is not executable, missing or a folder is refused", func(t *testing.T) {
		t.Parallel()
		for target, says := range map[string]string{
			script(t, "", 0o644): "is not executable: chmod +x it", "/missing/hook": "no such file", t.TempDir(): "is a directory",
		} {
			if err := (&Hook{Target: target}).Check(); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, without %q", err, says)
			}
		}
	})
}

func TestAURLGetsTheSameAsJSON(t *testing.T) {
	t.Parallel()
	var got []string
	status := http.StatusOK
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]string
		err := json.NewDecoder(r.Body).Decode(&body)
		user, password, _ := r.BasicAuth()
		got = append(got, fmt.Sprint(r.Method, r.URL.Path, body, user, password, err))
		w.WriteHeader(status)
		fmt.Fprint(w, strings.Repeat("no", 10_000))
	}))
	defer server.Close()
	h := &Hook{Target: server.URL + "/dns/", Login: "kim:secret", client: server.Client()}
	expect.OK(t, h.Check())
	_, err := h.AppendRecords(t.Context(), "example.", challenge)
	expect.OK(t, err)
	_, err = h.DeleteRecords(t.Context(), "example.", challenge)
	expect.OK(t, err)
	record := "map[fqdn:_acme-challenge.games.example. value:the-value]kimsecret<nil>"
	if len(got) != 2 || got[0] != "POST/dns/present"+record || got[1] != "POST/dns/cleanup"+record {
		t.Errorf("%q", got)
	}
	status = http.StatusForbidden
	if _, err := h.AppendRecords(t.Context(), "example.", challenge); err == nil || !strings.Contains(err.Error(), "403") || len(err.Error()) > 2000 {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.AppendRecords(ctx, "example.", challenge); err == nil {
		t.Error("it does not end with its context")
	}
}

func TestTSIGKeys(t *testing.T) {
	t.Parallel()
	const key = "key \"sandlot\" {\n\talgorithm hmac-sha256;\n\tsecret \"c2VjcmV0c2VjcmV0\";\n};\n"
	p, err := Updates("ns1.example", key)
	expect.OK(t, err)
	if p.Server != "ns1.example:53" || p.KeyName != "sandlot" || p.KeyAlg != "hmac-sha256" || p.Key != "c2VjcmV0c2VjcmV0" {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"", "c2VjcmV0c2VjcmV0", "sandlot:c2VjcmV0c2VjcmV0", strings.Replace(key, "c2VjcmV0c2VjcmV0", "c2VjcmV0c2VjcmV", 1)} {
		if _, err := Updates("ns1.example", bad); err == nil || strings.Contains(err.Error(), "c2Vj") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
