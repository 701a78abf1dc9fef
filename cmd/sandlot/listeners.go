package main

import (
	"net"

	"sandlot/internal/transport/listen"
)

// listeners holds the listeners of a server, each passed by systemd or opened by the server.
type listeners struct {
	http    net.Listener // of the service, with TLS if there is one
	plain   net.Listener // of redirects to TLS; nil: there is none
	metrics net.Listener // nil: there is none
	tls     *encryption  // nil: there is none
}

// on returns the settings with the addresses of the passed sockets, so that these are checked like others.
func (s settings) on(passed listen.Passed) settings {
	settings := map[string]*string{listen.HTTP: &s.Listen, listen.Metrics: &s.MetricsListen}
	if s.endsTLS() {
		settings[listen.HTTPS], settings[listen.HTTP] = &s.Listen, &s.HTTPListen
	}
	for name, setting := range settings {
		if l := passed[name]; l != nil {
			*setting = listen.Text(l.Addr())
		}
	}
	return s
}

// openListeners takes the passed sockets, and opens those that are missing. A passed socket without a use is an error.
func openListeners(p plan, passed listen.Passed) (l listeners, err error) {
	open := func(name, flag string, at net.Addr) net.Listener {
		l := passed.Take(name)
		if l == nil && at != nil && err == nil {
			l, err = listenOn(flag, at)
		}
		return l
	}
	name := listen.HTTP
	if p.tls.on() {
		name = listen.HTTPS
		l.plain = open(listen.HTTP, "--http-listen", p.tls.http)
	}
	l.http = open(name, "--listen", p.listen)
	l.metrics = open(listen.Metrics, "--metrics-listen", p.metrics)
	if unused := passed.Unused(); err == nil && unused != nil {
		err = usageError{unused}
	}
	if err != nil {
		l.close()
	}
	return l, err
}

// close closes them all. Passed sockets stay open with systemd.
func (l listeners) close() {
	for _, one := range []net.Listener{l.http, l.plain, l.metrics} {
		if one != nil {
			_ = one.Close() // it may be closed
		}
	}
}
