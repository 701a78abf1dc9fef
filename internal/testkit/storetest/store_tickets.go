package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/ticket"
)

func ticketCases() []storeCase {
	return []storeCase{
		{"AddTicket/or one of its Wider networks has", tooManyTicketsAround},
		{"Ticket/with the key that asked for it, or ErrNotFound where that was revoked", ticketOfKey},
		{"Ticket/a step uses it up, and it is kept as long as the record", useTicket},
		{"Sweep/forgets tickets that have expired", sweepTickets},
	}
}

// three may wait, of everybody.
var three = ticket.Most{3, 4, 5}

func ticketOf(name string) sandlot.Ticket {
	return sandlot.Ticket{Hash: sum("ticket " + name), Owner: sum("owner"), Told: []byte("told " + name), ExpiresAt: base().Add(time.Hour)}
}

func tooManyTicketsAround(t *testing.T, s Stores) {
	for i, most := range three[1:] {
		for n := range most + 1 {
			k := ticketOf(string(rune('a'+i)) + string(rune('0'+n)))
			k.Owner, k.Wider[i] = sum(k.Hash.String()), sum("around")
			err := s.Tickets.AddTicket(t.Context(), k, three)
			if n < most {
				ok(t, err)
			} else {
				wants(t, "one more", err, publish.ErrTooMany)
			}
		}
	}
}

func ticketOfKey(t *testing.T, s Stores) {
	np := newProject("pong", 0)
	na := newAccount("kim")
	np.New = &na
	must(s.Publish.CreateProject(t.Context(), np))(t)
	key := must(s.Credentials.KeyByHash(t.Context(), np.Key.Hash))(t)
	k := ticketOf("a")
	k.Key = key.ID
	ok(t, s.Tickets.AddTicket(t.Context(), k, three))
	got, of, err := s.Credentials.Ticket(t.Context(), k.Hash, base())
	ok(t, err)
	same(t, "the ticket", got, k)
	same(t, "its key", of, key)
	s.Revoke(t, np.Key.Hash)
	_, _, err = s.Credentials.Ticket(t.Context(), k.Hash, base())
	wants(t, "the ticket of a revoked key", err, sandlot.ErrNotFound)
}

func useTicket(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := ticketOf("a")
	ok(t, s.Tickets.AddTicket(t.Context(), k, ticket.Most{1}))
	rec := recordOf("pong")
	rec.Ticket, rec.ExpiresAt = k.Hash, base().Add(2*time.Hour)
	at := edit(p)
	at.Idempotency = rec
	stale := at
	stale.Expect++
	_, err := s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), stale)
	wants(t, "a step that fails", err, sandlot.ErrMoved)
	got, _, err := s.Credentials.Ticket(t.Context(), k.Hash, base())
	ok(t, err)
	same(t, "the ticket after it", got, k)
	_, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at)
	ok(t, err)
	k.Used, k.ExpiresAt = true, rec.ExpiresAt
	got, _, err = s.Credentials.Ticket(t.Context(), k.Hash, base())
	ok(t, err)
	same(t, "the ticket", got, k)
	ok(t, s.Tickets.AddTicket(t.Context(), ticketOf("b"), ticket.Most{1}))
}

func sweepTickets(t *testing.T, s Stores) {
	k := ticketOf("a")
	ok(t, s.Tickets.AddTicket(t.Context(), k, three))
	for _, later := range []time.Duration{30 * time.Minute, 2 * time.Hour} {
		_, _, err := s.Upkeep.Sweep(t.Context(), k.ExpiresAt.Add(later), base(), 100)
		ok(t, err)
		_, _, err = s.Credentials.Ticket(t.Context(), k.Hash, base())
		if later < time.Hour {
			ok(t, err)
		} else {
			wants(t, "the ticket", err, sandlot.ErrNotFound)
		}
	}
	// Without its record a used one would be good again by a clock that is set back.
	used := ticketOf("used")
	ok(t, s.Tickets.AddTicket(t.Context(), used, three))
	p, rec := s.mustProject(t, "pong"), recordOf("pong")
	rec.Ticket, rec.ExpiresAt = used.Hash, base().Add(2*time.Hour)
	at := edit(p)
	at.Idempotency = rec
	_, err := s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at)
	ok(t, err)
	_, _, err = s.Upkeep.Sweep(t.Context(), rec.ExpiresAt.Add(time.Minute), base(), 100)
	ok(t, err)
	wants(t, "the record", drop(s.Publish.IdempotencyRecord(t.Context(), rec.Key, base())), sandlot.ErrNotFound)
	_, _, err = s.Credentials.Ticket(t.Context(), used.Hash, base())
	wants(t, "the ticket that was used", err, sandlot.ErrNotFound)
}
