package model_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	owners "sandlot/internal/domain/account"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/heads"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
)

// A set is what the machine keeps everything in: SQLite and a disk, or PostgreSQL and a bucket.
type set interface {
	// open starts a node on what is stored.
	open(t *rapid.T, m *machine) *node
	// cutAfter has the power go after so many steps of a node.
	cutAfter(n *node, steps int)
	// crash is what a crash leaves of a node, which is gone: seed says what, where it is not decided.
	crash(t *rapid.T, m *machine, n *node, seed uint64)
	// power is the error of what is asked of a node that has none.
	power() error
	// sure reports whether a call that got that error has had no effect.
	sure() bool
}

// A node is one Service, with what the test asks of it beside.
type node struct {
	*publish.Service
	*identity.Authenticator
	owners   *owners.Service
	operator *operate.Service // a command beside the node, which does not share its heads
	players  *players.Service
	boards   *boards.Service
	vault    *sandlot.Vault
	db       *sqlstore.DB
	blobs    sandlot.Blobs // as the collector has them

	number int // no other node has had it
	opened int // how many changes there were
	close  func(t *rapid.T)
	dead   *power // of one on the full set
}

// config is that of every node.
var config = publish.Config{
	Places:    sandlot.Places{Base: &url.URL{Scheme: "http", Host: "localhost:8080"}, Content: "localhost:8080", PathForm: true},
	InlineMax: inlineMax, MaxFile: maxFile, MaxFiles: maxFiles, MaxUploads: maxUploads, Quota: publish.Quota{Projects: maxProjects},
}

// options are those of every node.
func (m *machine) options() []publish.Option {
	return []publish.Option{
		publish.WithClock(m.clock.Now), publish.WithRandom(m.random),
		publish.WithElapsed(func() time.Duration { return m.elapsed }),
	}
}

// newNode makes one on its stores.
func (m *machine) newNode(ctx context.Context, db *sqlstore.DB, stores publish.Stores) (*node, error) {
	log := slog.New(slog.DiscardHandler)
	beside := *db
	n := &node{db: db, Authenticator: &identity.Authenticator{Store: db.Credentials(), Now: m.clock.Now, Log: log}}
	stores.Statistics = uncounted{}
	var err error
	if n.Service, err = publish.New(ctx, config, stores, log, m.options()...); err != nil {
		return nil, err
	}
	if n.owners, err = owners.New(ctx, owners.Config{}, db.Account().Stores(),
		owners.WithClock(m.clock.Now)); err != nil {
		return nil, err
	}
	if n.vault, err = sandlot.OpenVault(ctx, db.Publish(), m.random); err != nil {
		return nil, err
	}
	n.players = players.New(players.Config{Store: db.Players(), Projects: n.Reader, Vault: n.vault, Now: m.clock.Now, Log: log})
	n.boards = boards.New(boards.Config{Store: db.Boards(), Projects: n.Reader, Vault: n.vault, Limits: n.players.Limits(), Now: m.clock.Now})
	n.operator, err = operate.New(ctx, operate.Config{}, beside.Operate(), operate.WithClock(m.clock.Now))
	return n, err
}

// uncounted are the counts of a model without plays and likes.
type uncounted struct{}

func (uncounted) Stats(context.Context, sandlot.Project) (none sandlot.Stats)     { return none }
func (uncounted) ListStats(context.Context, sandlot.Project) (none sandlot.Stats) { return none }

// open starts a node in the place of one that is gone, if there is a place for it, and goes to it.
func (m *machine) open(t *rapid.T, place int) {
	n := m.set.open(t, m)
	m.opened++
	n.number, n.opened = m.opened, m.changes
	m.nodes[place] = n
	m.node, m.here = n, n.number
}

// place is where the node that the machine is at has its place.
func (m *machine) place() int {
	for i, n := range m.nodes {
		if n == m.node {
			return i
		}
	}
	panic("a node that is gone")
}

// other is another node than the one that the machine is at, if there are two.
func (m *machine) other() *node { return m.nodes[(m.place()+1)%len(m.nodes)] }

// goTo has the next calls made at a node.
func (m *machine) goTo(n *node) { m.node, m.here = n, n.number }

// anywhere is what is looked at from any of the nodes.
func (m *machine) anywhere(t *rapid.T, look func(*rapid.T)) {
	back := m.node
	if len(m.nodes) > 1 {
		m.goTo(pick(t, "seen from", m.nodes))
	}
	look(t)
	m.goTo(back)
}

// call makes a call under an Idempotency-Key. Where the node died in the middle and may have made it, the
// other gets it again: it is made once.
func (m *machine) call(t *rapid.T, do func() error) error {
	err := do()
	if m.lost(err) && !m.sure() {
		m.fall(t)
		err = do()
	}
	return err
}

// fall is the end of a node, whose calls go to the other from now on.
func (m *machine) fall(t *rapid.T) {
	other := m.other()
	m.cut = false
	m.crash(t, 0)
	m.goTo(other)
}

// at is an action that comes a moment after the one before, at one of the nodes.
func (m *machine) at(action func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		m.elapsed += rapid.SampledFrom([]time.Duration{0, 300 * time.Millisecond, heads.Hold + time.Millisecond}).Draw(t, "a moment")
		if rapid.Bool().Draw(t, "heads are confirmed") {
			for _, n := range m.nodes {
				if err := n.Heads.Confirm(t.Context()); err != nil {
					t.Fatalf("confirm: %v", err)
				}
			}
		}
		if len(m.nodes) > 1 {
			m.goTo(pick(t, "node", m.nodes))
		}
		action(t)
	}
}

// checkHead compares what a node serves of a project with what it may: what it wrote itself, what was
// written before it was opened, and what others wrote more than a second ago, it has seen, and it never goes
// back to what was before.
func (m *machine) checkHead(t *rapid.T, n *node, p *project) {
	got, err := n.Reader.Current(t.Context(), nobody, p.id)
	least := p.seen[n.number]
	for i, c := range p.changes {
		if c.by == n.number || c.seq <= n.opened || m.elapsed-c.at > heads.Hold {
			least = max(least, i)
		}
	}
	for i := len(p.changes) - 1; i >= least; i-- {
		if p.serves(p.changes[i], got, err) {
			p.seen[n.number] = i
			return
		}
	}
	t.Fatalf("%s is at version %d, %v; after %v it must be one of %+v", p.id, got.Version, err, m.elapsed, p.changes[least:])
}

// serves reports whether an answer is what the project was after a change.
func (p *project) serves(c change, got sandlot.Project, err error) bool {
	switch e := sandlot.AsError(err); {
	case c.version == 0:
		return e != nil && e.Code == sandlot.CodeProjectNotFound
	case c.suspended:
		return e != nil && e.Code == sandlot.CodeTakenDown
	}
	return err == nil && got.Version == c.version && got.Suffix == p.versions[c.version-1].suffix && got.Title == c.title
}

// checkHeads is checkHead of all projects at all nodes. Those that are gone are looked for until no node
// serves them.
func (m *machine) checkHeads(t *rapid.T) {
	for _, n := range m.nodes {
		for _, p := range append(slices.Clone(m.projects), m.trash...) {
			m.checkHead(t, n, p)
		}
		for _, p := range m.gone {
			if p.seen[n.number] < len(p.changes)-1 {
				m.checkHead(t, n, p)
			}
		}
	}
}

// owner is the account's owner, who has just logged in.
func (m *machine) owner(t *rapid.T, a *account) sandlot.Caller {
	m.sessions++
	token := fmt.Sprint("session ", m.sessions)
	s := sandlot.Session{Account: a.id, CreatedAt: m.now, ProvedAt: m.now, SeenAt: m.now, ExpiresAt: m.now.Add(24 * time.Hour)}
	if _, err := m.db.Account().AddSession(t.Context(), sha256.Sum256([]byte(token)), s); err != nil {
		t.Fatalf("log in: %v", err)
	}
	by, err := m.Identify(t.Context(), sandlot.Presented{Session: token}, nobody.From)
	if err != nil {
		t.Fatalf("a session that was begun is not known: %v", err)
	}
	return by
}
