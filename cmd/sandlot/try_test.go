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
	"strings"
	"testing"
	"time"

	"sandlot/examples"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestTry does what the README promises a newcomer.
func TestTry(t *testing.T) {
	t.Parallel()
	example, err := fs.ReadFile(examples.Files(), examples.Wick)
	expect.OK(t, err)
	try(t, string(example), func(*testing.T, string, string) {})
}

var (
	opened     = regexp.MustCompile(`open +(http://\S+)`)
	itsPage    = regexp.MustCompile(`its page +(http://\S+)`)
	theGallery = regexp.MustCompile(`the gallery +(http://\S+)`)
)

// TestRegression27TryShowsThePageAndTheGallery: a newcomer was told of the bare file
// alone, and found nothing in the gallery.
func TestRegression27TryShowsThePageAndTheGallery(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "game.html")
	expect.OK(t, os.WriteFile(file, []byte("<!doctype html><title>Mine</title>"), 0o600))
	try(t, "<!doctype html><title>Mine</title>", func(t *testing.T, page, gallery string) {
		t.Helper()
		if got := fetch(t, page); !strings.Contains(got, "<h1") || !strings.Contains(got, "Mine") {
			t.Errorf("at %s there is %.300s", page, got)
		}
		u, err := url.Parse(page)
		expect.OK(t, err)
		if got := fetch(t, gallery); !strings.Contains(got, `href="`+u.Path+`"`) {
			t.Errorf("at %s there is no %s", gallery, u.Path)
		}
	}, file)
}

func try(t *testing.T, want string, check func(t *testing.T, page, gallery string), args ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args = append([]string{"try", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)
	cmd := exec.CommandContext(ctx, testenv.Binary(t), args...)
	out, err := cmd.StdoutPipe()
	expect.OK(t, err)
	expect.OK(t, cmd.Start())
	lines := bufio.NewScanner(out)
	address := firstMatch(lines, opened)
	if address == "" {
		t.Fatal("no address was printed")
	}
	if got := fetch(t, address); got != want {
		t.Errorf("at %s there are %d bytes, want the %d of the file", address, len(got), len(want))
	}
	check(t, firstMatch(lines, itsPage), firstMatch(lines, theGallery))
	expect.OK(t, cmd.Process.Signal(os.Interrupt))
	_, _ = io.Copy(io.Discard, out) // so that the program never waits for us
	expect.Is(t, "interrupted, try ended with", cmd.Wait(), nil)
}

func firstMatch(lines *bufio.Scanner, re *regexp.Regexp) string {
	for lines.Scan() {
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
	expect.OK(t, err)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+u.Port())
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	resp, err := client.Get(address)
	expect.OK(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return string(body)
}
