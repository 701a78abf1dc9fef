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
	"sandlot/internal/transport/listen"
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
	passed, err := listen.Receive()
	if err != nil {
		return usageError{err}
	}
	defer passed.Close()
	s = s.on(passed)
	plan, err := s.plan()
	if err != nil {
		return usageError{err}
	}
	for _, sentence := range plan.warnings {
		log.Warn(sentence)
	}
	open, err := openListeners(plan, passed)
	if err != nil {
		return err
	}
	defer open.close()
	places, err := s.places(open.http.Addr().String())
	if err != nil {
		return usageError{err}
	}
	if open.tls, err = plan.tls.encrypt(places, open, log); err != nil {
		return err
	}
	debug.SetMemoryLimit(plan.memory.goLimit)
	manager := manager{log}
	var a *app
	err = manager.while("opening the stores", func() (err error) {
		a, err = openApp(ctx, s, places, log)
		return err
	})
	if err != nil {
		return err
	}
	log.Info("memory", a.memory.lines()...)
	return a.run(ctx, open, manager, ready)
}

// run serves on the listeners until ctx ends or one of them fails, and closes the app.
func (a *app) run(ctx context.Context, open listeners, manager manager, ready func(context.Context, sandlot.Places, string) error) error {
	s, log, addr := a.settings, a.log, open.http.Addr().String()
	m := newMetrics(open.metrics == nil)
	router := a.router(m)
	router.clock = &front.Clock{}
	sound := func(ctx context.Context) bool { return len(router.lacks(ctx).missing) == 0 }
	a.workers = append(a.workers, router.clock.Run, func(ctx context.Context) { manager.watch(ctx, sound) })
	private := servePrivate(open.metrics, router, log)
	defer private.Close()
	server := newServer(a.examiner(router), log)
	way, redirects := open.tls.start(a, router, open.plain, s.connections(a.memory.connections, public(a.places), m))
	defer redirects.Close()
	way.First, way.Idle = server.ReadHeaderTimeout, server.IdleTimeout
	direct := front.NewListener(open.http, way)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(direct) }()
	a.start()
	announce(log, a.places, addr)
	manager.notify("READY=1", "STATUS=serving")
	err := ready(ctx, a.places, addr)
	if err == nil {
		select {
		case <-ctx.Done():
			log.Info("stopping", "grace_seconds", grace.Seconds())
		case err = <-failed:
		}
	}
	manager.notify("STOPPING=1", "STATUS=answering the requests under way")
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

// servePrivate serves the metrics on a separate address, if there is one, and the health of the service as well: it
// answers there even while clients have all their connections.
func servePrivate(l net.Listener, router *router, log *slog.Logger) *http.Server {
	mux := http.NewServeMux()
	for _, p := range owns {
		mux.Handle(p.path, readOnly(p.serve(router)))
	}
	profiles(mux)
	server := newServer(mux, log)
	if l == nil {
		return server
	}
	log.Info("metrics", "addr", l.Addr().String())
	few := &connections{slots: admission.NewSlots(0, privateConns, admission.Local), refused: router.metrics.refusals()}
	go func() {
		if err := server.Serve(front.Pace(l, few, nil)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more", "error", err)
		}
	}()
	return server
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
