package doors

import (
	"encoding/json"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// done is the answer of a call that has nothing else to report.
type done struct {
	OK bool `json:"ok"`
}

// playerInfo is a player in an answer.
type playerInfo struct {
	OK    bool   `json:"ok"`
	ID    string `json:"id"` // "" for a player without stored data
	Name  string `json:"name"`
	Since string `json:"since,omitempty"` // brought by scores
}

func (x *exchange) player(p players.Player, err error) error {
	if err != nil {
		return err
	}
	return x.answer(playerInfo{true, p.ID, p.Name, p.Since})
}

func (x *exchange) hello() error {
	return x.player(x.Players.Hello(x.ctx(), nobody, x.v))
}

func (x *exchange) rename() error {
	var in struct {
		Name *string `json:"name"`
	}
	if err := x.fields(&in); err != nil {
		return err
	}
	if in.Name == nil {
		return missing("name", "Send the name; an empty one takes it away.")
	}
	return x.player(x.Players.Rename(x.ctx(), nobody, x.v, *in.Name))
}

func missing(field, note string) error {
	return sandlot.Refuse(sandlot.CodeMissingField, "The field %s is missing.", field).In(field).Note("%s", note)
}

func (x *exchange) code() error {
	code, err := x.Players.Code(x.ctx(), nobody, x.v)
	if err != nil {
		return err
	}
	return x.answer(map[string]any{"ok": true, "code": code})
}

func (x *exchange) resume() error {
	var in struct {
		Code string `json:"code"`
	}
	if err := x.fields(&in); err != nil {
		return err
	}
	if in.Code == "" {
		return missing("code", "Send the four words that the other device shows.")
	}
	var p players.Player
	err := x.guess(in.Code, func() (err error) {
		p, err = x.Players.Resume(x.ctx(), nobody, x.v, in.Code)
		return err
	})
	return x.player(p, err)
}

// A thing is a save or a shared value without its value.
type thing struct {
	Slot string    `json:"slot,omitempty"` // of a save
	Key  string    `json:"key,omitempty"`  // of a shared value
	Size int64     `json:"size"`
	At   time.Time `json:"at"`
}

// kept is the answer of a call that keeps a value.
type kept struct {
	OK bool `json:"ok"`
	thing
}

func thingOf(s players.Save) thing { return thing{Slot: s.Slot, Size: s.Size, At: moment(s.At)} }

func sharedThing(s players.Shared) thing { return thing{Key: s.Key, Size: s.Size, At: moment(s.At)} }

// moment returns a time as answers show it.
func moment(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

func (x *exchange) saves() error {
	list, err := x.Players.Saves(x.ctx(), nobody, x.v)
	if err != nil {
		return err
	}
	out := make([]thing, len(list))
	for i, s := range list {
		out[i] = thingOf(s)
	}
	return x.answer(map[string]any{"ok": true, "saves": out})
}

func (x *exchange) load() error {
	s, err := x.Players.Load(x.ctx(), nobody, x.v, x.rest)
	if err != nil {
		return err
	}
	x.value(s.Value, s.At)
	return nil
}

// value answers with a stored JSON value, byte for byte.
func (x *exchange) value(value []byte, at time.Time) {
	x.w.Header().Set("Last-Modified", at.UTC().Format(http.TimeFormat))
	x.write(http.StatusOK, value)
}

func (x *exchange) save() error { return x.keep(x.body) }

func (x *exchange) keep(value []byte) error {
	s, err := x.Players.Save(x.ctx(), nobody, x.v, x.rest, value)
	if err != nil {
		return err
	}
	return x.answer(kept{true, thingOf(s)})
}

// saveByBeacon runs save for a page that is being left: a beacon has no header of its own.
func (x *exchange) saveByBeacon() error {
	var in struct {
		Player string          `json:"player"`
		Value  json.RawMessage `json:"value"`
	}
	if err := x.fields(&in); err != nil {
		return err
	}
	if in.Value == nil {
		return missing("value", "Send the JSON value to keep. PUT takes it as the whole body.")
	}
	if err := x.bring(in.Player); err != nil {
		return err
	}
	return x.keep(in.Value)
}

// bring sets the visit by the token in a body, unless the header has a token.
func (x *exchange) bring(token string) error {
	if token == "" || x.v.Token != (sandlot.Digest{}) {
		return nil
	}
	return x.visit(token)
}

func (x *exchange) deleteSave() error {
	if err := x.Players.DeleteSave(x.ctx(), nobody, x.v, x.rest); err != nil {
		return err
	}
	return x.answer(done{true})
}

func (x *exchange) sharedKeys() error {
	list, err := x.Players.SharedKeys(x.ctx(), nobody, x.v, x.r.URL.Query().Get("prefix"))
	if err != nil {
		return err
	}
	out := make([]thing, len(list))
	for i, s := range list {
		out[i] = sharedThing(s)
	}
	return x.answer(map[string]any{"ok": true, "shared": out})
}

func (x *exchange) loadShared() error {
	s, err := x.Players.LoadShared(x.ctx(), nobody, x.v, x.rest)
	if err != nil {
		return err
	}
	x.value(s.Value, s.At)
	return nil
}

func (x *exchange) share() error {
	s, err := x.Players.Share(x.ctx(), nobody, x.v, x.rest, x.body)
	if err != nil {
		return err
	}
	return x.answer(kept{true, sharedThing(s)})
}

func (x *exchange) deleteShared() error {
	if err := x.Players.DeleteShared(x.ctx(), nobody, x.v, x.rest); err != nil {
		return err
	}
	return x.answer(done{true})
}
