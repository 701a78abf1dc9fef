package players

import (
	"cmp"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Limits of a player and of a network. They allow a school class behind one address.
const (
	writesAtOnce, writesAnHour       = 120, 600 // of a player
	scoresAtOnce, scoresAnHour       = 20, 20 * 60
	newcomersAtOnce, newcomersAnHour = 100, 300 // of a network in a project
	guessesAtOnce, guessesAnHour     = 60, 240  // codes that a network sends to a project
	wrongAtOnce, wrongAnHour         = 3000, 3000
	messagesAtOnce, messagesAnHour   = 20, 1   // of a network to a project
	playerCells                      = 1 << 16 // half a MiB: 10,000 players at once seldom share one
	networkCells                     = 1 << 14
)

// Limits bounds the calls of a player and of a network: 600 writes an hour and 20 scores a minute a player, and on an
// instance for strangers also new players and codes of a network. They are in the memory of each node, within fixed bounds. An
// Exempt visit has none.
type Limits struct {
	public bool
	now    func() time.Time

	writes, scores, newcomers, guesses, wrong, messages *pace
}

// NewLimits returns Limits.
func NewLimits(public bool, now func() time.Time) *Limits {
	return &Limits{
		public: public, now: now,
		writes:    newPace(writesAtOnce, writesAnHour, playerCells),
		scores:    newPace(scoresAtOnce, scoresAnHour, playerCells),
		newcomers: newPace(newcomersAtOnce, newcomersAnHour, networkCells),
		guesses:   newPace(guessesAtOnce, guessesAnHour, networkCells),
		wrong:     newPace(wrongAtOnce, wrongAnHour, networkCells),
		messages:  newPace(messagesAtOnce, messagesAnHour, networkCells),
	}
}

// Write counts a write of a visit. Too many are CodeRateLimited with RetryAfter. The methods of a Service call it
// themselves.
func (l *Limits) Write(v Visit) error {
	if v.Exempt {
		return nil
	}
	return tooOften(l.writes.take(l.now(), claim{v.Token, 1}),
		"The player has saved too often: the limit is %d times an hour.", writesAnHour)
}

// Score counts a score of a visit, as Write does.
func (l *Limits) Score(v Visit) error {
	if v.Exempt {
		return nil
	}
	return tooOften(l.scores.take(l.now(), claim{v.Token, 1}),
		"The player has sent too many scores: the limit is %d a minute.", scoresAnHour/60)
}

// Message counts a message to the maker of a project, as Write does: a network sends 20 at once, and one an hour.
func (l *Limits) Message(v Visit) error {
	return tooOften(l.network(l.messages, v), "This network has sent the maker too many messages: the limit is %d an hour.", messagesAnHour)
}

// newcomer counts a new player of a network and project.
func (l *Limits) newcomer(v Visit) error {
	return tooOften(l.network(l.newcomers, v),
		"This network has brought the project too many new players: the limit is %d an hour.", newcomersAnHour)
}

// guess counts a code that a network sends to a project. It refuses the code as well if guessed has counted too many wrong
// codes of all networks: that stops a search from many networks.
func (l *Limits) guess(v Visit) error {
	if l.free(v) {
		return nil
	}
	return cmp.Or(
		tooOften(l.wrong.left(l.now(), claim{v.Project.ID, 1}), "The project has been sent too many wrong codes."),
		tooOften(l.network(l.guesses, v), "This network has sent too many codes: the limit is %d an hour.", guessesAnHour),
	)
}

// guessed counts a wrong code.
func (l *Limits) guessed(v Visit) {
	if !l.free(v) {
		l.wrong.take(l.now(), claim{v.Project.ID, 1})
	}
}

// free reports whether a visit has no limits by network.
func (l *Limits) free(v Visit) bool { return v.Exempt || !l.public }

// network takes one from a pace for the networks of a visit, a larger network having a larger share.
func (l *Limits) network(p *pace, v Visit) time.Duration {
	if l.free(v) {
		return 0
	}
	type key struct {
		project sandlot.ProjectID
		network any
	}
	var claims []claim
	for _, n := range publish.Networks(v.From) {
		claims = append(claims, claim{key{v.Project.ID, n.Prefix}, n.Share})
	}
	return p.take(l.now(), claims...)
}

func tooOften(wait time.Duration, format string, args ...any) error {
	if wait <= 0 {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeRateLimited, format, args...).After(max(wait, time.Second)).
		Note("Go on without it, and try again later.")
}
