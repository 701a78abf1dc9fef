package main

import (
	"log/slog"
	"net"
	"net/http"
	"sync"

	"sandlot/internal/brake"
)

// clients finds out which address a request comes from, behind proxies too.
type clients struct {
	proxies brake.Proxies
	log     *slog.Logger
	warned  sync.Once
}

// name puts the client's address where the rest of the program looks for it. A
// port that only the proxy knows is 0.
func (c *clients) name(r *http.Request) {
	for_, forwarded := r.Header["X-Forwarded-For"], r.Header["Forwarded"]
	if for_ == nil && forwarded == nil {
		return
	}
	peer := brake.Peer(r.RemoteAddr)
	if !c.proxies.Trust(peer) {
		c.warn(peer.IsLoopback())
		return
	}
	if client := c.proxies.Client(peer, for_, forwarded); client != peer {
		r.RemoteAddr = net.JoinHostPort(client.String(), "0")
	}
}

// warn says once what an operator who has forgotten the setting would hardly
// notice. Others than loopback may send the header to fill the log.
func (c *clients) warn(loopback bool) {
	if loopback {
		c.warned.Do(func() {
			c.log.Warn("a proxy on this machine tells its clients' addresses and is not trusted: all of them count as one, without limits",
				"mend", "--trusted-proxies 127.0.0.1,::1")
		})
	}
}
