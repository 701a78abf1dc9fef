package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
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

// thisMachine is the address of a program that connects through a Unix socket, which has no address of its own.
var thisMachine = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// name sets the client's address where the rest of the program reads it. A port that only the proxy knows is 0. The peer
// of a Unix socket is a trusted proxy at thisMachine, for its mode and its folder decide which programs reach it.
func (c *clients) name(r *http.Request) {
	forwarded := r.Header["X-Forwarded-For"]
	peer, proxies := admission.Peer(r.RemoteAddr), c.proxies
	if !peer.IsValid() {
		peer, proxies = thisMachine, append(slices.Clip(proxies), netip.PrefixFrom(thisMachine, thisMachine.BitLen()))
		r.RemoteAddr = net.JoinHostPort(peer.String(), "0")
	}
	if forwarded != nil && proxies.Trust(peer) {
		client, known := proxies.Client(peer, forwarded)
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
