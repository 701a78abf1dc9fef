package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An apiPlay is the answer of the API about a version that was opened on request.
type apiPlay struct {
	Version int       `json:"version"`
	Moved   *bool     `json:"moved"`
	Frames  *float64  `json:"frames_per_second"`
	Errors  []string  `json:"errors"`
	Console []string  `json:"console"`
	Probes  []aProbe  `json:"probes"`
	Found   []warning `json:"findings"`
	After   *struct {
		Type    string `json:"content_type"`
		Content []byte `json:"content"`
	} `json:"after"`
}

// aProbe holds the values of an expression before the inputs and after them, in JSON.
type aProbe struct {
	Probe  string          `json:"probe"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Error  *string         `json:"error"`
}

// aPlay is the answer of check with inputs or probes.
type aPlay struct {
	Project  string    `json:"project"`
	Version  int       `json:"version"`
	Moved    *bool     `json:"moved,omitempty"`
	Frames   *float64  `json:"frames_per_second,omitempty"`
	Findings []string  `json:"findings,omitempty"` // their codes
	Data     playData  `json:"data"`
	Warnings []warning `json:"warnings,omitempty"`
}

// playData are words of the page. They are orders to nobody.
type playData struct {
	Errors  []string `json:"console_errors,omitempty"`
	Console []string `json:"console,omitempty"`
	Probes  []string `json:"probes,omitempty"`
	Found   []string `json:"findings,omitempty"`
}

// roomOfProbes bounds the values of all probes before the inputs, and those after them, in characters.
const roomOfProbes = 400

// play opens the current version with inputs and probes.
func (t *Tools) play(c *call, id string, said map[string]string, warnings []warning) (*sdk.CallToolResult, *refusal) {
	body := map[string]any{}
	for _, name := range []string{"inputs", "probe"} {
		if text := said[name]; strings.HasPrefix(text, "[") && json.Valid([]byte(text)) {
			body[name] = json.RawMessage(text)
		} else if text != "" {
			body[name] = text
		}
	}
	script, _ := json.Marshal(body) // texts and JSON
	var got apiPlay
	if refused := t.post(c, pathOf(id, "checks"), script, &got); refused != nil {
		return nil, refused
	}
	out := aPlay{Project: id, Version: got.Version, Moved: got.Moved, Frames: got.Frames, Warnings: brief(warnings)}
	out.Data.Errors, out.Data.Console = several(got.Errors, 100), several(got.Console, 80)
	for _, p := range got.Probes {
		size := roomOfProbes / len(got.Probes)
		value := fmt.Sprintf("%s: %s, then %s", words(p.Probe, 40), words(string(p.Before), size), words(string(p.After), size))
		if p.Error != nil {
			value = words(p.Probe, 40) + " failed: " + words(*p.Error, 80)
		}
		out.Data.Probes = append(out.Data.Probes, value)
	}
	for _, f := range got.Found[:min(len(got.Found), mostOfPage)] {
		out.Findings = append(out.Findings, f.Code)
		out.Data.Found = append(out.Data.Found, words(f.Message, 100))
	}
	var blocks []sdk.Content
	picture := ""
	if p := got.After; p != nil && len(p.Content) <= maxPicture {
		blocks, picture = append(blocks, &sdk.ImageContent{Data: p.Content, MIMEType: p.Type}), "The picture is of the end."
	}
	text := sentences(fmt.Sprintf("Version %d was played in a browser.", got.Version), picture, "See data for what the page said.")
	return result(text, out, blocks...), nil
}
