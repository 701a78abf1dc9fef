package sandlot

import (
	"net/url"
	"strings"

	"sandlot/internal/format/names"
)

// Places holds the addresses of an installation. All links are made from it alone, never from a request. It does not
// change while the service runs.
type Places struct {
	Base     *url.URL // of the API and the pages, without a trailing slash
	Content  string   // host[:port] under which each project has its own name; empty if there is none
	PathForm bool     // whether {base}/~/{project_id}/ is served
	Mailless bool     // whether no mail is sent, so that nobody can log in by e-mail
	Logins   bool     // whether people can log in to the website, and so let programs in
}

// LostKeys returns the advice for lost keys: the way back to a project for its owner.
func (p Places) LostKeys() string {
	if p.Mailless {
		return "Keys lost? Do not publish again. This service sends no e-mail: " +
			"its operator makes a key with `sandlot admin new-key HANDLE`."
	}
	return "Keys lost? Do not publish again. Your user opens " + p.Base.String() +
		"/account, logs in by e-mail and makes a key for this project."
}

// Addresses are the absolute links of a project, as Places makes them.
type Addresses struct {
	URL     string // of the project's own origin
	Path    string // of the path form; empty where it is not served
	Page    string
	Version string // of the current version
}

// Project returns the links of a project. The version address is set if suffix is not empty and projects have hosts of
// their own. It queries no store: the project need not exist.
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

// Appeal returns the address of the page on which the owner of a project that was taken down or is held objects.
func (p Places) Appeal(id ProjectID) string { return p.Base.String() + "/appeal/" + string(id) }

// Origin returns the origin of the project or version with this host label.
func (p Places) Origin(label string) string {
	return p.Base.Scheme + "://" + label + "." + p.Content
}

// ProjectID finds the project id in a client's reference to a project: the id itself, or the project's url, path_url or
// page_url, or the version_url of one of its versions, each with or without scheme and slashes at the end. Any other
// text comes back unchanged, and will not be found.
func (p Places) ProjectID(ref string) ProjectID {
	ref = strings.TrimSpace(ref)
	if id := strings.TrimRight(ref, "/"); names.ValidProjectID(id) {
		return ProjectID(id)
	}
	host, path := address(ref)
	if label, ok := strings.CutSuffix(host, "."+p.Content); ok && p.Content != "" {
		if id, _, _, ok := names.ParseLabel(label); ok {
			return ProjectID(id)
		}
		return ProjectID(label)
	}
	if p.Base != nil && strings.EqualFold(host, p.Base.Host) {
		if rest, ok := strings.CutPrefix(path, p.Base.Path); ok {
			return idBehind(rest, ref)
		}
	}
	return ProjectID(ref)
}

// ProjectIn is ProjectID for text that a person wrote: it accepts any port, any page of the project and, so that old
// addresses are found, too, any host; ids are random, and another installation's are not found here. Addresses may be
// defanged, such as hxxps://id[.]example[.]net, and in any case. Without Places it knows no host, and takes a host that begins with an id for a
// project's.
func (p Places) ProjectIn(ref string) ProjectID {
	ref = refang.Replace(strings.ToLower(strings.TrimSpace(ref)))
	id := p.ProjectID(ref)
	if names.ValidProjectID(string(id)) {
		return id
	}
	host, path := address(ref)
	label, _, _ := strings.Cut(host, ".")
	if id, _, _, ok := names.ParseLabel(label); ok && (p.Base == nil || !strings.EqualFold(host, p.Base.Host)) {
		return ProjectID(id)
	}
	return idBehind(path, ref)
}

// refang undoes the forms in which people write dangerous addresses, so that nobody opens them. It never changes.
var refang = strings.NewReplacer("[.]", ".", "(.)", ".", "{.}", ".", "[dot]", ".", "(dot)", ".", "。", ".", "．", ".",
	"[:]", ":", "[://]", "://", "[/]", "/", "hxxp", "http", "\\", "/")

// address splits a possible address without a scheme, with a path that nothing else could parse.
func address(ref string) (host, path string) {
	if _, rest, ok := strings.Cut(ref, "://"); ok {
		ref = rest
	}
	ref = strings.TrimLeft(ref, "/")
	if end := strings.IndexAny(ref, "?#"); end >= 0 {
		ref = ref[:end]
	}
	host, path, _ = strings.Cut(ref, "/")
	return strings.ToLower(host), "/" + path
}

// idBehind finds the id in the path of a page of the website, or of the path form, and returns ref if it has none.
func idBehind(path, ref string) ProjectID {
	for _, folder := range []string{"/~/", "/p/", "/embed/"} {
		if rest, ok := strings.CutPrefix(path, folder); ok {
			id, _, _ := strings.Cut(rest, "/")
			return ProjectID(id)
		}
	}
	return ProjectID(ref)
}
