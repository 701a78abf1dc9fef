package players

import (
	"cmp"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// A Holder names the player of a step in which a store keeps something.
type Holder struct {
	Project sandlot.ProjectID
	Token   sandlot.Digest
	Fresh   string // the ID of the player, should it be new; empty: a new player is ErrNewcomer
	Now     time.Time
}

// The errors of a store.
var (
	// ErrNewcomer: the player is not known, and the step has no ID for a new one.
	ErrNewcomer = errors.New("the player is new")
	// ErrTooManyPlayers: the project has MaxPlayers.
	ErrTooManyPlayers = errors.New("too many players")
)

// Keep runs a step that keeps something of the player of a visit: again with a fresh ID where the player is new, if one
// more may come from its network. The Errors of a step come back as refusals.
func (l *Limits) Keep(vault *sandlot.Vault, v Visit, step func(Holder) error) error {
	if err := cmp.Or(v.Changes(), v.Known()); err != nil {
		return err
	}
	h := Holder{Project: v.Project.ID, Token: v.Token, Now: l.now()}
	err := step(h)
	if errors.Is(err, ErrNewcomer) {
		if err := l.newcomer(v); err != nil {
			return err
		}
		h.Fresh = freshID(vault)
		err = step(h)
	}
	return refusal(err)
}

func freshID(vault *sandlot.Vault) string { return names.Random(10, vault.Intn) }

// refusal returns the refusal that an error of a store stands for, or the error.
func refusal(err error) error { panic("seam") }
