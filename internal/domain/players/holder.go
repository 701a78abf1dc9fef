package players

import (
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// Keep runs a step that stores data of the player of a visit. For a new player it runs the step again with a fresh ID, if
// the network may add a player. It returns the errors of the step as refusals, and CodeRuntimeOff or
// CodePlayerRequired without running the step.
func (l *Limits) Keep(vault *sandlot.Vault, v Visit, step func(Holder) error) error {
	h, err := l.holder(v)
	if err != nil {
		return err
	}
	err = step(h)
	if errors.Is(err, ErrNewcomer) {
		if err := l.newcomer(v); err != nil {
			return err
		}
		h.Fresh = names.Random(idLength, vault.Intn)
		err = step(h)
	}
	return Refusal(v.Project.ID, err)
}

// holder returns the Holder of a visit that may change data.
func (l *Limits) holder(v Visit) (Holder, error) {
	if err := v.Changes(); err != nil {
		return Holder{}, err
	}
	return Holder{Project: v.Project.ID, Token: v.Token, Now: l.now()}, v.Known()
}

// Refusal returns the refusal for an error of a Store, or the error.
func Refusal(project sandlot.ProjectID, err error) error {
	var e *sandlot.Error
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		e = sandlot.Refuse(sandlot.CodeProjectNotFound, "There is no project %s any more.", project)
	case errors.Is(err, ErrTooManyPlayers):
		e = full("The project has %d players with stored data, which is the limit.", MaxPlayers).
			Note("Go on without saving. Players who were not seen for 400 days are deleted, which makes room.")
	case errors.Is(err, ErrPlayerFull):
		e = full("The player would have more than %d saves, or more than %d bytes.", MaxSaves, MaxHeld).
			Note("Save less, or empty a slot first: DELETE /.sandlot/saves/{slot}. GET /.sandlot/saves lists them.")
	case errors.Is(err, ErrSharedFull):
		e = full("The project would have more than %d shared values, or more than %d bytes of them with their keys.", MaxKeys, MaxSharing).
			Note("Remove some first: DELETE /.sandlot/shared/{key}. GET /.sandlot/shared lists them.")
	case errors.Is(err, ErrProjectFull):
		e = full("The players of this project have %d bytes of data, which is the limit.", MaxBytes).
			Note("Go on without saving. The maker of the project is warned, and can make room.")
	case errors.Is(err, sandlot.ErrTooManyBytes):
		e = full("The account of this project has no room left for data of players.").
			Note("Go on without saving. The maker of the project is warned, and can make room.")
	default:
		return err
	}
	return e.Because(err)
}

func full(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeQuotaExceeded, format, args...).After(time.Hour)
}
