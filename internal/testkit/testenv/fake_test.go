package testenv

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// The test binary plays the sandlot program: run as "serve" it listens, and ends on SIGTERM.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(fakeServe(os.Args[2:]))
	}
	Main(m)
}

// fakeServe understands --fake-broken: it ends before it listens.
func fakeServe(args []string) int {
	if slices.Contains(args, "--fake-broken") {
		fmt.Fprintln(os.Stderr, "the data folder is not readable")
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", args[slices.Index(args, "--listen")+1])
	if err != nil {
		return 2
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %q", r.Host, os.Getenv("SANDLOT_BASE_URL"))
	}))
	slog.New(slog.NewTextHandler(os.Stderr, nil)).Info("listening", "addr", l.Addr().String())
	<-ctx.Done()
	return 0
}
