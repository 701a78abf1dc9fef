package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/play/front"
)

type serveCommand struct {
	settings
}

// Run serves until ctx ends, and then lets current requests finish.
func (c *serveCommand) Run(ctx context.Context, t *terminal) error {
	signal.Ignore(syscall.SIGPIPE) // a reader that closes the log must not end the service
	return c.serve(ctx, newLogger(t.err, c.LogFormat, c.LogLevel), func(context.Context, sandlot.Places, string) error { return nil })
}

// grace is the time for current requests to finish after a stop.
const grace = 30 * time.Second

// serve runs the service. Once it accepts connections it logs its addresses and passes them to ready; an error of ready
// ends it.
func (s settings) serve(ctx context.Context, log *slog.Logger, ready func(ctx context.Context, p sandlot.Places, addr string) error) error {
	defer flushLog(log)
	plan, err := s.plan()
	if err != nil {
		return usageError{err}
	}
	for _, sentence := range plan.warnings {
		log.Warn(sentence)
	}
	listener, err := listen("--listen", plan.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	places, err := s.places(listener.Addr().String())
	if err != nil {
		return usageError{err}
	}
	debug.SetMemoryLimit(plan.memory.goLimit)
	a, err := openApp(ctx, s, places, log)
	if err != nil {
		return err
	}
	log.Info("memory", a.memory.lines()...)
	m := newMetrics(s.MetricsListen == "")
	router := a.router(m)
	router.clock = &front.Clock{}
	a.workers = append(a.workers, router.clock.Run)
	private, err := servePrivate(plan.metrics, router, log)
	if err != nil {
		return errors.Join(err, a.close())
	}
	defer private.Close()
	server := newServer(a.examiner(router), log)
	direct := front.NewListener(listener, front.Config{
		Handler: router, Slots: s.connections(a.memory.connections, public(places), m), Clock: router.clock,
		First: server.ReadHeaderTimeout, Idle: server.IdleTimeout,
	})
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(direct) }()
	a.start()
	announce(log, places, listener.Addr().String())
	err = ready(ctx, places, listener.Addr().String())
	if err == nil {
		select {
		case <-ctx.Done():
			log.Info("stopping", "grace_seconds", grace.Seconds())
		case err = <-failed:
		}
	}
	router.draining.Store(true)
	router.pages.Close()
	a.tester.Set("This service is stopping.")
	return errors.Join(err, shutdown(server, direct), a.close())
}

// announce logs the addresses of the service and the isolation of projects.
func announce(log *slog.Logger, p sandlot.Places, addr string) {
	mode, means := isolation(p)
	log.Info("listening", "addr", addr, "base_url", p.Base.String(), "content_host", p.Content, "path_form", p.PathForm)
	log.Info("isolation", "mode", mode, "means", means)
}

func listen(flag string, addr *net.TCPAddr) (net.Listener, error) {
	l, err := net.Listen("tcp", addr.String())
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("cannot listen on %s: %w (choose another address with %s)", addr, err, flag)
	}
	return l, nil
}

// servePrivate serves the metrics on a separate address, if there is one, and the health of the service as well: it
// answers there even while clients have all their connections.
func servePrivate(at *net.TCPAddr, router *router, log *slog.Logger) (*http.Server, error) {
	mux := http.NewServeMux()
	for _, p := range owns {
		mux.Handle(p.path, readOnly(p.serve(router)))
	}
	profiles(mux)
	server := newServer(mux, log)
	if at == nil {
		return server, nil
	}
	l, err := listen("--metrics-listen", at)
	if err != nil {
		return nil, err
	}
	log.Info("metrics", "addr", l.Addr().String())
	few := &connections{slots: admission.NewSlots(0, privateConns, admission.Local), refused: router.metrics.refusals()}
	go func() {
		if err := server.Serve(front.Pace(l, few, nil)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more", "error", err)
		}
	}()
	return server, nil
}

// shutdown lets requests finish, and cuts those left after the grace.
func shutdown(server *http.Server, direct *front.Listener) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	// The front's requests had the same time; a cut there is no error either.
	if cut := direct.Shutdown(ctx); err == nil && !errors.Is(cut, context.DeadlineExceeded) {
		err = cut
	}
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}
