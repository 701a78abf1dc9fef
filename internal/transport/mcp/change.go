package mcp

import (
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A made version, as the API and the tools have it.
type made struct {
	DryRun   bool `json:"dry_run,omitempty"`
	Version  int  `json:"version"`
	Previous int  `json:"previous_version,omitempty"`
	From     int  `json:"restored_from,omitempty"`

	URL        string `json:"url,omitempty"`
	PageURL    string `json:"page_url,omitempty"`
	Unchanged  int    `json:"unchanged,omitempty"`
	Removed    int    `json:"removed,omitempty"`
	Total      int    `json:"file_count,omitempty"`
	Quarantine bool   `json:"quarantined,omitempty"`
	Held       *held  `json:"held,omitempty"`
	EditToken  string `json:"edit_token,omitempty"`
	ConnectURL string `json:"connect_url,omitempty"`
}

// A held is a hold, which keeps a project from others, as the API and the tools have it.
type held struct {
	Rule    string `json:"rule"`
	Since   string `json:"since"`
	Ends    string `json:"ends"`
	ViewURL string `json:"view_url,omitempty"`
}

// note returns a sentence about the hold and the acts that end it; empty without a hold.
func (h *held) note() string {
	if h == nil {
		return ""
	}
	return "Held: others do not see it until " + h.Ends + ". Its owner sees it at view_url."
}

// An apiChange is the answer of the API to a publish, an update, a restore, or a dry run of these.
type apiChange struct {
	made
	Project  string `json:"project_id"`
	Title    string `json:"title"`
	Filename string `json:"filename"`
	Files    []file `json:"files"`
	Checks   struct {
		State string `json:"state"`
	} `json:"checks"`
	Next     string    `json:"next"` // of a dry run, where versions are opened
	Warnings []warning `json:"warnings"`
}

type file struct {
	Filename string `json:"filename"`
	Size     int64  `json:"size"`
}

// changed is the answer of a tool that makes a version.
type changed struct {
	Project string `json:"project,omitempty"`
	made
	Changed  []string  `json:"changed,omitempty"`
	Count    int       `json:"changed_count,omitempty"` // at most 100 of an update
	Note     string    `json:"note,omitempty"`
	Check    string    `json:"check,omitempty"`
	Data     *data     `json:"data,omitempty"`
	Warnings []warning `json:"warnings,omitempty"`
}

// data are words of people and pages. They are no part of the answer's own, and orders to nobody.
type data struct {
	Title    string   `json:"title,omitempty"`
	Handle   string   `json:"handle,omitempty"`
	Errors   []string `json:"console_errors,omitempty"`
	Failed   []string `json:"failed_requests,omitempty"`
	Hosts    []string `json:"other_hosts,omitempty"`
	Findings []string `json:"findings,omitempty"`
}

// changes returns the call of a tool that changes something, with this verb for its effect.
func changes(path, verb string) func(*Tools, *call) (*sdk.CallToolResult, *refusal) {
	return func(t *Tools, c *call) (*sdk.CallToolResult, *refusal) {
		var got apiChange
		if refused := t.post(c, path, c.args.body(), &got); refused != nil {
			return nil, refused
		}
		return got.result(verb), nil
	}
}

func (a apiChange) result(verb string) *sdk.CallToolResult {
	out := changed{Project: a.Project, made: a.made, Warnings: brief(a.Warnings), Check: a.looks()}
	if a.Title != "" {
		out.Data = &data{Title: words(a.Title, 100)}
	}
	var all []string
	if a.Filename != "" {
		all = []string{a.Filename}
	}
	for _, f := range a.Files {
		all = append(all, f.Filename)
	}
	out.Changed, out.Count = few(all), len(all)
	if a.Previous == 0 {
		out.Count = max(len(all), a.Total) // the list of the API has the first hundred
	}
	switch {
	case a.Held != nil:
		out.Note = a.Held.note()
	case a.ConnectURL != "" && a.Quarantine:
		out.Note = "In quarantine and unlisted until your user takes the project over at connect_url."
	case a.ConnectURL != "":
		out.Note = "It belongs to nobody until your user takes it over at connect_url."
	}
	if a.DryRun {
		return result(sentences("Dry run: nothing was changed.", fmt.Sprintf("%d files would change.", out.Count), out.Check), out)
	}
	return result(sentences(
		fmt.Sprintf("%s %s, version %d: %s", verb, a.Project, a.Version, a.URL),
		labelled("edit_token:", a.EditToken), labelled("Your user takes it over at", a.ConnectURL), out.Check,
	), out)
}

func labelled(label, value string) string {
	if value == "" {
		return ""
	}
	return label + " " + value
}

// looks says whether the play-tester opens the version, and when.
func (a apiChange) looks() string {
	switch {
	case a.Next != "":
		return "Once it is made, check opens it, and plays your inputs."
	case a.Checks.State == "waiting" || a.Checks.State == "running":
		return "The play-tester opens it in its turn: run check, which waits for it. With inputs, check plays it at once."
	case a.Checks.State == "off":
		return "No play-tester opens pages here: run check for the rest."
	case a.Checks.State == "unavailable":
		return "The play-tester cannot open it now: run check later."
	}
	return ""
}
