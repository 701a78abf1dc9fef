package players

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// Lines writes the data of a project's players to an export, and reads it from an import: a line of JSON for each save, in
// the order of players and slots, followed by a line for each shared value. It leaves out tokens and codes: an export gives
// access to no player.
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

// Kind returns the name of the data in messages.
func (Lines) Kind() string { return "saves" }

// Write writes the lines of a project; for a deleted project, or one without players, it writes nothing. It may miss
// saves that are stored during the call.
func (l Lines) Write(ctx context.Context, w io.Writer, id sandlot.ProjectID) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return l.Store.Lines(ctx, id, func(x Line) error { return e.Encode(x) })
}

// Read adds saves and shared values to a project as ReadLines does, and leaves filled slots and keys as they are.
func (l Lines) Read(ctx context.Context, id sandlot.ProjectID, r io.Reader) (left string, err error) {
	var some []Line
	size := 0
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		list := some
		some, size = nil, 0
		return Refusal(id, l.Store.Bring(ctx, id, list, l.Most))
	}
	return ReadLines(r, l.Kind(), longestLine, flush, func(text []byte) (ok bool, err error) {
		x, ok := readLine(text, l.Now())
		if !ok {
			return false, nil
		}
		if some, size = append(some, x), size+len(x.Value); size >= broughtBytes {
			err = flush()
		}
		return true, err
	})
}

// ReadLines passes the lines of an entry of an import to add, until one is invalid or the project has no room left. Then
// left is the reason, as a sentence for people, and the lines before stay. flush stores lines that add has not stored.
func ReadLines(r io.Reader, kind string, longest int, flush func() error, add func([]byte) (ok bool, err error)) (left string, err error) {
	text := bufio.NewScanner(r)
	text.Buffer(nil, longest)
	for n, ok := 1, false; left == "" && err == nil && text.Scan(); n++ {
		if ok, err = add(text.Bytes()); err == nil && !ok {
			left = fmt.Sprintf("Line %d of its %s is invalid.", n, kind)
		}
	}
	if err == nil {
		err = flush()
	}
	if e, refused := errors.AsType[*sandlot.Error](err); refused {
		return e.Message, nil
	}
	if err == nil && errors.Is(text.Err(), bufio.ErrTooLong) {
		return fmt.Sprintf("A line of its %s is too long.", kind), nil
	}
	return left, cmp.Or(err, text.Err())
}

// readLine returns a line of an export; ok is false for an invalid one.
func readLine(text []byte, now time.Time) (x Line, ok bool) {
	if json.Unmarshal(text, &x) != nil {
		return x, false
	}
	x.At, x.Name = Past(x.At, now), names.Player(x.Name)
	if x.Player == "" {
		return x, x.Slot == "" && checkKey(x.Key) == nil && checkValue(x.Value, MaxShared) == nil
	}
	return x, IsID(x.Player) && x.Key == "" && checkSlot(x.Slot) == nil && checkValue(x.Value, MaxSave) == nil
}

// Past returns a time of an export, or now for a time that cannot be true: a later one, or one before 1970.
func Past(at, now time.Time) time.Time {
	if at.After(now) || at.Year() < 1970 {
		return now
	}
	return at
}
