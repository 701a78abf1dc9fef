package guide

import (
	"bytes"
	"embed"
	"html/template"
	"regexp"
	"slices"
	"strings"
	texts "text/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"
)

//go:embed texts
var files embed.FS

// A library holds all documents of an instance.
type library struct {
	contract  *contract
	index     document
	documents map[string]document // by path
	pages     map[string]page     // by name
}

// A page is one page of the documentation.
type page struct {
	title string
	html  template.HTML
}

func newLibrary(cfg Config) *library {
	l := &library{contract: read(cfg.OpenAPI), pages: map[string]page{}}
	if cfg.Facts.NoRuntime {
		l.contract.Paths = slices.DeleteFunc(l.contract.Paths, ofPlayers)
	}
	v := &view{cfg, l.contract, cfg.Places.Base.String(), texts.Must(texts.New("").ParseFS(files, "texts/*.md"))}
	markdown, plain := kindMarkdown+inUTF8, kindPlain+inUTF8
	skill := v.write("skill.md")
	l.index = newDocument(kindJSON, encoded(v.index()))
	l.documents = map[string]document{
		"/llms.txt":               newDocument(plain, v.write("llms.md")),
		"/llms-full.txt":          newDocument(plain, v.write("llms-full.md")),
		"/skill.md":               newDocument(markdown, skill),
		skillAt:                   newDocument(markdown, skill),
		skillsPath + "index.json": newDocument(kindJSON, skills(v.Description(), skill)),
		"/robots.txt":             newDocument(plain, robots(v.Base)),
	}
	for _, name := range v.pageNames() {
		l.add(v, name, v.page(name))
	}
	return l
}

// add adds a page, whose title is its first line.
func (l *library) add(v *view, name, text string) {
	first, _, _ := strings.Cut(text, "\n")
	l.pages[name] = page{strings.TrimPrefix(first, "# "), v.html(text)}
	l.documents[markdownOf(pagePath(name))] = newDocument(kindMarkdown+inUTF8, []byte(text))
}

// pagePath returns the path of a page of the documentation.
func pagePath(name string) string { return strings.TrimSuffix("/docs/"+name, "/") }

// pageName returns the name of the page at a path.
func pageName(path string) (name string, ok bool) {
	if path == "/docs" {
		return "", true
	}
	name, ok = strings.CutPrefix(path, "/docs/")
	return name, ok && name != ""
}

// markdownOf returns the path of the Markdown of a page.
func markdownOf(path string) string {
	if path == "/" {
		return "/llms.txt"
	}
	return path + ".md"
}

// A view holds the data of the templates of texts.
type view struct {
	Config
	*contract
	Base  string
	texts *texts.Template
}

// write returns one of the texts. They are embedded and read by tests, so a broken one is a programmer's error.
func (v *view) write(name string) []byte {
	var out bytes.Buffer
	if err := v.texts.ExecuteTemplate(&out, name, v); err != nil {
		panic(err)
	}
	return append(bytes.TrimSpace(blank.ReplaceAll(out.Bytes(), []byte("\n\n"))), '\n')
}

// blank matches the empty lines that omitted parts of a text leave.
var blank = regexp.MustCompile(`\n{3,}`)

// html returns the HTML of a page. Its links to other pages lead to their HTML. HTML in the Markdown is left out.
func (v *view) html(text string) template.HTML {
	var pairs []string
	for _, p := range v.pageNames() {
		pairs = append(pairs, "]("+v.Base+markdownOf(pagePath(p)), "]("+pagePath(p))
	}
	pairs = append(pairs, "]("+v.Base+"/", "](/")
	var out bytes.Buffer
	md := goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	_ = md.Convert([]byte(strings.NewReplacer(pairs...).Replace(text)), &out) // a buffer takes everything
	return template.HTML(out.String())
}

// page returns a page of the documentation in Markdown.
func (v *view) page(name string) string {
	switch name {
	case "":
		return string(v.write("docs.md"))
	case "agents":
		return string(v.write("agents.md"))
	case "engines":
		return v.here(string(v.write("engines.md")))
	case "errors":
		return v.errors()
	}
	return v.here(v.reference(name))
}

// pageNames returns the first page, the one for agents, one for each tag of the OpenAPI document, the one for
// engines, which need the runtime, and the one for errors.
func (v *view) pageNames() []string {
	names := []string{"", "agents"}
	for _, e := range v.Endpoints() {
		if tag := e.tag(); !slices.Contains(names, tag) {
			names = append(names, tag)
		}
	}
	if !v.Facts.NoRuntime {
		names = append(names, "engines")
	}
	return append(names, "errors")
}

// index returns the answer to GET /v1.
func (v *view) index() any {
	type one struct {
		Method  string `json:"method"`
		Path    string `json:"path"`
		Auth    string `json:"auth"`
		Summary string `json:"summary"`
		Docs    string `json:"docs"`
	}
	var list []one
	for _, e := range v.Endpoints() {
		list = append(list, one{e.Method, e.Path, e.key, e.Summary, v.DocsOf(e)})
	}
	docs := map[string]string{}
	for name, path := range map[string]string{
		"start": "/llms.txt", "all": "/llms-full.txt", "skill": "/skill.md", "skills": skillsPath + "index.json",
		"docs": "/docs", "docs_markdown": "/docs.md", "openapi_yaml": "/openapi.yaml", "openapi_json": "/openapi.json",
	} {
		docs[name] = v.Base + path
	}
	return struct {
		Service   string            `json:"service"`
		About     string            `json:"about"`
		BaseURL   string            `json:"base_url"`
		First     string            `json:"first_call"`
		Auth      string            `json:"auth"`
		LostKeys  string            `json:"lost_keys"`
		MCP       map[string]string `json:"mcp"`
		OAuth     map[string]string `json:"oauth"`
		Documents map[string]string `json:"documents"`
		Endpoints []one             `json:"endpoints"`
	}{
		v.Info.Title, v.Info.Summary, v.Base, v.FirstCall(), "Authorization: Bearer <api_key or project_api_key>", v.Places.LostKeys(),
		map[string]string{"without_account": v.Base + "/mcp", "with_account": v.Base + "/mcp/account"},
		map[string]string{"issuer": v.Base + "/oauth", "device": v.Base + "/oauth/device", "page": v.Base + "/connect"},
		docs, list,
	}
}
