package api

import (
	"sandlot/internal/admission"
	"sandlot/internal/publish"
)

// sender is where the request comes from, for callers without a key. On a public
// base-url a private address that is not this machine's may be that of a proxy or of
// a container's gateway, with everybody behind it; so may one that nobody knows.
func (a *API) sender(c *call) publish.Sender {
	at := admission.Peer(c.r.RemoteAddr)
	crowd := a.Public && admission.Local(at) && !at.IsLoopback()
	return publish.Sender{Network: admission.Group(at).String(), Shared: crowd || !at.IsValid(), Free: admission.Exempt(at, a.Public)}
}
