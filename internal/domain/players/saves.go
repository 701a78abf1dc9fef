package players

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"sandlot"
)

// Saves returns the player's slots by name, without values.
func (s *Service) Saves(ctx context.Context, by sandlot.Caller, v Visit) ([]Value, error) {
	if err := s.reads(by, v); err != nil {
		return nil, err
	}
	list, err := s.Store.Saves(ctx, v.Project.ID, v.Token)
	if err != nil {
		return nil, fmt.Errorf("list saves: %w", err)
	}
	return list, nil
}

// Load returns the save in a slot; CodeSaveNotFound if there is none.
func (s *Service) Load(ctx context.Context, by sandlot.Caller, v Visit, slot string) (Value, error) {
	if err := cmp.Or(s.reads(by, v), checkSlot(slot)); err != nil {
		return Value{}, err
	}
	save, day, err := s.Store.Load(ctx, v.Project.ID, v.Token, slot)
	if errors.Is(err, sandlot.ErrNotFound) {
		return Value{}, sandlot.Refuse(sandlot.CodeSaveNotFound, "This player has no save in the slot %s.", slot).In("slot").
			Note("Begin anew: PUT /.sandlot/saves/%s keeps a value. GET /.sandlot/saves lists the player's slots.", slot)
	}
	if err != nil {
		return Value{}, fmt.Errorf("read save: %w", err)
	}
	s.seen(ctx, v, day)
	return save, nil
}

// Save stores a JSON value in a slot, byte for byte.
func (s *Service) Save(ctx context.Context, by sandlot.Caller, v Visit, slot string, value []byte) (Value, error) {
	wrong := cmp.Or(v.Changes(), checkSlot(slot), checkValue(value, MaxSave))
	return s.store(by, v, wrong, slot, value, func(h Holder) error { return s.Store.Save(ctx, h, slot, value, s.Most) })
}

// store runs a step that stores a value, unless wrong is set, and returns the value without its JSON.
func (s *Service) store(by sandlot.Caller, v Visit, wrong error, name string, value []byte, step func(Holder) error) (Value, error) {
	if wrong != nil {
		return Value{}, wrong
	}
	stored := Value{Name: name, Size: int64(len(value))}
	err := s.keep(by, v, func(h Holder) error {
		stored.At = h.Now
		return step(h)
	})
	if err != nil {
		return Value{}, fmt.Errorf("store value: %w", err)
	}
	return stored, nil
}

// DeleteSave empties a slot. It is idempotent.
func (s *Service) DeleteSave(ctx context.Context, by sandlot.Caller, v Visit, slot string) error {
	return s.drop(by, v, checkSlot(slot), func(h Holder) error { return s.Store.DeleteSave(ctx, h, slot) })
}

// drop is keep for a step that removes something. It adds no player.
func (s *Service) drop(by sandlot.Caller, v Visit, wrong error, step func(Holder) error) error {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), wrong); err != nil {
		return err
	}
	h, err := s.Limits.holder(v)
	if err == nil {
		err = s.Limits.Write(v)
	}
	if err != nil {
		return err
	}
	return Refusal(v.Project.ID, step(h))
}

// SharedKeys returns the keys of a project that begin with prefix, in order, without values: at most MaxKeys.
func (s *Service) SharedKeys(ctx context.Context, by sandlot.Caller, v Visit, prefix string) ([]Value, error) {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), v.Reads()); err != nil {
		return nil, err
	}
	if !text(prefix) || len(prefix) > 4*MaxKey {
		return nil, nil // no key begins with it
	}
	list, err := s.Store.SharedKeys(ctx, v.Project.ID, prefix)
	if err != nil {
		return nil, fmt.Errorf("list shared values: %w", err)
	}
	return list, nil
}

// LoadShared returns the value of a key; CodeSaveNotFound if there is none.
func (s *Service) LoadShared(ctx context.Context, by sandlot.Caller, v Visit, key string) (Value, error) {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, nil), v.Reads(), checkKey(key)); err != nil {
		return Value{}, err
	}
	shared, err := s.Store.LoadShared(ctx, v.Project.ID, key)
	if errors.Is(err, sandlot.ErrNotFound) {
		return Value{}, sandlot.Refuse(sandlot.CodeSaveNotFound, "The project has no shared value of that key.").In("key").
			Note("PUT /.sandlot/shared/{key} keeps a value. GET /.sandlot/shared lists the keys.")
	}
	if err != nil {
		return Value{}, fmt.Errorf("read shared value: %w", err)
	}
	return shared, nil
}

// Share stores a JSON value under a key, byte for byte.
func (s *Service) Share(ctx context.Context, by sandlot.Caller, v Visit, key string, value []byte) (Value, error) {
	wrong := cmp.Or(v.Changes(), checkKey(key), checkValue(value, MaxShared))
	return s.store(by, v, wrong, key, value, func(h Holder) error { return s.Store.Share(ctx, h, key, value, s.Most) })
}

// DeleteShared removes a shared value. It is idempotent.
func (s *Service) DeleteShared(ctx context.Context, by sandlot.Caller, v Visit, key string) error {
	return s.drop(by, v, checkKey(key), func(h Holder) error { return s.Store.DeleteShared(ctx, h, key) })
}
