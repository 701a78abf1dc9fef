package players

import (
	"context"

	"sandlot"
)

// Hello returns the player of a token, and the stamp of a stay that begins now. It stores nothing but the day on which
// the player was seen.
func (s *Service) Hello(ctx context.Context, by sandlot.Caller, v Visit) (Player, error) {
	panic("seam")
}

// Rename gives the player a name, cleaned as names.Player says; an empty one takes it away. A player that an owner
// refused keeps none.
func (s *Service) Rename(ctx context.Context, by sandlot.Caller, v Visit, name string) (Player, error) {
	panic("seam")
}

// Code returns four words that Resume takes on another device. They stay the same until they are used or replaced.
func (s *Service) Code(ctx context.Context, by sandlot.Caller, v Visit) (string, error) {
	panic("seam")
}

// Resume makes the token of the visit one of the player of a code. A wrong code is CodeInvalidCode, and counts by
// network.
func (s *Service) Resume(ctx context.Context, by sandlot.Caller, v Visit, code string) (Player, error) {
	panic("seam")
}

// Saves returns the player's slots by name, without values.
func (s *Service) Saves(ctx context.Context, by sandlot.Caller, v Visit) ([]Save, error) {
	panic("seam")
}

// Load returns the save in a slot; CodeSaveNotFound if there is none.
func (s *Service) Load(ctx context.Context, by sandlot.Caller, v Visit, slot string) (Save, error) {
	panic("seam")
}

// Save keeps a JSON value in a slot.
func (s *Service) Save(ctx context.Context, by sandlot.Caller, v Visit, slot string, value []byte) (Save, error) {
	panic("seam")
}

// DeleteSave empties a slot. It is idempotent.
func (s *Service) DeleteSave(ctx context.Context, by sandlot.Caller, v Visit, slot string) error {
	panic("seam")
}

// SharedKeys returns the keys of a project that begin with prefix, in order, without values: at most 1,000.
func (s *Service) SharedKeys(ctx context.Context, by sandlot.Caller, v Visit, prefix string) ([]Shared, error) {
	panic("seam")
}

// LoadShared returns the value of a key; CodeSaveNotFound if there is none.
func (s *Service) LoadShared(ctx context.Context, by sandlot.Caller, v Visit, key string) (Shared, error) {
	panic("seam")
}

// Share keeps a JSON value under a key.
func (s *Service) Share(ctx context.Context, by sandlot.Caller, v Visit, key string, value []byte) (Shared, error) {
	panic("seam")
}

// DeleteShared removes a key. It is idempotent.
func (s *Service) DeleteShared(ctx context.Context, by sandlot.Caller, v Visit, key string) error {
	panic("seam")
}
