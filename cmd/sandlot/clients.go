package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"sandlot/internal/domain/admission"
)

// clients finds the address of a request's client, behind proxies too.
type clients struct {
	proxies admission.Proxies
	public  bool // whether the base URL is public
	log     *slog.Logger

	forgotten sync.Once   // logs a proxy on this machine
	silent    sync.Once   // logs a proxy that forwards requests without an address
	private   atomic.Bool // whether a peer in a private network has been logged
}

// unknown replaces the address of clients that cannot be distinguished. It is not an address, so all of them together
// are one client of every limit, and none on this machine or in its network.
const unknown = "unknown:0"

// name sets the client's address where the rest of the program reads it. A port that only the proxy knows is 0.
func (c *clients) name(r *http.Request) {
	forwarded := r.Header["X-Forwarded-For"]
	if forwarded == nil {
		c.direct(r)
		return
	}
	peer := admission.Peer(r.RemoteAddr)
	if !c.proxies.Trust(peer) {
		c.untrusted(r, peer)
		return
	}
	client, known := c.proxies.Client(peer, forwarded)
	switch {
	case !known, c.public && client.IsLoopback():
		// Only a direct client on this machine has no limits; this one came through a proxy.
		r.RemoteAddr = unknown
	case client != peer:
		r.RemoteAddr = net.JoinHostPort(client.String(), "0")
	}
}

// passing are the other fields by which a proxy shows that it has forwarded a request, though they hold no address that
// is read here. It never changes.
var passing = [...]string{
	"Forwarded", "X-Real-Ip", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "Via",
	"Cf-Connecting-Ip", "True-Client-Ip", "X-Client-Ip",
}

// direct handles a request without a forwarded address. A proxy on this machine may have forwarded it all the same:
// then its client is not on this machine.
func (c *clients) direct(r *http.Request) {
	if !c.public {
		return
	}
	if !admission.Peer(r.RemoteAddr).IsLoopback() {
		c.lookAt(r.RemoteAddr)
		return
	}
	for _, name := range passing {
		if r.Header[name] != nil {
			c.silent.Do(func() {
				c.log.Warn("a proxy on this machine does not tell its clients' addresses: all of them count as one client",
					"mend", "have it send X-Forwarded-For, and start with --trusted-proxies 127.0.0.1,::1")
			})
			r.RemoteAddr = unknown
			return
		}
	}
}

// untrusted handles a request that an untrusted peer claims to have forwarded.
func (c *clients) untrusted(r *http.Request, peer netip.Addr) {
	if !peer.IsLoopback() {
		c.lookAt(r.RemoteAddr)
		return
	}
	c.forgotten.Do(func() {
		means := "all its clients count as one, without limits"
		if c.public {
			means = "all its clients count as one"
		}
		c.log.Warn("untrusted local proxy: "+means, "mend", "--trusted-proxies 127.0.0.1,::1")
	})
	if c.public {
		r.RemoteAddr = unknown
	}
}

// lookAt warns once of a peer in a private network, on a public instance: it may be a proxy, or the gateway of a
// container.
func (c *clients) lookAt(remote string) {
	if !c.public || c.private.Load() {
		return
	}
	if peer := admission.Peer(remote); peer.IsLoopback() || !admission.Local(peer) {
		return
	}
	if c.private.CompareAndSwap(false, true) {
		c.log.Warn("requests come from a private address, which counts as one client: if a proxy or a container's gateway stands there, all its clients share the limits of one",
			"mend", "name a proxy in --trusted-proxies; give a container the addresses of its clients")
	}
}
