package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake"
)

// arguments are those of a call of a tool.
type arguments struct {
	raw   json.RawMessage // as they were sent
	list  []member        // without the token; nil if they are no object
	token string          // the edit_token, if it has the form of one
}

// readArguments reads arguments. token reports whether the tool takes an edit_token: any other key in its place stays
// there, and is refused with the rest.
func readArguments(raw json.RawMessage, token bool) arguments {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	a := arguments{raw: raw}
	list, err := members(raw)
	if err != nil {
		return a
	}
	a.list = []member{}
	for _, m := range list {
		said, isText := m.text()
		said = strings.TrimSpace(said)
		switch mine := token && m.name == "edit_token"; {
		case mine && a.token == "" && strings.HasPrefix(said, editPrefix):
			a.token = said
		case mine && (isText && said == "" || string(m.value) == "null"):
		default:
			a.list = append(a.list, m)
		}
	}
	return a
}

// editPrefix begins every edit_token.
const editPrefix = "sle_"

// body returns the arguments as the body of a call of the API. Nothing of their text changes but the name project, so
// that the API meets each mistake in them.
func (a arguments) body() []byte {
	if a.list == nil {
		return a.raw
	}
	return object(a.list, func(name string) string {
		if name == "project" {
			return "project_id"
		}
		return name
	})
}

// texts returns the arguments of a tool that reads, by name. It refuses a key among them, and warns of those that the
// tool does not take.
func (c *call) texts(known ...string) (said map[string]string, warnings []warning, refused *refusal) {
	if c.args.list == nil {
		return nil, nil, own(sandlot.CodeInvalidField, "The arguments are no object.", "Send an object in JSON, with "+strings.Join(known, ", ")+".")
	}
	said = map[string]string{}
	set := &intake.FieldSet{Names: apiNames(known)}
	for _, m := range c.args.list {
		if inspect.HoldsKey(string(m.value)) || inspect.HoldsKey(m.name) {
			return nil, nil, own(sandlot.CodeKeyNotInHeader, "A key was sent in the arguments. No tool takes a key.",
				"Leave it out. A key goes into the settings of the client, as Authorization: Bearer; replace the one that was sent.")
		}
		name := m.name
		if name == "project_id" {
			name = "project"
		}
		text, isText := m.text()
		switch {
		case string(m.value) == "null":
		case !slices.Contains(known, name):
			warnings = append(warnings, unknown(m.name, toolName(set.Meant(m.name)), known))
		case said[name] != "":
			return nil, nil, own(sandlot.CodeInvalidField, "The argument "+name+" is there twice.", "Send it once.")
		case isText:
			said[name] = text
		default:
			said[name] = string(m.value)
		}
	}
	return said, warnings, nil
}

// project returns the argument project, which the tool needs.
func project(said map[string]string, warnings []warning) (string, *refusal) {
	if id := strings.TrimSpace(said["project"]); id != "" {
		return id, nil
	}
	hint := "Send project: the id or any address of the project, as publish or list_projects answered it."
	for _, w := range warnings {
		hint = w.Hint + " " + hint
	}
	return "", own(sandlot.CodeProjectIDRequired, "The argument project is missing.", hint)
}

// number returns an argument that is a whole number from 1, 0 if it is absent.
func number(said map[string]string, name string) (int, *refusal) {
	text := strings.TrimSpace(said[name])
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, own(sandlot.CodeInvalidField, "The argument "+name+" is not a whole number from 1.", "Leave it out, or send a number.")
	}
	return n, nil
}

// apiNames returns names of arguments as the API has them; toolName does the reverse.
func apiNames(list []string) []string {
	list = slices.Clone(list)
	for i, name := range list {
		if name == "project" {
			list[i] = "project_id"
		}
	}
	return list
}

func toolName(name string) string {
	if name == "project_id" {
		return "project"
	}
	return name
}

// unknown returns the warning about an argument that a tool does not take.
func unknown(name, meant string, known []string) warning {
	w := warning{Code: "unknown_field", Message: "The argument " + inspect.Quoted(name) + " is not known here and was ignored."}
	if w.Hint = "The arguments are: " + strings.Join(known, ", ") + "."; meant != "" {
		w.Hint = "Probably " + meant + " was meant."
	}
	return w
}

// words returns a text that others wrote, fit to be data in an answer: on one line, without characters that hide or
// reorder others, and of at most so many characters, 200 at most.
func words(text string, most int) string {
	clean, _, _ := names.Title(text)
	return cutTo(clean, most)
}

// cutTo returns the first characters of a text, and an ellipsis for the rest.
func cutTo(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(most-1, 0)]) + "…"
}
