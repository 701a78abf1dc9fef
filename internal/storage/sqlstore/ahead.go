package sqlstore

import (
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

// aheads are the queries for records that end later than their kind can, by the skew at least: they got their
// time from a wrong clock, and end as if they were made now.
var aheads = []struct {
	query string // sets the time ?1 where it is later than ?2, in at most ?3 records
	life  time.Duration
}{
	{"UPDATE uploads SET expires_at = ?1 WHERE num IN (SELECT num FROM uploads WHERE expires_at > ?2 LIMIT ?3)", publish.UploadLife},
	{"UPDATE trash SET at = ?1 WHERE project IN (SELECT project FROM trash WHERE at > ?2 LIMIT ?3)", 0},
	{"UPDATE removals SET at = ?1 WHERE project IN (SELECT project FROM removals WHERE at > ?2 LIMIT ?3)", 0},
	{"UPDATE once SET expires_at = ?1 WHERE key IN (SELECT key FROM once WHERE expires_at > ?2 LIMIT ?3)", publish.IdempotencyLife},
	{"UPDATE tickets SET expires_at = ?1 WHERE hash IN (SELECT hash FROM tickets WHERE expires_at > ?2 LIMIT ?3)", publish.IdempotencyLife},
	{"UPDATE verifications SET expires_at = ?1 WHERE token IN (SELECT token FROM verifications WHERE expires_at > ?2 LIMIT ?3)", account.VerificationLifeMax},
	{"UPDATE sessions SET expires_at = ?1 WHERE id IN (SELECT id FROM sessions WHERE expires_at > ?2 LIMIT ?3)", sandlot.SessionLife},
	{"UPDATE logins SET expires_at = ?1 WHERE id IN (SELECT id FROM logins WHERE expires_at > ?2 LIMIT ?3)", account.LoginLifeMax},
	{"UPDATE email_moves SET expires_at = ?1 WHERE id IN (SELECT id FROM email_moves WHERE expires_at > ?2 LIMIT ?3)", account.MoveLifeMax},
	{"UPDATE stops SET until = ?1 WHERE id IN (SELECT id FROM stops WHERE until > 0 AND until > ?2 LIMIT ?3)", account.PauseMax},
	{"UPDATE reports SET closed_at = ?1 WHERE id IN (SELECT id FROM reports WHERE closed_at IS NOT NULL AND (details <> '' OR contact <> '') AND closed_at > ?2 LIMIT ?3)", 0},
}

// bringBack sets back the times that were recorded while the clock was ahead, so that these records do not
// stay until the clock gets there.
func (s *sweep) bringBack(now time.Time) error {
	for _, a := range aheads {
		if err := s.times(a.query, micros(now.Add(a.life)), notAfter(now.Add(a.life))); err != nil {
			return err
		}
	}
	// That nothing refers to it does not depend on when it was made.
	if err := s.times("UPDATE blobs SET created_at = 0 WHERE id IN (SELECT id FROM blobs WHERE loose = 1 AND created_at > ? LIMIT ?)", notAfter(now)); err != nil {
		return err
	}
	return s.times("DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE at > ? LIMIT ?)", notAfter(now)) // none of them counts
}
