// Package ticket issues tickets: each permits one publish or update of the caller that requested it, with all fields
// but the bytes. The bearer of the ticket sends these, once, and needs no key: a tool that must not have one, or a
// command that a person pastes.
//
// It decides the call and the life of a ticket. Package identity finds the bearer (identity.Authenticator); the call
// itself is one of publish.Service, under an idempotency key that follows from the ticket. So a ticket is used up in
// the very step that takes effect.
package ticket
