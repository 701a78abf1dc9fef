package sqlstore

import (
	"time"

	"sandlot"
)

// hold holds a project back from others by a rule, from that time on. A hold of another rule is replaced, but for one of a
// moderator. The caller's step has locked the owner and has the project in its changes.
func hold(t *tx, num int64, rule sandlot.Rule, at time.Time) error {
	return t.do(`UPDATE projects SET changed = changed + 1, hold = ?, hold_at = ?, hold_end = 0
		WHERE num = ? AND NOT (hold_end = 0 AND hold = ?)`, string(rule), micros(at), num, string(sandlot.HeldModerator))
}

// endHold ends the hold of a project, if it has one of that rule; the empty rule stands for every rule.
func endHold(t *tx, num int64, rule sandlot.Rule, at time.Time) error {
	return t.do(`UPDATE projects SET changed = changed + 1, hold_end = ? WHERE num = ? AND hold <> '' AND hold_end = 0 AND (hold = ? OR ? = '')`,
		micros(at), num, string(rule), string(rule))
}
