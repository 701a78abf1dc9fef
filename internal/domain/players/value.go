package players

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// maxDepth bounds the nesting of arrays and objects, as in every request.
const maxDepth = 32

// checkValue refuses a value that is too long, invalid JSON, or JSON that two parsers could read differently.
func checkValue(value []byte, most int) error {
	if len(value) > most {
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "The value has %d bytes of JSON; %d is the limit.", len(value), most).
			In("value").Detail("limit", most).Note("Save less: only the state that the game needs to go on.")
	}
	if fault := faultOf(value); fault != "" {
		return sandlot.Refuse(sandlot.CodeInvalidJSON, "The value is not valid JSON: %s.", fault).
			In("value").Note("Send one JSON value in UTF-8, such as {\"level\": 3}.")
	}
	return nil
}

// faultOf returns the fault of a JSON value as a clause of a sentence; "" for a valid one.
func faultOf(value []byte) string {
	switch {
	case !utf8.Valid(value):
		return "it is not in UTF-8"
	case !json.Valid(value):
		return "it has a syntax error, or is empty"
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var open []map[string]bool // the names in each open object; nil for an array
	name := true
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			return "it has a syntax error"
		}
		switch delim, _ := token.(json.Delim); {
		case delim == '{', delim == '[':
			if len(open) == maxDepth {
				return "its arrays and objects are nested more than 32 deep"
			}
			var names map[string]bool
			if delim == '{' {
				names = map[string]bool{}
			}
			open, name = append(open, names), true
			continue
		case delim == '}', delim == ']':
			open = open[:len(open)-1]
		case len(open) > 0 && open[len(open)-1] != nil && name:
			text, _ := token.(string)
			if open[len(open)-1][text] {
				return "an object has the name " + inspect.Quoted(text) + " twice"
			}
			open[len(open)-1][text], name = true, false
			continue
		}
		name = true
	}
}

// checkSlot refuses an invalid name of a slot.
func checkSlot(slot string) error {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	if slot == "" || len(slot) > MaxSlot || strings.Trim(slot, allowed) != "" {
		return sandlot.Refuse(sandlot.CodeInvalidField, "The name of the slot is invalid.").In("slot").
			Note("Send 1 to %d characters of A-Z a-z 0-9 . _ -, such as GET /.sandlot/saves/main.", MaxSlot)
	}
	return nil
}

// checkKey refuses an invalid key of a shared value.
func checkKey(key string) error {
	if key == "" || !text(key) || utf8.RuneCountInString(key) > MaxKey {
		return sandlot.Refuse(sandlot.CodeInvalidField, "The key of the shared value is invalid.").In("key").
			Note("Send 1 to %d characters without control characters, such as GET /.sandlot/shared/highscores.", MaxKey)
	}
	return nil
}

// text reports whether s is UTF-8 without control characters, which every database can store.
func text(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}
