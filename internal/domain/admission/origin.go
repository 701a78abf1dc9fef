package admission

import (
	"net/netip"

	"sandlot"
)

// Origin is the address and the caller of a request, as far as they are known.
type Origin struct {
	Addr    netip.Addr // the client's address, as Proxies.Client finds it; the zero Addr if unknown
	Account int64      // of the caller; 0 for nobody
	Key     int64      // of the caller; 0 for nobody, and for a session
}

// From returns the origin of a caller at an address in the form host:port.
func From(hostport string, by sandlot.Caller) Origin {
	return Origin{Addr: Peer(hostport), Account: int64(by.Account()), Key: by.Key().ID}
}

// Sender returns the origin as the domain sees it, to distinguish callers without a key. It is Shared if anybody at all
// may come from that network: if the address is unknown, and, on a public instance, if it is a private address other
// than this machine's, behind which may be a proxy or the gateway of a container.
func (l *Limits) Sender(o Origin) sandlot.Sender {
	public := l != nil && l.Public
	crowd := public && Local(o.Addr) && !o.Addr.IsLoopback()
	return sandlot.Sender{Network: Group(o.Addr).String(), Shared: crowd || !o.Addr.IsValid(), Free: Exempt(o.Addr, public)}
}
