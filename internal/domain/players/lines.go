package players

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// Lines writes the data of a project's players to an export, and reads it from an import: a line of JSON for each save, in
// the order of players and slots, followed by a line for each shared value. Tokens and codes are not in it, so that an
// export gives nobody access as a player.
type Lines struct {
	Store Store
	Most  int64 // as in Config
	Now   func() time.Time
}

// A Line is a save of a player, or a shared value.
type Line struct {
	Player string          `json:"player,omitempty"`
	Name   string          `json:"name,omitempty"`
	Slot   string          `json:"slot,omitempty"`
	Key    string          `json:"key,omitempty"`
	Value  json.RawMessage `json:"value"`
	At     time.Time       `json:"at"`
}

const (
	// longestLine bounds a line: a save and its other fields. An encoder writes at most six bytes for each byte of a value.
	longestLine = 6*MaxSave + 4096
	// broughtBytes bounds the values that are added in one step.
	broughtBytes = 1 << 20
)

// Name returns the end of the entry's path.
func (Lines) Name() string { return "saves.ndjson" }

// Write writes the lines of a project; for a deleted project, or one without players, it writes nothing. Saves of the time
// of the call may be in it or not.
func (l Lines) Write(ctx context.Context, w io.Writer, id sandlot.ProjectID) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return l.Store.Lines(ctx, id, func(x Line) error { return e.Encode(x) })
}

// Read adds saves and shared values to a project, and leaves filled slots and keys as they are. It stops at an invalid
// line, and when the project has no room left. Then left is the reason, as a sentence for people, and the lines before
// stay.
func (l Lines) Read(ctx context.Context, id sandlot.ProjectID, r io.Reader) (left string, err error) {
	text := bufio.NewScanner(r)
	text.Buffer(nil, longestLine)
	var some []Line
	size := 0
	for n := 1; left == "" && err == nil && text.Scan(); n++ {
		x, ok := readLine(text.Bytes(), l.Now())
		if !ok {
			left = fmt.Sprintf("Line %d of its saves is none that an export has.", n)
			continue
		}
		if some, size = append(some, x), size+len(x.Value); size >= broughtBytes {
			err = l.Store.Bring(ctx, id, some, l.Most)
			some, size = nil, 0
		}
	}
	if err == nil && len(some) > 0 {
		err = l.Store.Bring(ctx, id, some, l.Most)
	}
	if err == nil {
		err = text.Err()
	}
	if errors.Is(err, bufio.ErrTooLong) {
		return "A line of its saves is too long.", nil
	}
	var e *sandlot.Error
	if errors.As(refusal(Visit{Project: sandlot.Project{ID: id}}, err), &e) {
		return e.Message, nil
	}
	return left, err
}

// readLine returns a line of an export; ok is false for an invalid one.
func readLine(text []byte, now time.Time) (x Line, ok bool) {
	if json.Unmarshal(text, &x) != nil {
		return x, false
	}
	if x.At.After(now) || x.At.Year() < 1970 {
		x.At = now
	}
	x.Name = names.Player(x.Name)
	if x.Player == "" {
		return x, x.Slot == "" && checkKey(x.Key) == nil && checkValue(x.Value, MaxShared) == nil
	}
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	return x, len(x.Player) == 10 && strings.Trim(x.Player, alphabet) == "" && x.Key == "" && checkSlot(x.Slot) == nil &&
		checkValue(x.Value, MaxSave) == nil
}
