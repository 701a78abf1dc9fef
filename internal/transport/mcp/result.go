package mcp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of an answer, in characters.
const (
	maxText     = 300 // of the first block of text
	maxNames    = 20  // names of files
	roomOfNames = 700 // of these names together
	maxWarnings = 4
)

// result returns an answer: the whole of it as data, and a text with the same in short. Clients drop one or the other.
func result(text string, data any, more ...sdk.Content) *sdk.CallToolResult {
	whole, err := encoded(data)
	if err != nil {
		whole = json.RawMessage("{}") // never: all of it is texts, numbers and decoded JSON
	}
	return &sdk.CallToolResult{Content: append([]sdk.Content{&sdk.TextContent{Text: text}}, more...), StructuredContent: whole}
}

// encoded returns v in JSON, with its markup readable.
func encoded(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// sentences joins the sentences that fit into the text of an answer, the first ones first.
func sentences(list ...string) string {
	text := ""
	for _, one := range list {
		switch {
		case one == "":
		case text == "":
			text = cutTo(one, maxText)
		case utf8.RuneCountInString(text)+1+utf8.RuneCountInString(one) <= maxText:
			text += " " + one
		}
	}
	return text
}

// few returns the first names of files that there is room for.
func few(list []string) []string {
	out, room := []string{}, roomOfNames
	for _, name := range list {
		name = words(name, 120)
		if room -= utf8.RuneCountInString(name); room < 0 || len(out) == maxNames {
			break
		}
		out = append(out, name)
	}
	return out
}

// A warning is one of the API, or of the arguments of a tool.
type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// brief returns the first warnings, in the language of tools.
func brief(list []warning) []warning {
	var out []warning
	for _, w := range list[:min(len(list), maxWarnings)] {
		message := spoken(w.Message)
		if w.Code == "script_error" { // its message repeats the page
			message = "A script of an earlier version failed. check has its words."
		}
		out = append(out, warning{w.Code, words(message, 160), words(spoken(w.Hint), 120)})
	}
	return out
}
