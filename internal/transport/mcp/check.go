package mcp

import (
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// checkWait is how long a check waits for the play-tester, in seconds; the API may bound it.
const checkWait = "25"

// maxPicture is the largest picture in an answer, in bytes.
const maxPicture = 100 << 10

// An apiCheck is the answer of the API about the trial of a project.
type apiCheck struct {
	Project string `json:"project_id"`
	Version int    `json:"version"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Ahead   *int   `json:"ahead"`
	Checked *struct {
		Version int      `json:"version"`
		Moved   *bool    `json:"moved"`
		Paint   *int64   `json:"first_paint_ms"`
		Errors  []string `json:"errors"`
		Hosts   []string `json:"other_hosts"`
		Failed  []struct {
			Path   string `json:"path"`
			Status int    `json:"status"`
		} `json:"failed_requests"`
		Findings []warning `json:"findings"`
	} `json:"checked"`
	Picture *struct {
		Type    string `json:"content_type"`
		Content []byte `json:"content"`
	} `json:"picture"`
	Warnings []warning `json:"warnings"` // of the static check, where nothing is opened
}

// aCheck is the answer of check.
type aCheck struct {
	Project  string    `json:"project"`
	Version  int       `json:"version"`
	State    string    `json:"state"`
	Reason   string    `json:"reason,omitempty"`
	Ahead    *int      `json:"ahead,omitempty"`
	Checked  int       `json:"checked_version,omitempty"`
	Moved    *bool     `json:"moved,omitempty"`
	Paint    *int64    `json:"first_paint_ms,omitempty"`
	Findings []string  `json:"findings,omitempty"` // their codes
	Hints    []string  `json:"hints,omitempty"`
	Data     *data     `json:"data,omitempty"` // of the page
	Warnings []warning `json:"warnings,omitempty"`
}

// check reports the results of the play-tester for the current version, and waits for them.
func (t *Tools) check(c *call) (*sdk.CallToolResult, *refusal) {
	said, warnings, refused := c.texts("project", "inputs", "probe")
	if refused != nil {
		return nil, refused
	}
	id, refused := project(said, warnings)
	if refused != nil {
		return nil, refused
	}
	if said["inputs"]+said["probe"] != "" {
		return t.play(c, id, said, warnings)
	}
	var got apiCheck
	if refused := t.getJSON(c, pathOf(id, "checks"), url.Values{"wait": {checkWait}, "picture": {"true"}}, &got); refused != nil {
		return nil, refused
	}
	out := aCheck{Project: got.Project, Version: got.Version, State: got.State, Reason: cutTo(got.Reason, 200), Ahead: got.Ahead, Warnings: brief(append(warnings, got.Warnings...))}
	var blocks []sdk.Content
	if seen := got.Checked; seen != nil {
		out.Checked, out.Moved, out.Paint = seen.Version, seen.Moved, seen.Paint
		out.Data = &data{Errors: several(seen.Errors, 120), Hosts: several(seen.Hosts, 60)}
		for _, r := range seen.Failed[:min(len(seen.Failed), mostOfPage)] {
			out.Data.Failed = append(out.Data.Failed, fmt.Sprintf("%d %s", r.Status, words(r.Path, 80)))
		}
		for _, f := range seen.Findings[:min(len(seen.Findings), mostOfPage)] {
			out.Findings = append(out.Findings, f.Code)
			out.Hints = append(out.Hints, cutTo(spoken(f.Hint), 150))
			out.Data.Findings = append(out.Data.Findings, words(f.Message, 100)) // some repeat the page
		}
	}
	if p := got.Picture; p != nil && len(p.Content) <= maxPicture {
		blocks = append(blocks, &sdk.ImageContent{Data: p.Content, MIMEType: p.Type})
	}
	return result(out.text(), out, blocks...), nil
}

// mostOfPage is the number of entries of each list that an answer has.
const mostOfPage = 5

// several returns the first of the words of a page, each of so many characters at most.
func several(list []string, size int) (out []string) {
	for _, one := range list[:min(len(list), mostOfPage)] {
		out = append(out, words(one, size))
	}
	return out
}

// text returns the result in words of our own: those of the page are data.
func (a aCheck) text() string {
	switch a.State {
	case "waiting":
		ahead := 0
		if a.Ahead != nil {
			ahead = *a.Ahead
		}
		return sentences(fmt.Sprintf("Version %d was not opened yet: %d others come first. Run check again.", a.Version, ahead))
	case "running":
		return sentences(fmt.Sprintf("Version %d is being opened. Run check again.", a.Version))
	case "off":
		return "No play-tester opens pages here. What the check of the files found is in warnings."
	case "unavailable", "failed":
		return sentences(fmt.Sprintf("Version %d was not opened.", a.Version), a.Reason)
	}
	found := "Nothing was found."
	if len(a.Findings) > 0 {
		found = "Findings, the worst first: " + strings.Join(a.Findings, ", ") + ". See hints and data."
	}
	moved := ""
	if a.Moved != nil && *a.Moved {
		moved = "Something moved."
	} else if a.Moved != nil {
		moved = "Nothing moved."
	}
	return sentences(fmt.Sprintf("Version %d was opened in a browser.", a.Checked), found, moved)
}
