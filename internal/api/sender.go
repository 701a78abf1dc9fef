package api

import (
	"sandlot/internal/brake"
	"sandlot/internal/publish"
)

// sender is where the request comes from, for callers without a key. On a public
// base-url a private address that is not this machine's may be that of a proxy or of
// a container's gateway, with everybody behind it; so may one that nobody knows.
func (a *API) sender(c *call) publish.Sender {
	at := brake.Peer(c.r.RemoteAddr)
	crowd := a.Public && brake.Local(at) && !at.IsLoopback()
	return publish.Sender{Network: brake.Group(at).String(), Shared: crowd || !at.IsValid(), Free: brake.Exempt(at, a.Public)}
}
