package guide

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// local is an instance on somebody's machine, open one that everybody reaches.
func local() Config {
	return Config{Places: sandlot.Places{Base: &url.URL{Scheme: "http", Host: "localhost:4711"}, Content: "localhost:4711", PathForm: true}}
}

func open() Config {
	return Config{
		Places: sandlot.Places{Base: &url.URL{Scheme: "https", Host: "example.com"}, Content: "example.net", Logins: true},
		Facts:  Facts{Site: "Class 4b", Quarantine: true, Accounts: admission.Rate{Count: 60, Per: time.Hour, Burst: 20}, Writes: admission.Rate{Count: 3600, Per: time.Hour, Burst: 1000}},
	}
}

// guides are one for each of the instances, made once: to read the document takes most of the time of these tests.
var guides = sync.OnceValues(func() (map[string]*Guide, error) {
	text, err := os.ReadFile("../api/openapi.yaml")
	all := map[string]*Guide{}
	for name, cfg := range instances() {
		cfg.OpenAPI = text
		all[name] = New(cfg)
	}
	return all, err
})

func every(t *testing.T) map[string]*Guide {
	t.Helper()
	all, err := guides()
	expect.OK(t, err)
	return all
}

// small is a guide to one endpoint.
func small(cfg Config) *Guide {
	cfg.OpenAPI = []byte("paths: {/v1: {get: {tags: [meta], summary: What is here}}}")
	return New(cfg)
}

func get(g http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

// instances are those of which the texts differ.
func instances() map[string]Config {
	keyed, closed, bare, mailless, gameless := open(), open(), open(), local(), local()
	gameless.Facts.NoRuntime = true
	mailless.Places.Mailless = true
	keyed.Facts.Opening, closed.Facts.Opening = sandlot.OpenToKeys, sandlot.Closed
	bare.Places.Content, bare.Places.PathForm = "", true
	return map[string]Config{"local": local(), "open": open(), "keyed": keyed, "closed": closed, "bare": bare, "mailless": mailless, "gameless": gameless}
}

// mostTokens is what everything for a model may take of its window. A token is at least 3.2 bytes of such a text.
const (
	mostTokens    = 8_000
	bytesOfAToken = 3.2
)

func TestEverythingForAModelIsShort(t *testing.T) {
	t.Parallel()
	for name, g := range every(t) {
		for path, most := range map[string]int{"/llms.txt": 2_500, "/llms-full.txt": mostTokens, "/skill.md": 5_000} {
			if n := float64(get(g, path).Body.Len()) / bytesOfAToken; n > float64(most) {
				t.Errorf("%s: %s has %.0f tokens, and at most %d is the rule", name, path, n, most)
			}
		}
	}
}

// TestTheTextsAreOfThisInstance alone: no address of another, nothing that is not filled in.
func TestTheTextsAreOfThisInstance(t *testing.T) {
	t.Parallel()
	for name, g := range every(t) {
		for _, path := range []string{"/llms.txt", "/llms-full.txt", "/skill.md"} {
			expect.Contains(t, name+path, get(g, path).Body.String(), g.Places.LostKeys())
		}
		expect.Contains(t, name+" at GET /v1", string(g.Index()), g.Places.LostKeys())
		for path, d := range g.library().documents {
			text := string(d.body)
			for _, wrong := range []string{"localhost:8080", "<no value>", "%!", "\n\n\n", "{{"} {
				expect.Equal(t, name+path+" has "+wrong, strings.Contains(text, wrong), false)
			}
		}
		cfg, full := g.Config, get(g, "/llms-full.txt").Body.String()
		for want, is := range map[string]bool{
			"in quarantine": cfg.Facts.Quarantine, "60 accounts without a key an hour": cfg.Facts.Accounts.Count > 0,
			"No key is needed": cfg.Facts.Opening == "", "takes no new projects": cfg.Facts.Opening == sandlot.Closed,
			"PROJECT_ID." + cmp.Or(cfg.Places.Content, "none"): cfg.Places.Content != "", "opaque origin": cfg.Places.Content == "", "104857600": false, "100 MiB": true, "1 GiB": true,
		} {
			expect.Equal(t, name+" says "+want, strings.Contains(full, want), is)
		}
	}
}

// TestWithoutARuntimeTheTextsDoNotMentionIt: neither the script nor the calls.
func TestWithoutARuntimeTheTextsDoNotMentionIt(t *testing.T) {
	t.Parallel()
	for name, g := range every(t) {
		for _, path := range []string{"/llms.txt", "/llms-full.txt", "/skill.md", "/docs/agents.md"} {
			text := get(g, path).Body.String()
			for _, line := range []string{".sandlot/sdk.js", "await sandlot.", "Saves and scores"} {
				expect.Equal(t, name+path+" has "+line, strings.Contains(text, line), name != "gameless")
			}
		}
		for _, page := range []string{"engines", "players"} {
			_, _, is := g.Page(page)
			expect.Equal(t, name+" has the page "+page, is, name != "gameless")
			expect.Equal(t, name+" leads to it", strings.Contains(get(g, "/docs.md").Body.String(), "/docs/"+page), name != "gameless")
		}
		all := string(g.Index()) + get(g, "/llms-full.txt").Body.String() + get(g, "/docs/projects.md").Body.String()
		for _, call := range []string{"/.sandlot/saves", "/v1/project/{id}/boards", "/v1/project/{id}/feedback"} {
			expect.Equal(t, name+" has "+call, strings.Contains(all, call), name != "gameless")
		}
	}
}

func TestEveryOperationIsTold(t *testing.T) {
	t.Parallel()
	g := every(t)["local"]
	var index struct {
		FirstCall string `json:"first_call"`
		Documents map[string]string
		Endpoints []struct{ Method, Path, Auth, Docs string }
	}
	expect.OK(t, json.Unmarshal(g.Index(), &index))
	told, pages := map[string]string{}, map[string]string{}
	for _, e := range index.Endpoints {
		told[e.Method+" "+e.Path] = e.Auth
		path, anchor, _ := strings.Cut(strings.TrimPrefix(e.Docs, g.Places.Base.String()), "#")
		expect.Contains(t, e.Docs, get(g, path).Body.String(), "`"+e.Method+" "+e.Path+"`")
		name, _ := pageName(strings.TrimSuffix(path, ".md"))
		_, body, ok := g.Page(name)
		pages[name] = string(body)
		expect.Equal(t, e.Docs+" is there", ok && strings.Contains(string(body), `<h2 id="`+anchor+`">`), true)
	}
	full, first := get(g, "/llms-full.txt").Body.String(), get(g, "/docs.md").Body.String()
	n := 0
	var doc struct {
		Paths map[string]map[string]yaml.Node
	}
	expect.OK(t, yaml.Unmarshal(g.OpenAPI, &doc))
	for path, item := range doc.Paths {
		for method := range item {
			if !strings.Contains("get post put patch delete", method) {
				continue
			}
			n++
			endpoint := strings.ToUpper(method) + " " + path
			expect.Equal(t, endpoint+" is in GET /v1", told[endpoint] != "", true)
			expect.Contains(t, "llms-full.txt", full, "`"+endpoint+"`")
			expect.Contains(t, "docs.md", first, "`"+endpoint+"`")
		}
	}
	if n < 11 || len(told) != n || told["POST /v1/publish"] != keyOptional || told["POST /v1/update"] != keyRequired || told["POST /v1/signup"] != keyNone || told["GET /v1/project/{id}/stats"] != keyOptional {
		t.Errorf("%d operations, told %v", n, told)
	}
	for name, path := range index.Documents {
		_, err := url.ParseRequestURI(path)
		expect.OK(t, err, name)
	}
	expect.Contains(t, "the first call", index.FirstCall, "http://localhost:4711/v1/publish")
}

// TestThePagesAreWholeAndHarmless: every link leads somewhere, nothing is styled or run in them, and nothing was left out.
func TestThePagesAreWholeAndHarmless(t *testing.T) {
	t.Parallel()
	g := every(t)["open"]
	links, loads := regexp.MustCompile(`href="([^"]*)"`), regexp.MustCompile(`<[^>]* src=`)
	for name := range g.library().pages {
		title, body, _ := g.Page(name)
		text := string(body)
		for _, never := range []string{"raw HTML", "<script", " style=", " onclick", "javascript:"} {
			expect.Equal(t, name+" has "+never, strings.Contains(text, never), false)
		}
		expect.Equal(t, name+" loads something", loads.MatchString(text), false)
		expect.Contains(t, name, text, "<h1 id=")
		expect.Contains(t, name, html.UnescapeString(text), title)
		for _, found := range links.FindAllStringSubmatch(text, -1) {
			path, anchor, _ := strings.Cut(found[1], "#")
			other, ok := pageName(path)
			if !ok {
				continue
			}
			_, target, ok := g.Page(other)
			expect.Equal(t, name+": "+found[1]+" is there", ok && (anchor == "" || strings.Contains(string(target), `id="`+anchor+`"`)), true)
		}
	}
	if _, _, ok := g.Page("nothing"); ok {
		t.Error("there is a page of any name")
	}
}

func TestTheSkillIsWhatItsListSays(t *testing.T) {
	t.Parallel()
	for name, g := range every(t) {
		var list struct {
			Schema string `json:"$schema"`
			Skills []struct{ Name, Type, Description, URL, Digest string }
		}
		expect.OK(t, json.Unmarshal(get(g, "/.well-known/agent-skills/index.json").Body.Bytes(), &list))
		one := list.Skills[0]
		skill := get(g, one.URL).Body.String()
		expect.Equal(t, name+": digest", one.Digest, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(skill))))
		expect.Equal(t, name+": /skill.md", get(g, "/skill.md").Body.String(), skill)
		expect.Equal(t, name+": edition", list.Schema+" "+one.Type, "https://schemas.agentskills.io/discovery/0.2.0/schema.json skill-md")
		front, _, ok := strings.Cut(strings.TrimPrefix(skill, "---\n"), "\n---\n")
		var said struct{ Name, Description string }
		expect.OK(t, yaml.Unmarshal([]byte(front), &said))
		if !ok || said.Name != one.Name || said.Description != one.Description || len(said.Description) > 1024 || !regexp.MustCompile(`/`+said.Name+`/SKILL\.md$`).MatchString(one.URL) {
			t.Errorf("%s: it says %+v, the list %+v", name, said, one)
		}
		site := cmp.Or(g.Facts.Site, "Sandlot")
		expect.Contains(t, name+": the skill", skill, "\n# Publish on "+site+"\n")
		expect.Equal(t, name+": times that the description has the name", strings.Count(said.Description, "on "+site), 2)
	}
}

func TestADocumentIsKeptUntilItChanges(t *testing.T) {
	t.Parallel()
	g := every(t)["local"]
	first := get(g, "/llms.txt")
	tag := first.Header().Get("ETag")
	again := get(g, "/llms.txt", "If-None-Match", tag)
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 || again.Header().Get("ETag") != tag {
		t.Errorf("%d with %d bytes", again.Code, again.Body.Len())
	}
	expect.Equal(t, "another tag", get(g, "/llms.txt", "If-None-Match", `"x"`).Code, http.StatusOK)
	expect.Equal(t, "how long", first.Header().Get("Cache-Control"), "public, max-age=300")
	if other := get(every(t)["open"], "/llms.txt").Header().Get("ETag"); other == tag || tag == "" {
		t.Errorf("another text has the tag %s", other)
	}
}

func TestSecurityTxtNamesTheFormForReports(t *testing.T) {
	t.Parallel()
	cfg := local()
	cfg.Now = func() time.Time { return time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC) }
	expect.Contains(t, "without a contact", get(small(cfg), securityPath).Body.String(), "\nContact: http://localhost:4711/report\n")
	cfg.SecurityContact = "mailto:security@example.com"
	expect.Equal(t, "with one", get(small(cfg), securityPath).Body.String(), "# http://localhost:4711/ serves the addresses of projects under localhost:4711. A project that deceives or harms people is reported at http://localhost:4711/report\nContact: mailto:security@example.com\nContact: http://localhost:4711/report\nExpires: 2026-12-23T00:00:00Z\nPreferred-Languages: en\nCanonical: http://localhost:4711/.well-known/security.txt\n")
}

// TestWhatIsSentForAnAccept of browsers, of programs, and of models.
func TestWhatIsSentForAnAccept(t *testing.T) {
	t.Parallel()
	const html, markdown, json = kindHTML, kindMarkdown, kindJSON
	for _, row := range []struct{ who, accept, want string }{
		{"curl", "*/*", html},
		{"Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html},
		{"a model's reader", "text/markdown, text/html, */*", markdown},
		{"a model's reader that prefers HTML", "text/html, text/markdown;q=0.9", html},
		{"axios", "application/json, text/plain, */*", json},
		{"Markdown", "text/markdown", markdown},
		{"a program that refuses Markdown", "text/markdown;q=0, application/json", json},
		{"any text", "text/*", html},
		{"noise", ";;,,=/ , text/markdown", markdown},
	} {
		if got := choose([]string{row.accept}, html, markdown, html, json); got != row.want {
			t.Errorf("%s (%s) gets %s, not %s", row.who, row.accept, got, row.want)
		}
	}
	if got := choose([]string{"image/png", "application/json"}, html, markdown, html, json); got != json {
		t.Errorf("of two headers it gets %s", got)
	}
}

// shelf is a gallery of so many projects, or one that fails.
type shelf struct {
	projects int
	fails    error
}

func (s shelf) Listing(context.Context, sandlot.Caller) (list []sandlot.Project, err error) {
	for i := range s.projects {
		list = append(list, sandlot.Project{ID: sandlot.ProjectID(fmt.Sprintf("project-%06d", i)), UpdatedAt: time.Date(2026, 11, 9, 23, 0, 0, 0, time.UTC)})
	}
	return list, s.fails
}

type sitemap struct {
	URLs []struct {
		Loc     string `xml:"loc"`
		Lastmod string `xml:"lastmod"`
	} `xml:"url"`
}

func TestASitemapHasThePagesAndTheProjects(t *testing.T) {
	t.Parallel()
	for _, projects := range []int{0, 1, 1000} {
		cfg := open()
		cfg.Gallery = shelf{projects: projects}
		g := small(cfg)
		w := get(g, sitemapPath)
		var got sitemap
		expect.OK(t, xml.Unmarshal(w.Body.Bytes(), &got))
		pages := len(g.pagePaths())
		if len(got.URLs) != projects+pages || w.Header().Get("Content-Type") != kindXML {
			t.Fatalf("of %d projects it has %d addresses", projects, len(got.URLs))
		}
		expect.Equal(t, "the first", got.URLs[0].Loc, "https://example.com/")
		if projects > 0 {
			expect.Equal(t, "the first project", got.URLs[pages].Loc+" "+got.URLs[pages].Lastmod, "https://example.com/p/project-000000 2026-11-09")
		}
	}
	cfg := open()
	cfg.Gallery = shelf{fails: errors.New("broken on purpose")}
	expect.Equal(t, "of a gallery that fails", get(small(cfg), sitemapPath).Code, http.StatusServiceUnavailable)
}

// TestASitemapCostsASearch: who has no more of these gets none.
func TestASitemapCostsASearch(t *testing.T) {
	t.Parallel()
	cfg := open()
	cfg.Gallery = shelf{projects: 1}
	cfg.Admission = admission.New(admission.Config{Public: true, Searches: admission.Rate{Count: 1, Per: time.Hour, Burst: 2}})
	g := small(cfg)
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		w := get(g, sitemapPath)
		expect.Equal(t, fmt.Sprint("time ", i), w.Code, want)
		expect.Equal(t, "Retry-After", w.Header().Get("Retry-After") != "", want == http.StatusTooManyRequests)
	}
	expect.Equal(t, "another document", get(g, "/llms.txt").Code, http.StatusOK)
}
