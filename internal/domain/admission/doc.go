// Package admission decides, before the domain, whether a caller may do an operation now. It knows the address of a
// request, the limits that each operation counts against, and the rest of each address, account and key. Every
// transport stands above it: it names the operation of each of its routes and calls it in one place.
//
// For a request a transport calls [Proxies.Client] for the client's address behind proxies, [Limits.Identify] for the
// caller of a key, [Limits.Admit] for a [Grant] before a byte of the body is read, [Grant.Received] and [Grant.Charge]
// as its bytes come, and [Grant.Done] at the end.
//
// An IPv4 address, or the /64 of an IPv6 address, is one client. All clients of an IPv6 /56 together have four times
// the limits of one, all of a /48 sixteen times. On several nodes [Limits.Share] has each refuse requests beyond the
// limits of all nodes together, a second later at most; the limits of one node on its own never depend on it.
//
// The package does not know the network's protocols. All its records are in memory, within fixed bounds, and forgotten
// at a restart.
package admission
