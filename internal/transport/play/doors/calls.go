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
	Since string `json:"since,omitempty"` // the stamp that scores bring
}

func (x *exchange) player(p players.Player, err error) error {
	return x.answer(playerInfo{true, p.ID, p.Name, p.Since}, err)
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
	return x.answer(map[string]any{"ok": true, "code": code}, err)
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

// valueInfo is a stored value in an answer, without its JSON.
type valueInfo struct {
	Slot string    `json:"slot,omitempty"` // of a save
	Key  string    `json:"key,omitempty"`  // of a shared value
	Size int64     `json:"size"`
	At   time.Time `json:"at"`
}

func saveInfo(v players.Value) valueInfo {
	return valueInfo{Slot: v.Name, Size: v.Size, At: moment(v.At)}
}

func sharedInfo(v players.Value) valueInfo {
	return valueInfo{Key: v.Name, Size: v.Size, At: moment(v.At)}
}

// moment returns a time as answers show it.
func moment(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// stored answers a call that stored a value.
func (x *exchange) stored(info valueInfo, err error) error {
	return x.answer(struct {
		OK bool `json:"ok"`
		valueInfo
	}{true, info}, err)
}

// list answers with a list of values as that member.
func (x *exchange) list(member string, info func(players.Value) valueInfo, list []players.Value, err error) error {
	out := make([]valueInfo, len(list))
	for i, v := range list {
		out[i] = info(v)
	}
	return x.answer(map[string]any{"ok": true, member: out}, err)
}

// value answers with the JSON of a stored value, byte for byte.
func (x *exchange) value(v players.Value, err error) error {
	if err != nil {
		return err
	}
	x.w.Header().Set("Last-Modified", v.At.UTC().Format(http.TimeFormat))
	x.write(http.StatusOK, v.JSON)
	return nil
}

func (x *exchange) saves() error {
	list, err := x.Players.Saves(x.ctx(), nobody, x.v)
	return x.list("saves", saveInfo, list, err)
}

func (x *exchange) load() error {
	return x.value(x.Players.Load(x.ctx(), nobody, x.v, x.rest))
}

func (x *exchange) save() error { return x.keep(x.body) }

func (x *exchange) keep(value []byte) error {
	v, err := x.Players.Save(x.ctx(), nobody, x.v, x.rest, value)
	return x.stored(saveInfo(v), err)
}

// saveByBeacon runs save for a page that is being left: a beacon has no header of its own.
func (x *exchange) saveByBeacon() error {
	var in struct {
		Player string          `json:"player"`
		Value  json.RawMessage `json:"value"`
	}
	if err := x.fieldsOf(&in, &in.Player); err != nil {
		return err
	}
	if in.Value == nil {
		return missing("value", "Send the JSON value to keep. PUT takes it as the whole body.")
	}
	return x.keep(in.Value)
}

func (x *exchange) deleteSave() error {
	return x.answer(done{true}, x.Players.DeleteSave(x.ctx(), nobody, x.v, x.rest))
}

func (x *exchange) sharedKeys() error {
	list, err := x.Players.SharedKeys(x.ctx(), nobody, x.v, x.r.URL.Query().Get("prefix"))
	return x.list("shared", sharedInfo, list, err)
}

func (x *exchange) loadShared() error {
	return x.value(x.Players.LoadShared(x.ctx(), nobody, x.v, x.rest))
}

func (x *exchange) share() error {
	v, err := x.Players.Share(x.ctx(), nobody, x.v, x.rest, x.body)
	return x.stored(sharedInfo(v), err)
}

func (x *exchange) deleteShared() error {
	return x.answer(done{true}, x.Players.DeleteShared(x.ctx(), nobody, x.v, x.rest))
}
