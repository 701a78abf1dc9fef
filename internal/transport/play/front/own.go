package front

import (
	"bytes"
	"context"
	"net"
	"net/http"
)

// Cover adds a line, with its line break, to the header of the answers that net/http gives before any handler: to a
// request that is unreadable (400, 501), whose header is too long (431), or that has an unknown Expect (417). The
// server must serve connections of a Listener or of Pace.
func Cover(server *http.Server, line string) {
	handler := server.Handler
	server.ConnState = func(c net.Conn, _ http.ConnState) { of(c).own = []byte(line) } // called between requests
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, socketKey{}, of(c))
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(socketKey{}).(*socket).own = nil
		handler.ServeHTTP(w, r)
	})
}

// socketKey is the key of a request's *socket in its context.
type socketKey struct{}

// of returns the socket of a connection that net/http serves.
func of(c net.Conn) *socket {
	if handed, ok := c.(*handedConn); ok {
		return handed.socket
	}
	return c.(*socket)
}

// cover returns an answer of net/http with the missing line.
func (s *socket) cover(answer []byte) []byte {
	status, rest, ok := bytes.Cut(answer, []byte("\r\n"))
	if !ok {
		return answer
	}
	return bytes.Join([][]byte{status, []byte("\r\n"), s.own, rest}, nil)
}
