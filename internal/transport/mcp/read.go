package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxListed is the number of files of a project that an answer names.
const maxListed = 200

// anAPIProject is the answer of the API about a project, without its files.
type anAPIProject struct {
	Project    string    `json:"project_id"`
	Title      string    `json:"title"`
	Handle     string    `json:"handle"`
	URL        string    `json:"url"`
	PageURL    string    `json:"page_url"`
	VersionURL string    `json:"version_url"`
	Primary    string    `json:"primary_file"`
	Version    int       `json:"version"`
	Size       int64     `json:"size"`
	Count      int       `json:"file_count"`
	Quarantine bool      `json:"quarantined"`
	Held       *held     `json:"held"`
	LastHold   *lastHold `json:"last_hold"`
	UpdatedAt  string    `json:"updated_at"`
	Warnings   []warning `json:"warnings"`
}

// A lastHold is the last hold of a project, which has ended.
type lastHold struct {
	Rule  string `json:"rule"`
	Since string `json:"since"`
	Ended string `json:"ended"`
}

// aProject is the answer of get_project without a file.
type aProject struct {
	Project    string    `json:"project"`
	URL        string    `json:"url"`
	PageURL    string    `json:"page_url"`
	VersionURL string    `json:"version_url,omitempty"`
	Version    int       `json:"version"`
	Primary    string    `json:"primary_file"`
	Size       int64     `json:"size"`
	Count      int       `json:"file_count"`
	Files      [][2]any  `json:"files,omitempty"` // names and sizes: pairs take half the room of objects
	Left       int       `json:"files_left_out,omitempty"`
	Quarantine bool      `json:"quarantined,omitempty"`
	Held       *held     `json:"held,omitempty"`
	LastHold   *lastHold `json:"last_hold,omitempty"`
	UpdatedAt  string    `json:"updated_at"`
	Data       *data     `json:"data,omitempty"`
	Warnings   []warning `json:"warnings,omitempty"`
}

// getProject returns the files of a project, or a part of one of them.
func (t *Tools) getProject(c *call) (*sdk.CallToolResult, *refusal) {
	said, warnings, refused := c.texts("project", "file", "from_line")
	if refused != nil {
		return nil, refused
	}
	id, refused := project(said, warnings)
	if refused != nil {
		return nil, refused
	}
	from, refused := number(said, "from_line")
	if refused != nil {
		return nil, refused
	}
	if said["file"] != "" {
		return t.readFile(c, id, said["file"], from)
	}
	a, refused := t.get(c, pathOf(id), url.Values{"content": {"none"}})
	if refused != nil {
		return nil, refused
	}
	defer a.Close()
	got, files, err := readProject(a.body)
	if err != nil {
		return nil, brokenOff()
	}
	return got.result(files, warnings), nil
}

// readProject reads the answer about a project, and the first of its files: there may be 10,000.
func readProject(body io.Reader) (got anAPIProject, files []file, err error) {
	dec := json.NewDecoder(body)
	if _, err = dec.Token(); err != nil {
		return got, nil, err
	}
	var rest []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return got, nil, err
		}
		if name == "files" {
			if files, err = readFiles(dec); err != nil {
				return got, nil, err
			}
			continue
		}
		m := member{name: fmt.Sprint(name)}
		if err := dec.Decode(&m.value); err != nil {
			return got, nil, err
		}
		rest = append(rest, m)
	}
	return got, files, json.Unmarshal(object(rest, func(name string) string { return name }), &got)
}

func readFiles(dec *json.Decoder) (files []file, err error) {
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		var f file
		if err := dec.Decode(&f); err != nil {
			return nil, err
		}
		if len(files) < maxListed {
			files = append(files, f)
		}
	}
	_, err = dec.Token()
	return files, err
}

func (a anAPIProject) result(files []file, warnings []warning) *sdk.CallToolResult {
	out := aProject{
		Project: a.Project, URL: a.URL, PageURL: a.PageURL, VersionURL: a.VersionURL, Version: a.Version, Primary: words(a.Primary, 200),
		Size: a.Size, Count: a.Count, Quarantine: a.Quarantine, Held: a.Held, LastHold: a.LastHold, UpdatedAt: a.UpdatedAt,
		Data: &data{Title: words(a.Title, 200), Handle: words(a.Handle, 40)}, Warnings: brief(append(warnings, a.Warnings...)),
	}
	for _, f := range files {
		out.Files = append(out.Files, [2]any{words(f.Filename, 200), f.Size})
	}
	left := ""
	if len(files) > 0 && len(files) < a.Count {
		out.Left = a.Count - len(files)
		left = fmt.Sprintf("%d more are not named.", out.Left)
	}
	head := fmt.Sprintf("%s, version %d, %d files: %s", a.Project, a.Version, a.Count, a.URL)
	return result(sentences(head, left, "Send file to read one."), out)
}
