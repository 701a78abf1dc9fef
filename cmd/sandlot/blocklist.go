package main

import (
	"context"
	"log/slog"
	"strings"

	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
)

// openBlocklist reads the blocklist of a server, and has it and the hashes of publishers' networks used.
func (a *app) openBlocklist(ctx context.Context, cfg *publish.Config) error {
	contact, _ := a.settings.securityContact() // was checked at the start
	if contact = strings.TrimPrefix(contact, "mailto:"); contact == "" {
		contact = a.places.Base.String() + "/report"
	}
	a.blocklist = blocklistOf(a.store, a.log, contact)
	a.blocklist.Failures, a.blocklist.Refused = a.failuresOf("blocklist"), blocks.Refusals()
	cfg.Blocklist, cfg.Networks = a.blocklist, a.blocklist.Networks
	return a.blocklist.Follow(ctx)
}

// blocklistOf returns the blocklist in a database.
func blocklistOf(db *sqlstore.DB, log *slog.Logger, contact string) *blocks.Blocklist {
	networks := &blocks.Networks{Store: db.Operate().Blocks(), Now: db.Now}
	return &blocks.Blocklist{Store: db.Operate().Blocks(), Networks: networks, Now: db.Now, Contact: contact, Log: log}
}

// blocklist exports the blocklist of this node.
func (m *metrics) blocklist(b *blocks.Blocklist) {
	m.export("sandlot_blocked_values", "Values of the blocklist in the memory of this node.", []string{"kind"}, func(add sample) {
		counts := b.Counts()
		for _, kind := range blocks.Kinds() {
			add(float64(counts[kind]), kind)
		}
	})
	m.export("sandlot_blocked_total", "Calls refused by the blocklist.", []string{"kind"}, func(add sample) {
		for kind := range b.Refused.Labels() {
			add(float64(b.Refused.Get(kind)), kind)
		}
	})
}
