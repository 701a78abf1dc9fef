package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

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
	log := newLogger(t.err, c.LogFormat, c.LogLevel)
	defer outliveHangups(log)()
	return c.serve(ctx, log, func(context.Context, sandlot.Places, string) error { return nil })
}

// outliveHangups makes SIGHUP end nothing, until the returned function is called: many programs send it so that a service
// reads its files again.
func outliveHangups(log *slog.Logger) (stop func()) {
	signal.Ignore(syscall.SIGHUP) // undoes the Notify that ends the program
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			log.Info("SIGHUP changes nothing: restart the service to change its settings")
		}
	}()
	return func() { signal.Stop(hangups); close(hangups) }
}

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
	if len(passed) > 0 { // the sockets stay open while the process before this one stops
		s.patience = s.longestStop()
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
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // stopped before it was ready
	case err != nil:
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
	server := server{http: newServer(a.examiner(router), log), router: router}
	way, redirects := open.tls.start(a, router, open.plain, s.connections(a.memory.connections, public(a.places), m))
	defer redirects.Close()
	way.First, way.Idle = server.http.ReadHeaderTimeout, server.http.IdleTimeout
	server.direct = front.NewListener(open.http, way)
	failed := make(chan error, 1)
	go func() { failed <- server.http.Serve(server.direct) }()
	a.start()
	announce(log, a.places, addr)
	manager.notify("READY=1", "STATUS=serving")
	err := ready(ctx, a.places, addr)
	if err == nil {
		select {
		case <-ctx.Done():
			log.Info("stopping", "drain_delay", s.DrainDelay, "stop_grace", s.StopGrace)
		case err = <-failed:
		}
	}
	manager.notify("STOPPING=1", "STATUS=answering the requests under way", extend(s.longestStop()))
	a.tester.Set("This service is stopping.")
	return errors.Join(err, server.stop(s.DrainDelay, s.StopGrace), a.close())
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
