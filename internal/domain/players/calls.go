package players

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/format/names"
)

// Hello returns the player of a token, and the stamp of a stay that begins now. It stores only the day of the visit.
func (s *Service) Hello(ctx context.Context, by sandlot.Caller, v Visit) (Player, error) {
	if err := s.reads(by, v); err != nil {
		return Player{}, err
	}
	known, err := s.Store.Player(ctx, v.Project.ID, v.Token)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return Player{}, fmt.Errorf("look for player: %w", err)
	}
	if err == nil {
		s.seen(ctx, v, known.Day)
	}
	return s.player(v, known), nil
}

// reads refuses a visit that may not read a player's data.
func (s *Service) reads(by sandlot.Caller, v Visit) error {
	return cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), v.Reads(), v.Known())
}

func (s *Service) player(v Visit, k Known) Player {
	return Player{ID: k.ID, Name: k.Name, Since: Stamp(s.Vault, v, s.Now())}
}

// seen records the day of a visit if it is later than the player's last. It only logs an error: the call goes on.
func (s *Service) seen(ctx context.Context, v Visit, last int64) {
	now := s.Now()
	if v.Changes() != nil || figures.DayOf(now) <= last {
		return
	}
	if err := s.Store.Seen(ctx, Holder{Project: v.Project.ID, Token: v.Token, Now: now}); err != nil && s.Log != nil {
		s.Log.WarnContext(ctx, "the day of a player was not recorded", "project", v.Project.ID, "err", err)
	}
}

// Rename gives the player a name, cleaned by names.Player; an empty name removes it. A player refused by the
// owner gets none.
func (s *Service) Rename(ctx context.Context, by sandlot.Caller, v Visit, name string) (p Player, err error) {
	var known Known
	err = s.keep(by, v, func(h Holder) (err error) {
		known, err = s.Store.Rename(ctx, h, names.Player(name))
		return err
	})
	if err != nil {
		return Player{}, fmt.Errorf("rename player: %w", err)
	}
	return s.player(v, known), nil
}

// keep counts a write, and runs its step.
func (s *Service) keep(by sandlot.Caller, v Visit, step func(Holder) error) error {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), v.Changes(), v.Known()); err != nil {
		return err
	}
	if err := s.Limits.Write(v); err != nil {
		return err
	}
	return s.Limits.Keep(s.Vault, v, step)
}

// codeTries bounds the draws of a code. A project has at most some hundred thousand of the 2^40 codes.
const codeTries = 4

// Code returns four words for Resume on another device. They are valid until the next call of Code; only their keyed hash
// is stored.
func (s *Service) Code(ctx context.Context, by sandlot.Caller, v Visit) (code string, err error) {
	err = s.keep(by, v, func(h Holder) (err error) {
		for range codeTries {
			code = names.Code(s.Vault.Intn)
			if err = s.Store.SetCode(ctx, h, s.codeOf(v, code)); !errors.Is(err, sandlot.ErrExists) {
				break
			}
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("make code: %w", err)
	}
	return code, nil
}

func (s *Service) codeOf(v Visit, code string) sandlot.Digest {
	return s.Vault.Keyed("player's code", string(v.Project.ID)+" "+code)
}

// Resume adds the token of the visit to the player of a code; the previous player of the token stays until it expires. A
// wrong code is CodeInvalidCode. Codes are limited by network, wrong codes also by project.
func (s *Service) Resume(ctx context.Context, by sandlot.Caller, v Visit, code string) (Player, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Player{}, err
	}
	h, err := s.Limits.holder(v)
	if err != nil {
		return Player{}, err
	}
	if err := s.Limits.guess(v); err != nil {
		return Player{}, err
	}
	read, ok := names.ReadCode(code)
	if !ok {
		return Player{}, invalidCode()
	}
	known, err := s.Store.Resume(ctx, h, s.codeOf(v, read))
	if errors.Is(err, sandlot.ErrNotFound) {
		s.Limits.guessed(v)
		return Player{}, invalidCode()
	}
	if err != nil {
		return Player{}, fmt.Errorf("resume player: %w", err)
	}
	return s.player(v, known), nil
}

func invalidCode() error {
	return sandlot.Refuse(sandlot.CodeInvalidCode, "No player of this project has that code.").In("code").
		Note("Send the four words of the newest code. POST /.sandlot/player/code on the other device makes another.")
}
