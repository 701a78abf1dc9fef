package main

import (
	"net"

	"sandlot/internal/transport/listen"
)

// listeners are those of a server, each passed by systemd or its own.
type listeners struct {
	http    net.Listener
	metrics net.Listener // nil: there is none
}

// on returns the settings with the addresses of the passed sockets, so that these are checked like others.
func (s settings) on(passed listen.Passed) settings {
	for name, setting := range map[string]*string{listen.HTTP: &s.Listen, listen.Metrics: &s.MetricsListen} {
		if l := passed[name]; l != nil {
			*setting = listen.Text(l.Addr())
		}
	}
	return s
}

// openListeners takes the passed sockets, and opens those that are missing. A passed socket without a use is an error.
func openListeners(p plan, passed listen.Passed) (l listeners, err error) {
	if l.http = passed.Take(listen.HTTP); l.http == nil {
		if l.http, err = listenOn("--listen", p.listen); err != nil {
			return l, err
		}
	}
	if l.metrics = passed.Take(listen.Metrics); l.metrics == nil && p.metrics != nil {
		if l.metrics, err = listenOn("--metrics-listen", p.metrics); err != nil {
			l.close()
			return l, err
		}
	}
	if err = passed.Unused(); err != nil {
		l.close()
		return l, usageError{err}
	}
	return l, nil
}

// close closes them all. Passed sockets stay open with systemd.
func (l listeners) close() {
	for _, one := range []net.Listener{l.http, l.metrics} {
		if one != nil {
			_ = one.Close() // it may be closed
		}
	}
}
