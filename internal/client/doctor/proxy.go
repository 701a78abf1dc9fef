package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// largest is the length of the largest request: 100 MiB in base64, and some room for the other fields.
const largest = 100<<20*4/3 + 1<<20

// proxy checks the path between a visitor and the service.
func (s Site) proxy(ctx context.Context, q request) []Finding {
	var address, events, bodies Finding
	var asking sync.WaitGroup
	asking.Go(func() { address, events = s.streams(ctx, q) })
	asking.Go(func() { bodies = s.bodies(ctx, q) })
	asking.Wait()
	return about("proxy", address, events, bodies)
}

// streams reads both events, and judges their arrival and the origin of the request.
func (s Site) streams(ctx context.Context, q request) (address, events Finding) {
	q.wait = true
	got, err := s.ask(ctx, q)
	if err != nil {
		lost := bad("the second answer did not arrive: "+got.elsewhere(err), "Look at the log of the proxy.")
		return lost, lost
	}
	events = good("answers are passed on as they come")
	if got.spread < Pause/4 {
		events = bad("the proxy buffers answers: what the service sends at once arrives at the end",
			"nginx: leave out proxy_ignore_headers X-Accel-Buffering, or proxy_buffering off; elsewhere switch off the buffering and "+
				"compression of text/event-stream.")
	}
	return s.address(got), events
}

// address judges whether the service knows the visitor's address.
func (s Site) address(got answer) Finding {
	peer := hostname(got.seen.Peer)
	const set = "Let the proxy set or append to X-Forwarded-For: nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; " +
		"HAProxy: option forwardfor; Caddy does by itself."
	trust := "Name the proxy: --trusted-proxies " + peer
	both := set + " " + trust
	if got.seen.Trusted {
		both = set
	}
	switch {
	case got.seen.Peer == got.local || got.seen.TLS:
		return good("visitors reach the service itself, without a proxy")
	case got.seen.Forwarded == "":
		return bad(fmt.Sprintf("the proxy %s hides the visitor's address: it sends no X-Forwarded-For", peer), both)
	case strings.TrimSpace(got.seen.Forwarded) == forged:
		return bad(fmt.Sprintf("the proxy %s passes X-Forwarded-For on as the visitor wrote it, so anyone can claim any address", peer), both)
	case !got.seen.Trusted:
		return bad(fmt.Sprintf("the service does not believe the proxy %s, so all visitors count as one", peer), trust)
	case got.seen.Client == "":
		return bad(fmt.Sprintf("the proxy %s sends an X-Forwarded-For without a readable address: %q", peer, got.seen.Forwarded), set)
	}
	return good(fmt.Sprintf("the visitor's address arrives through the proxy %s", peer))
}

// bodies declares the largest body, and sends a little of it: a limit refuses it by its length, and a buffer passes
// nothing on before the end.
func (s Site) bodies(ctx context.Context, q request) Finding {
	q.length = largest
	got, err := s.ask(ctx, q)
	var late net.Error
	switch {
	case err == nil:
		return good("bodies of 100 MB are taken, and passed on as they come")
	case got.status == http.StatusOK: // an answer that is buffered may be lost with the body
		return good("bodies of 100 MB are taken")
	case got.status == http.StatusRequestEntityTooLarge:
		return bad("the proxy refuses bodies of 100 MB (413)", "nginx: client_max_body_size 0; the service has limits of its own.")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return warn("the proxy keeps a body until it is whole: uploads take longer, and room on its disk",
			"nginx: proxy_request_buffering off;")
	}
	return bad("a large body is not passed on: "+got.elsewhere(err), "Look at the log of the proxy for its limit.")
}

// SeeFrom returns a description of a request for an Examiner: where it comes from, and as which client it counts.
func SeeFrom(r *http.Request, trusts func(netip.Addr) bool, client func(netip.Addr, []string) (netip.Addr, bool)) Seen {
	forwarded := r.Header["X-Forwarded-For"]
	seen := Seen{Peer: r.RemoteAddr, Forwarded: strings.Join(forwarded, ", ")}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return seen
	}
	peer := at.Addr().Unmap()
	seen.Trusted = trusts(peer)
	if a, known := client(peer, forwarded); known {
		seen.Client = a.String()
	}
	return seen
}
