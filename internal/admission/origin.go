package admission

import (
	"net/netip"

	"sandlot/internal/publish"
)

// Origin is where a request comes from, and whose it is as far as that is known.
type Origin struct {
	Addr    netip.Addr // the client's, as Proxies.Client finds it; the zero Addr where nobody knows
	Account int64      // 0 for nobody
	Key     int64      // 0 for nobody, and for the owner of an account in a session
}

// From is the origin of a caller at an address in the form host:port, as a server names its peer.
func From(hostport string, by publish.Caller) Origin {
	return Origin{Addr: Peer(hostport), Account: int64(by.Account()), Key: by.Key().ID}
}

// Sender is the origin as the domain sees it, to tell callers without a key apart. On
// an instance for everybody a private address that is not this machine's may be that of
// a proxy or of a container's gateway, with everybody behind it; so may one that nobody
// knows.
func (l *Limits) Sender(o Origin) publish.Sender {
	public := l != nil && l.Public
	crowd := public && Local(o.Addr) && !o.Addr.IsLoopback()
	return publish.Sender{Network: Group(o.Addr).String(), Shared: crowd || !o.Addr.IsValid(), Free: Exempt(o.Addr, public)}
}
