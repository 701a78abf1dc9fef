// Package admission decides, before the domain, whether a caller may do an operation now. It knows the address of a
// request, the limits that each operation counts against, and the rest of each address, account and key. Every
// transport stands above it: it names the operation of each of its routes and calls it in one place.
//
// A transport takes these steps for a request:
//
//   - [Proxies.Client] finds the client's address behind proxies.
//   - [Limits.Identify] makes the caller of a key, and counts wrong keys.
//   - [Limits.Admit] counts the operation against its limits and returns a [Grant], before a
//     byte of the body is read.
//   - [Grant.Received] and [Grant.Charge] count the bytes of the body as they come.
//   - [Grant.Done] ends the request.
//
// An IPv4 address, or the /64 of an IPv6 address, is one client. All clients of an IPv6 /56
// together have four times the limits of one, all of a /48 sixteen times.
//
// On several nodes [Limits.Share] has each refuse requests beyond the limits of all nodes together, a second later at
// most; the limits of one node on its own never depend on it.
//
// The package knows neither the network's protocols nor the rules of the service. All its records are in memory, within
// fixed bounds, and forgotten at a restart.
package admission
