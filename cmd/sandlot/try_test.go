package main

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"sandlot/examples"
	"sandlot/internal/testenv"
)

// TestTry does what the README promises a newcomer.
func TestTry(t *testing.T) {
	example, err := fs.ReadFile(examples.Files(), examples.Wick)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "game.html")
	if err := os.WriteFile(file, []byte("<!doctype html><title>Mine</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("without a file it publishes an example", func(t *testing.T) { try(t, string(example)) })
	t.Run("it publishes the file, and serves until it is interrupted", func(t *testing.T) { try(t, "<!doctype html><title>Mine</title>", file) })
}

var opened = regexp.MustCompile(`open +(http://\S+)`)

func try(t *testing.T, want string, args ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args = append([]string{"try", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)
	cmd := exec.CommandContext(ctx, testenv.Binary(t), args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := firstMatch(out, opened)
	if address == "" {
		t.Fatal("no address was printed")
	}
	if got := fetch(t, address); got != want {
		t.Errorf("at %s there are %d bytes, want the %d of the file", address, len(got), len(want))
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out) // so that the program never waits for us
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted, try ended with %v", err)
	}
}

func firstMatch(r io.Reader, re *regexp.Regexp) string {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if m := re.FindStringSubmatch(lines.Text()); m != nil {
			return m[1]
		}
	}
	return ""
}

// fetch gets what lies at an address under localhost, which Go's resolver may
// not know.
func fetch(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+u.Port())
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	resp, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
