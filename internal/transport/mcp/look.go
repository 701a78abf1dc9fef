package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	pageSize   = 8    // entries of a list in one answer
	searchSize = 1000 // projects that a query looks through: the most that the API lists at once
)

// A listed project is one of list_projects.
type listed struct {
	Project   string `json:"project"`
	URL       string `json:"url,omitempty"`
	Version   int    `json:"version"`
	UpdatedAt string `json:"updated_at"`
	Data      data   `json:"data"`
}

// projectList is the answer of list_projects.
type projectList struct {
	Projects []listed  `json:"projects"`
	Found    int       `json:"found,omitempty"` // by a query: more than are listed
	Next     string    `json:"next_cursor,omitempty"`
	Warnings []warning `json:"warnings,omitempty"`
}

// listProjects lists the projects that the key of the outer call covers. The API has no search of them: a query looks
// through a page of its largest size.
func (t *Tools) listProjects(c *call) (*sdk.CallToolResult, *refusal) {
	said, warnings, refused := c.texts("query", "cursor")
	if refused != nil {
		return nil, refused
	}
	limit, query := pageSize, strings.ToLower(strings.TrimSpace(said["query"]))
	if query != "" {
		limit = searchSize
	}
	var got struct {
		Projects []anAPIProject `json:"projects"`
		Next     string         `json:"next_cursor"`
	}
	if refused := t.getJSON(c, "/v1/whoami", paged(limit, said["cursor"]), &got); refused != nil {
		return nil, refused
	}
	out := projectList{Projects: []listed{}, Next: got.Next, Warnings: brief(warnings)}
	for _, p := range got.Projects {
		if !strings.Contains(strings.ToLower(p.Project+" "+p.Title+" "+p.URL), query) {
			continue
		}
		if out.Found++; len(out.Projects) < pageSize {
			out.Projects = append(out.Projects, listed{p.Project, short(p.URL), p.Version, p.UpdatedAt, data{Title: words(p.Title, 60)}})
		}
	}
	return result(out.text(query != ""), out), nil
}

func (l projectList) text(query bool) string {
	first := fmt.Sprintf("%d projects.", len(l.Projects))
	if query && l.Found > len(l.Projects) {
		first = fmt.Sprintf("%d projects fit, of which %d are listed; a longer query finds fewer.", l.Found, len(l.Projects))
	}
	more := ""
	if l.Next != "" {
		more = "There are older ones: send cursor."
	}
	return sentences(first, more)
}

func paged(limit int, cursor string) url.Values {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}

// short returns an address that fits into a list, "" for a longer one.
func short(address string) string {
	if len(address) > 120 {
		return ""
	}
	return address
}

// A version is one of versions.
type version struct {
	Version      int             `json:"version"`
	CreatedAt    string          `json:"created_at"`
	VersionURL   string          `json:"version_url,omitempty"`
	RestoredFrom int             `json:"restored_from,omitempty"`
	Erased       bool            `json:"erased,omitempty"`
	Changes      json.RawMessage `json:"changes,omitempty"`
}

// versionList is the answer of versions, of the API and of the tool.
type versionList struct {
	Project  string    `json:"project"`
	Version  int       `json:"version"`
	Versions []version `json:"versions"`
	Next     string    `json:"next_cursor,omitempty"`
	Warnings []warning `json:"warnings,omitempty"`
}

// versions lists the versions of a project.
func (t *Tools) versions(c *call) (*sdk.CallToolResult, *refusal) {
	said, warnings, refused := c.texts("project", "cursor")
	if refused != nil {
		return nil, refused
	}
	id, refused := project(said, warnings)
	if refused != nil {
		return nil, refused
	}
	got := struct {
		ID string `json:"project_id"`
		versionList
	}{}
	if refused := t.getJSON(c, pathOf(id, "versions"), paged(pageSize, said["cursor"]), &got); refused != nil {
		return nil, refused
	}
	out := got.versionList
	out.Project, out.Warnings = got.ID, brief(warnings)
	for i, v := range out.Versions {
		out.Versions[i].VersionURL = short(v.VersionURL)
	}
	more := ""
	if out.Next != "" {
		more = "There are older ones: send cursor."
	}
	return result(sentences(fmt.Sprintf("%s is at version %d.", out.Project, out.Version), more), out), nil
}

// Numbers of plays are lists in the API; an answer has the last of them.
const maxNumbers = 14

// numbers is the answer of the API to stats, whatever they are by, and that of the tool.
type numbers struct {
	Project   string            `json:"project"`
	Players   *int              `json:"player_count,omitempty"`
	Plays     *int64            `json:"plays,omitempty"`
	Likes     *int64            `json:"likes,omitempty"`
	By        string            `json:"by,omitempty"`
	Days      []json.RawMessage `json:"days,omitempty"`
	Versions  []json.RawMessage `json:"versions,omitempty"`
	Total     json.RawMessage   `json:"total,omitempty"`
	LeftOut   int               `json:"left_out,omitempty"`
	AsOf      string            `json:"as_of"`
	Warnings  []warning         `json:"warnings,omitempty"`
	Referrers []struct {
		Host  string `json:"host"`
		Plays int64  `json:"plays"`
	} `json:"referrers,omitempty"`
}

// stats returns the plays and likes of a project.
func (t *Tools) stats(c *call) (*sdk.CallToolResult, *refusal) {
	said, warnings, refused := c.texts("project", "by")
	if refused != nil {
		return nil, refused
	}
	id, refused := project(said, warnings)
	if refused != nil {
		return nil, refused
	}
	query := url.Values{}
	if by := said["by"]; by != "" {
		query.Set("by", by)
	}
	got := struct {
		ID string `json:"project_id"`
		numbers
	}{}
	if refused := t.getJSON(c, pathOf(id, "stats"), query, &got); refused != nil {
		return nil, refused
	}
	out := got.numbers
	out.Project, out.Warnings = got.ID, brief(warnings)
	return result(out.shortened(), out), nil
}

// shortened keeps the newest entries of each list, and returns the numbers in words.
func (n *numbers) shortened() string {
	n.LeftOut = max(0, len(n.Days)-maxNumbers) + max(0, len(n.Versions)-maxNumbers)
	n.Days = n.Days[max(0, len(n.Days)-maxNumbers):]
	n.Versions = n.Versions[:min(len(n.Versions), maxNumbers)]
	n.Referrers = n.Referrers[:min(len(n.Referrers), 5)]
	for i, r := range n.Referrers {
		n.Referrers[i].Host = words(r.Host, 60)
	}
	switch {
	case n.Plays != nil && n.Likes != nil:
		return sentences(fmt.Sprintf("%s: %d plays, %d likes.", n.Project, *n.Plays, *n.Likes))
	case n.Total != nil:
		return sentences(fmt.Sprintf("%s, in all days: %s", n.Project, n.Total))
	}
	return sentences(fmt.Sprintf("%s, by version: %d.", n.Project, len(n.Versions)))
}
