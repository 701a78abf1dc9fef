package main

import (
	"net"
	"net/netip"

	"github.com/prometheus/client_golang/prometheus"

	"sandlot/internal/domain/admission"
)

const (
	// ownFiles is the number of descriptors for the database's connections, folders, workers, listeners and the log:
	// some 40, and more while a backup runs.
	ownFiles = 256
	// filesPart is the part of all descriptors that is reserved for files being read, and the same again for bodies
	// being written.
	filesPart = 8
	// privateConns is the most connections to the listener of --metrics-listen, which are among the program's own
	// files.
	privateConns = 64
)

// connectionsFor returns the number of connections for so many descriptors: the rest is for the stores, so that a crowd
// of clients cannot keep them from a file. 0 is no limit.
func connectionsFor(files int) int {
	if files == 0 {
		return 0
	}
	return max(files-2*(files/filesPart)-min(ownFiles, files/4), 1)
}

// connections limits the connections of clients, and frees the slot of each when it is closed.
type connections struct {
	slots   *admission.Slots
	refused [2]prometheus.Counter // by a network over its share; by the limit of all
}

// connections returns the limits of connections. They include limits of single clients if the settings do. Proxies
// carry those of many clients, and so have no limit for one.
func (s settings) connections(all int, public bool, m *metrics) *connections {
	each := 0
	if s.limited(public) {
		limits, _ := s.each() // was checked at the start
		each = eachConnection(limits.connections, all)
	}
	proxies, _ := admission.ParseProxies(s.TrustedProxies) // was checked at the start
	exempt := func(a netip.Addr) bool { return admission.Exempt(a, public) || proxies.Trust(a) }
	slots := admission.NewSlots(each, all, exempt)
	m.connections(slots, all)
	return &connections{slots, m.refusals()}
}

// eachConnection returns the number of connections of one address; 0 is no limit.
func eachConnection(limit, all int) int {
	if limit == 0 {
		return 0
	}
	return max(min(limit, all/4), 1) // of a small number no address may take most
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

// Give frees the slot of a connection that Take accepted, when it is closed.
func (l *connections) Give(c net.Conn) { l.slots.Give(peerOf(c)) }

func peerOf(c net.Conn) netip.Addr {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}
