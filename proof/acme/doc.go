// Package acme has the test of certificates by ACME: the real program, or its own part of it, with an authority (pebble) and
// a name server that both ask, all on this machine.
package acme
