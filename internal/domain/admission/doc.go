// Package admission decides what a caller may do now, before the domain is asked. It knows
// which address a request comes from, what each operation counts against, and what each
// address, account and key have left. Every transport stands above it: it names the
// operation of each of its routes and asks in one place.
//
// A transport takes these steps for a request:
//
//   - [Proxies.Client] finds the client's address behind proxies.
//   - [Limits.Identify] makes the caller of a key, and counts wrong keys.
//   - [Limits.Admit] takes what the operation counts against and returns a [Grant], before a
//     byte of the body is read.
//   - [Grant.Received] and [Grant.Charge] count the bytes of the body as they come.
//   - [Grant.Done] ends the request.
//
// An IPv4 address, or the /64 of an IPv6 address, is one client. All clients of an IPv6 /56
// together have four times the limits of one, all of a /48 sixteen times.
//
// Where several nodes serve, [Limits.Share] has each refuse what all of them together have already
// let pass, a second later at most; what one of them lets pass on its own never depends on it.
//
// The package knows neither the network's protocols nor the rules of the service. All that
// it keeps is in memory, within fixed bounds, and forgotten at a restart.
package admission
