package main

import (
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"

	"sandlot/internal/domain/admission"
)

// clients finds the address of a request's client, behind proxies too.
type clients struct {
	proxies admission.Proxies
	public  bool // whether the base URL is public
	log     *slog.Logger

	warned sync.Once
}

// unknown replaces the address of clients that cannot be distinguished. It is not an address, so all of them together
// are one client of every limit, and none on this machine or in its network.
const unknown = "unknown:0"

// name sets the client's address where the rest of the program reads it. A port that only the proxy knows is 0.
func (c *clients) name(r *http.Request) {
	forwarded := r.Header["X-Forwarded-For"]
	peer := admission.Peer(r.RemoteAddr)
	if forwarded != nil && c.proxies.Trust(peer) {
		client, known := c.proxies.Client(peer, forwarded)
		switch {
		case !known, c.public && client.IsLoopback():
			// Only a direct client on this machine has no limits; this one came through a proxy.
			r.RemoteAddr = unknown
		case client != peer:
			r.RemoteAddr = net.JoinHostPort(client.String(), "0")
		}
		return
	}
	proxy := peer.IsLoopback() && (forwarded != nil || c.public && passedOn(r.Header))
	if proxy || c.public && !peer.IsLoopback() && admission.Local(peer) { // a container's gateway looks like the latter
		c.warned.Do(func() {
			c.log.Warn("requests seem to come through a proxy whose word is not taken: all its clients count as one",
				"mend", "let it send X-Forwarded-For, and name it, as in --trusted-proxies 127.0.0.1,::1")
		})
	}
	if proxy && c.public {
		r.RemoteAddr = unknown // its clients are not on this machine
	}
}

// passing are the other fields by which a proxy shows that it has forwarded a request, though they hold no address that
// is read here. It never changes.
var passing = [...]string{
	"Forwarded", "X-Real-Ip", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "Via", "Cf-Connecting-Ip",
	"True-Client-Ip", "X-Client-Ip",
}

func passedOn(h http.Header) bool {
	return slices.ContainsFunc(passing[:], func(name string) bool { return h[name] != nil })
}
