package main

import (
	"net"
	"net/netip"

	"github.com/prometheus/client_golang/prometheus"

	"sandlot/internal/domain/admission"
)

const (
	// ownFiles are for the database's connections, folders, workers, listeners and the log: some 40, and more while a backup runs.
	ownFiles = 256
	// filesPart is the part of all descriptors that is kept for files which are read, and the same for bodies which are written.
	filesPart = 8
	// privateConns bounds the connections to the listener of --metrics-listen, which are among the program's own files.
	privateConns = 64
)

// connectionsFor is how many connections there may be with so many descriptors: what
// is left is for the stores, so that a crowd of clients cannot keep them from a file.
// 0 is no limit.
func connectionsFor(files int) int {
	if files == 0 {
		return 0
	}
	return max(files-2*(files/filesPart)-min(ownFiles, files/4), 1)
}

// connections bounds those of clients, and frees the slot of each when it is closed.
type connections struct {
	slots   *admission.Slots
	refused [2]prometheus.Counter // of a network that has its share; of all
}

// connections are limited, of single clients where those have limits. Proxies bring those of many clients, and so have no limit of one.
func (s settings) connections(all int, public bool, m *metrics) *connections {
	each := 0
	if s.limited(public) {
		limits, _ := s.each() // was checked at the start
		each = eachConnection(limits.connections, all)
	}
	proxies, _ := admission.ParseProxies(s.TrustedProxies) // was checked at the start
	exempt := func(a netip.Addr) bool { return admission.Exempt(a, public) || proxies.Trust(a) }
	return &connections{admission.NewSlots(each, all, exempt), m.refusals()}
}

// eachConnection is how many an address may have; 0 is no limit.
func eachConnection(limit, all int) int {
	if limit == 0 {
		return 0
	}
	return max(min(limit, all/4), 1) // of few no address has most
}

// Take reports whether a connection may stay.
func (l *connections) Take(c net.Conn) bool {
	taken, all := l.slots.Take(peerOf(c))
	switch {
	case taken:
		return true
	case all:
		l.refused[1].Inc()
	default:
		l.refused[0].Inc()
	}
	return false
}

// Give is called when a connection that was taken is closed.
func (l *connections) Give(c net.Conn) { l.slots.Give(peerOf(c)) }

func peerOf(c net.Conn) netip.Addr {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}
