package publish

import (
	"net/url"
	"strings"

	"sandlot/internal/inspect"
	"sandlot/internal/names"
)

// Places says under which addresses an installation is reached. All links are made from it
// alone, never from a request. It does not change while the service runs.
type Places struct {
	Base     *url.URL // of the API and the pages, without a trailing slash
	Content  string   // host[:port] under which each project has its own name; empty if there is none
	PathForm bool     // whether {base}/~/{project_id}/ is served
}

// Project gives the links of a project. The version address is set if suffix is not empty and
// projects have hosts of their own. It asks no store: there may be no such project.
func (p Places) Project(id ProjectID, version int, suffix string) Addresses {
	a := Addresses{Page: p.Base.String() + "/p/" + string(id)}
	if p.PathForm || p.Content == "" {
		a.Path = p.Base.String() + "/~/" + string(id) + "/"
	}
	a.URL = a.Path
	if p.Content != "" {
		a.URL = p.Origin(string(id)) + "/"
		if suffix != "" {
			a.Version = p.Origin(names.VersionLabel(string(id), version, suffix)) + "/"
		}
	}
	return a
}

// Origin gives the origin of the project or version with this host label.
func (p Places) Origin(label string) string {
	return p.Base.Scheme + "://" + label + "." + p.Content
}

// ProjectID finds the project id in what a client sent for one: the id itself,
// or the project's url, path_url or page_url, or the version_url of one of its
// versions, each with or without scheme and slashes at the end. What is none of
// these comes back unchanged, and will not be found.
func (p Places) ProjectID(ref string) ProjectID {
	ref = strings.TrimSpace(ref)
	if id := strings.TrimRight(ref, "/"); names.ValidProjectID(id) {
		return ProjectID(id)
	}
	id := p.inAddress(ref)
	if id == ProjectID(ref) && !strings.Contains(ref, "://") {
		if found := p.inAddress("//" + strings.TrimLeft(ref, "/")); names.ValidProjectID(string(found)) {
			return found
		}
	}
	return id
}

// inAddress finds the id in an address, or gives it back unchanged.
func (p Places) inAddress(ref string) ProjectID {
	u, err := url.Parse(ref)
	if err != nil || u.Host == "" {
		return ProjectID(ref)
	}
	if label, ok := strings.CutSuffix(strings.ToLower(u.Host), "."+p.Content); ok && p.Content != "" {
		if id, _, _, ok := names.ParseLabel(label); ok {
			return ProjectID(id)
		}
		return ProjectID(label)
	}
	if !strings.EqualFold(u.Host, p.Base.Host) {
		return ProjectID(ref)
	}
	for _, prefix := range []string{"/~/", "/p/"} {
		if rest, ok := strings.CutPrefix(u.Path, p.Base.Path+prefix); ok {
			id, _, _ := strings.Cut(rest, "/")
			return ProjectID(id)
		}
	}
	return ProjectID(ref)
}

// projectRead warns about an address that is none of those which the service
// gives for the project.
func (s *Service) projectRead(ref string) []Warning {
	id := s.Places.ProjectID(ref)
	at := s.Places.Project(id, 0, "")
	switch strings.TrimSpace(ref) {
	case "", string(id), at.URL, at.Path, at.Page:
		return nil
	}
	return []Warning{ReadAs("project_id", inspect.Quoted(string(id)))}
}
