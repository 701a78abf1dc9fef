package boards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/format/names"
)

// Place records a score. A score of a player who has not been there for the board's MinSeconds is CodeTooEarly, with
// RetryAfter; a score outside of the owner's bounds, and every score of a refused player, is CodeScoreRefused.
// The same score again changes nothing.
func (s *Service) Place(ctx context.Context, by sandlot.Caller, v players.Visit, in Score) (out Placed, err error) {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), v.Changes(), v.Known()); err != nil {
		return out, err
	}
	board, err := boardName(in.Board)
	if err == nil && (math.IsNaN(in.Score) || math.IsInf(in.Score, 0)) {
		err = wrongField("score", "The score is not a finite number.", "Send a number, such as {\"score\": 1230}.")
	}
	if err == nil {
		err = s.Limits.Score(v)
	}
	if err != nil {
		return out, err
	}
	stay := players.Stayed(s.Vault, v, in.Since, s.Now())
	err = s.Limits.Keep(s.Vault, v, func(h players.Holder) (err error) {
		out, err = s.Store.Place(ctx, Placing{
			Holder: h, Board: board, Ascending: in.Ascending, Score: in.Score, Name: names.Player(in.Name), Most: s.Most,
			Admit: func(b Board) error { return b.admit(in.Score, stay) },
		})
		return refusal(err)
	})
	if err != nil {
		return Placed{}, fmt.Errorf("place score: %w", err)
	}
	return out, nil
}

// admit refuses a score that breaks the rules of the board; stay is the length of the player's stay.
func (b Board) admit(score float64, stay time.Duration) error {
	if b.Min != nil && score < *b.Min || b.Max != nil && score > *b.Max {
		return sandlot.Refuse(sandlot.CodeScoreRefused, "The score %v is outside of the bounds of the board %s, which the maker has set.", score, b.Name).
			In("score").Detail("min", b.Min).Detail("max", b.Max).
			Note("Go on without it. The maker changes the bounds with PATCH /v1/project/{project_id}/boards/%s.", b.Name)
	}
	if left := time.Duration(b.MinSeconds)*time.Second - stay; left > 0 {
		return sandlot.Refuse(sandlot.CodeTooEarly, "A score counts once its player has been there for %d seconds.", b.MinSeconds).
			In("since").Detail("min_seconds", b.MinSeconds).After(left).
			Note("Call GET /.sandlot/player when the game begins, and send the \"since\" of its answer with each score of the next 24 hours; " +
				"then send this score again in retry_after seconds. The script /.sandlot/sdk.js does both by itself.")
	}
	return nil
}

// refusal returns the refusal for an error of the Store, or the error.
func refusal(err error) error {
	switch {
	case errors.Is(err, ErrTooManyBoards):
		return sandlot.Refuse(sandlot.CodeQuotaExceeded, "The project has %d boards, which is the limit.", MaxBoards).
			In("board").After(time.Hour).
			Note("Use one of its boards. The maker removes one with DELETE /v1/project/{project_id}/boards/{board}.").Because(err)
	case errors.Is(err, ErrRefused):
		return sandlot.Refuse(sandlot.CodeScoreRefused, "The maker of the game has refused this player.").
			Note("Go on without it: the player can play, but has no place on a board.").Because(err)
	}
	return err
}

// boardName returns the name of a board; of "" it is Default.
func boardName(name string) (string, error) {
	name = cmp.Or(name, Default)
	if len(name) > MaxName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return "", wrongField("board", "The name of the board is invalid.",
			fmt.Sprintf("Send 1 to %d characters of a-z 0-9 _ -, such as \"level-1\", or leave it out for the board %s.", MaxName, Default))
	}
	return name, nil
}

func wrongField(field, message, note string) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "%s", message).In(field).Note("%s", note)
}
