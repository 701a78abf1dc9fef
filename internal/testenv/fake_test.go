package testenv

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// The test binary plays the sandlot program: run as "serve" it listens, counts its starts in the data folder, and ends on SIGTERM.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(fakeServe(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fakeServe understands --fake-json (log as JSON), --fake-broken (end before listening) and --fake-status (exit with 3 when stopped).
func fakeServe(args []string) int {
	if slices.Contains(args, "--fake-broken") {
		fmt.Fprintln(os.Stderr, "the data folder is not readable")
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	data := args[slices.Index(args, "--data")+1]
	starts, err := os.OpenFile(filepath.Join(data, "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 2
	}
	fmt.Fprintln(starts, "started")
	starts.Close()
	l, err := net.Listen("tcp", args[slices.Index(args, "--listen")+1])
	if err != nil {
		return 2
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %q", r.Host, os.Getenv("SANDLOT_BASE_URL"))
	}))
	var h slog.Handler = slog.NewTextHandler(os.Stderr, nil)
	if slices.Contains(args, "--fake-json") {
		h = slog.NewJSONHandler(os.Stderr, nil)
	}
	slog.New(h).Info("opening", "addr", "elsewhere:1")
	slog.New(h).Info("listening", "addr", l.Addr().String(), "metrics_addr", "")
	<-ctx.Done()
	slog.New(h).Info("stopped")
	if slices.Contains(args, "--fake-status") {
		return 3
	}
	return 0
}
