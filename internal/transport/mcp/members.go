package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// A member is one member of an object in JSON, as it was sent.
type member struct {
	name  string
	value json.RawMessage
}

// text returns the value if it is a text.
func (m member) text() (text string, ok bool) {
	return text, len(m.value) > 0 && m.value[0] == '"' && json.Unmarshal(m.value, &text) == nil
}

// maxMembers bounds the members of an object: each costs many times its size. No call of the API has as many fields.
const maxMembers = 1000

var (
	errNoObject    = errors.New("no object in JSON")
	errManyMembers = errors.New("too many members")
)

// members returns the members of an object in their order, equal names included: decoding into a map would drop all but
// one of them. The values are parts of the text, which may have 4 MiB, and no copies.
func members(text []byte) ([]member, error) {
	if !json.Valid(text) {
		return nil, errNoObject
	}
	return membersOf(text)
}

// membersOf is members for a text that is valid.
func membersOf(text []byte) (list []member, err error) {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return nil, errNoObject
	}
	for text = skip(text[1:]); text[0] == '"'; text = skip(text) {
		end := endOf(text)
		var m member
		if err := json.Unmarshal(text[:end], &m.name); err != nil {
			return nil, err
		}
		if len(list) == maxMembers {
			return nil, errManyMembers
		}
		text = skip(text[end:])
		end = endOf(text)
		m.value, text = json.RawMessage(text[:end]), text[end:]
		list = append(list, m)
	}
	return list, nil
}

// skip drops blanks and separators before a name, a value or the end of an object.
func skip(text []byte) []byte { return bytes.TrimLeft(text, ",: \t\r\n") }

// endOf returns the length of the valid value with which a text begins.
func endOf(text []byte) int {
	level, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && level == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			level++
		case (c == '}' || c == ']') && level > 0:
			if level--; level == 0 {
				return i + 1
			}
		case level == 0 && bytes.IndexByte([]byte(",}] \t\r\n"), c) >= 0:
			return i
		}
	}
	return len(text)
}

// last returns the last member of a name, which is the one that the SDK takes.
func last(list []member, name string) member {
	for _, m := range slices.Backward(list) {
		if m.name == name {
			return m
		}
	}
	return member{}
}

// object returns members as an object, under names that rename returns.
func object(list []member, rename func(string) string) json.RawMessage {
	var out bytes.Buffer
	size := 2
	for _, m := range list {
		size += len(m.name) + len(m.value) + 8
	}
	out.Grow(size)
	out.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := encoded(rename(m.name))
		out.Write(name)
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}
