package model_test

import (
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/ticket"
)

// ticketed is a ticket that was given out.
type ticketed struct {
	sandlot.Secret
	id      string
	by      actor
	told    ticket.Told
	project *project // of an update
	expires time.Time

	made    *project // once it was used, with what it made
	version int
	text    string
}

// mostTickets is how many are remembered.
const mostTickets = 6

// askTicket asks for one, of which nothing is made yet.
func (m *machine) askTicket(t *rapid.T) {
	by := m.actor(t)
	told := ticket.Told{Title: maybe(t, "title", "Space Cats"), Update: rapid.Bool().Draw(t, "update")}
	var p *project
	var why []sandlot.Code
	if told.Update {
		told.Filename = rapid.SampledFrom(names).Draw(t, "filename")
		if told.Project, p, why = m.target(t, by); told.Project == "" {
			p, why = nil, append(why, sandlot.CodeKeyRequired, sandlot.CodeProjectIDRequired)
		}
		if told.IfVersion = ifVersion(t, p); told.IfVersion != nil && *told.IfVersion != len(p.versions) {
			why = append(why, sandlot.CodeVersionConflict)
		}
	} else {
		if by.nobody() {
			if told.Email = orEmpty(maybe(t, "email", "ada@example.org", "bob@example.org")); told.Email == "" {
				why = append(why, sandlot.CodeEmailRequired)
			}
		}
		if by.scoped() {
			why = append(why, sandlot.CodeAccountKeyRequired)
		}
	}
	out, err := m.tickets.Issue(t.Context(), m.caller(t, by), told)
	if !m.happened(t, "ask for a ticket", err, why) {
		return
	}
	m.given = append(m.given, &ticketed{Secret: out.Ticket, id: out.ID, by: by, told: told, project: p, expires: m.now.Add(sandlot.TicketLife)})
	m.given = m.given[max(0, len(m.given)-mostTickets):]
}

// useTicket sends bytes with one: those that it was used for before, or other ones.
func (m *machine) useTicket(t *rapid.T) {
	if len(m.given) == 0 {
		m.askTicket(t)
		return
	}
	g := pick(t, "ticket", m.given)
	sent := text(t)
	if g.made != nil && often(t, "the same bytes") {
		sent = g.text
	}
	var out publish.Published
	var changed publish.Updated
	err := m.call(t, func() error { return m.send1(t, g, sent, &out, &changed) })
	switch {
	case !m.now.Before(g.expires):
		m.happened(t, "a ticket that has expired", err, []sandlot.Code{sandlot.CodeInvalidKey})
	case g.made != nil && sent != g.text:
		m.happened(t, "other bytes with a ticket that was used", err, []sandlot.Code{sandlot.CodeTicketUsed})
	case g.made != nil:
		if m.happened(t, "the same bytes with a ticket", err, nil) {
			g.again(t, out, changed)
		}
	default:
		m.used(t, g, sent, out, changed, err)
	}
}

// send1 makes the call of a ticket.
func (m *machine) send1(t *rapid.T, g *ticketed, sent string, out *publish.Published, changed *publish.Updated) error {
	by, err := m.Identify(t.Context(), sandlot.Presented{Key: g.Secret}, elsewhere)
	if err != nil {
		return err
	}
	call, err := m.tickets.Call(t.Context(), by, g.id)
	if err != nil {
		return err
	}
	content, err := m.stage(t, sent)
	switch {
	case err != nil:
		return err
	case call.Update != nil:
		call.Update.Content = content
		*changed, _, err = m.Update(t.Context(), by, *call.Update)
	default:
		call.Publish.Content = content
		*out, _, err = m.Publish(t.Context(), by, *call.Publish)
	}
	return err
}

// used compares what came of a ticket that was not used before.
func (m *machine) used(t *rapid.T, g *ticketed, sent string, out publish.Published, changed publish.Updated, err error) {
	if g.told.Update {
		if !m.happened(t, "update by ticket", err, refusedPut(g.project, g.told.Filename, sent, g.told.IfVersion)) {
			return
		}
		m.updated(t, g.project, changed, g.told.Filename, sent, g.told.Title)
		g.made = g.project
	} else {
		why := refusedContent(primary, sent, primary)
		if m.full(g.by) {
			why = append(why, sandlot.CodeQuotaExceeded)
		}
		if !m.happened(t, "publish by ticket", err, why) {
			return
		}
		owner, words := g.by.account, project{title: orEmpty(g.told.Title)}
		if owner == nil {
			owner = m.newAccount(t, *out.Account, out.Keys.Account, g.told.Email)
			m.accounts = append(m.accounts, owner)
		} else if out.Keys.Account != "" {
			t.Fatal("whoever has a ticket is given the account's key")
		}
		if words.title == "" {
			words.title = title(sent)
		}
		out.Keys.Account = owner.key
		g.made = m.published(t, owner, out, words, version{files: m.files(map[string]string{primary: sent}), primary: primary})
	}
	g.version, g.text, g.expires = len(g.made.versions), sent, m.now.Add(publish.IdempotencyLife)
}

// again compares an answer that is given again.
func (g *ticketed) again(t *rapid.T, out publish.Published, changed publish.Updated) {
	got, replayed, key := out.Project, out.FromRecord, out.Keys.Project
	if g.told.Update {
		got, replayed, key = changed.Project, changed.FromRecord, g.made.key
	}
	if !replayed || got.ID != g.made.id || got.Version != g.version || got.Suffix != g.made.versions[g.version-1].suffix || key != g.made.key {
		t.Fatalf("the same bytes again yield %+v, want version %d of %s", got, g.version, g.made.id)
	}
}
