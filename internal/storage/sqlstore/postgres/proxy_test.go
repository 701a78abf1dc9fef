package postgres

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sandlot/internal/testkit/expect"
)

// What a proxy does with a COMMIT.
type fault int

const (
	none            fault = iota
	lostBefore            // the connection breaks, and the server never gets it
	lostAfter             // the server does it, and the connection breaks before its answer
	lateAfterBroken       // the connection breaks, and the server gets it later
)

// A proxy stands between an engine and its database, and breaks connections.
type proxy struct {
	listener net.Listener
	server   string

	mu      sync.Mutex
	next    fault // of the next COMMIT
	met     int   // faults that happened
	deaf    bool  // nobody answers any more
	then    func()
	clients map[net.Conn]bool
	running sync.WaitGroup
}

// startProxy begins a proxy to the server of that URL, which is stopped when the test ends, and
// returns it with the URL that leads through it.
func startProxy(t testing.TB, address string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	expect.OK(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	p := &proxy{listener: listener, server: u.Host, clients: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(p.stop)
	u.Host = listener.Addr().String()
	return p, u.String()
}

// have has a fault happen to the next COMMIT, and then something more, if it is not nil: after
// the server did it, or before it gets it late.
func (p *proxy) have(f fault, then func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.then, p.met = f, then, 0
}

// happened returns the number of faults since have.
func (p *proxy) happened() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.met
}

// hangUp ends all connections, and those that come while deaf.
func (p *proxy) hangUp(deaf bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = deaf
	for c := range p.clients {
		c.Close()
	}
}

func (p *proxy) stop() {
	p.listener.Close()
	p.hangUp(true)
	p.running.Wait()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		deaf := p.deaf
		p.clients[client] = true
		p.mu.Unlock()
		if deaf {
			client.Close()
			continue
		}
		p.running.Go(func() { p.serve(client) })
	}
}

// serve passes on what a client and the server say, until one of them goes.
func (p *proxy) serve(client net.Conn) {
	defer func() {
		client.Close()
		p.mu.Lock()
		delete(p.clients, client)
		p.mu.Unlock()
	}()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var mute atomic.Bool         // the next answer ends it
	heard := make(chan struct{}) // closed when the server says no more
	go func() {
		defer close(heard)
		defer func() {
			if !mute.Load() {
				client.Close()
			}
		}()
		buffer := make([]byte, 32<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || mute.Load() {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	defer func() { <-heard }()
	defer server.Close()
	for first := true; ; first = false {
		message, err := readMessage(client, first)
		if err != nil {
			return
		}
		if first && asksToCancel(message) {
			// It lasts until the server ends it, also when all hang up: PgBouncer 1.18 is gone where a client leaves before
			// (its issue 801), and with it what other tests have of it.
			if _, err := server.Write(message); err == nil {
				<-heard
			}
			return
		}
		f, then := none, (func())(nil)
		if !first && message[0] == 'Q' && strings.HasPrefix(string(message[5:]), "COMMIT") {
			f, then = p.take()
		}
		switch f {
		case lostBefore:
			return
		case lateAfterBroken:
			client.Close()
			then()
		}
		mute.Store(f != none)
		if _, err := server.Write(message); err != nil {
			return
		}
		if f != none {
			<-heard
			if f == lostAfter && then != nil {
				then()
			}
			return
		}
	}
}

// readMessage reads what a client says at a time. Its first message has no letter.
func readMessage(client net.Conn, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(client, head); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
	_, err := io.ReadFull(client, body)
	return append(head, body...), err
}

// asksToCancel reports whether a first message is a CancelRequest of PostgreSQL's protocol.
func asksToCancel(message []byte) bool {
	const code = 1234<<16 | 5678
	return len(message) >= 8 && binary.BigEndian.Uint32(message[4:]) == code
}

func (p *proxy) take() (fault, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.next
	if p.next = none; f != none {
		p.met++
	}
	return f, p.then
}
