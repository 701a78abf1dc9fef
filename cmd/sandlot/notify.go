package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// A manager is the service manager that started the program, such as systemd, if it listens to notifications
// (sd_notify(3)). Otherwise its methods notify nobody. They may be called concurrently.
type manager struct{ log *slog.Logger }

// notify sends lines to the service manager.
func (m manager) notify(lines ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil {
		m.log.Warn("the service manager could not be notified", "error", err)
	}
}

const (
	// extendEvery is the interval at which a start that goes on asks for more time, and extension the time it asks for.
	extendEvery = 5 * time.Second
	extension   = 4 * extendEvery
)

// while runs a step of the start that may take long, such as a migration, and asks the service manager for more time
// until it ends.
func (m manager) while(status string, step func() error) error {
	done := make(chan error, 1)
	go func() { done <- step() }()
	tick := time.NewTicker(extendEvery)
	defer tick.Stop()
	for {
		m.notify("STATUS="+status, extend(extension))
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
	}
}

// extend returns the line that asks for at least d before the service manager gives up.
func extend(d time.Duration) string { return fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", d.Microseconds()) }

// watch reports until ctx ends that the program lives, at half of the interval that the service manager expects, as
// long as sound returns true.
func (m manager) watch(ctx context.Context, sound func(context.Context) bool) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		m.log.Warn("the service manager's watchdog is off", "error", err)
	}
	if every <= 0 {
		return
	}
	tick := time.NewTicker(every / 2)
	defer tick.Stop()
	for {
		if sound(ctx) {
			m.notify("WATCHDOG=1")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
