// Package ticket issues tickets: each stands for one publish or update of whoever asked for it, all
// of which was told but the bytes. Whoever has the ticket sends these, once, and needs no key: a
// tool that must not have one, or a command that a person pastes.
//
// It decides what a ticket is for and for how long. Who the bearer is, package publish finds out
// (publish.Authenticator); the call itself is one of publish.Service, under an idempotency key that
// follows from the ticket. So a ticket is used up in the very step that makes what it was for.
package ticket
