package sqlstore

import "time"

// addBlock adds an entry to the blocklist, or replaces the one with that value, and gives the list its next number. A zero
// until is no end.
func addBlock(t *tx, kind, value, reason, actor string, at, until time.Time) error {
	end := int64(0)
	if !until.IsZero() {
		end = micros(until)
	}
	if err := t.do(`INSERT INTO blocked (kind, value, reason, actor, at, until) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (kind, value) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, at = excluded.at, until = excluded.until`,
		kind, value, reason, actor, micros(at), end); err != nil {
		return err
	}
	return t.do("UPDATE blocking SET generation = generation + 1 WHERE one = 1")
}
