package guide

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
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
		Places: sandlot.Places{Base: &url.URL{Scheme: "https", Host: "example.com"}, Content: "example.net"},
		Facts:  Facts{Quarantine: true, Accounts: admission.Rate{Count: 60, Per: time.Hour, Burst: 20}, Writes: admission.Rate{Count: 3600, Per: time.Hour, Burst: 1000}},
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
	keyed, closed, bare := open(), open(), open()
	keyed.Facts.Opening, closed.Facts.Opening = sandlot.OpenToKeys, sandlot.Closed
	bare.Places.Content, bare.Places.PathForm = "", true
	return map[string]Config{"local": local(), "open": open(), "keyed": keyed, "closed": closed, "bare": bare}
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
	links := regexp.MustCompile(`href="([^"]*)"`)
	for name := range g.library().pages {
		title, body, _ := g.Page(name)
		text := string(body)
		for _, never := range []string{"raw HTML", "<script", " style=", " onclick", "javascript:", "src="} {
			expect.Equal(t, name+" has "+never, strings.Contains(text, never), false)
		}
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
	}
}

// TestTheShortTextHasTheFormOfLlmsTxt: one title, a quotation, text without headings, and sections that are lists of links.
func TestTheShortTextHasTheFormOfLlmsTxt(t *testing.T) {
	t.Parallel()
	for name, g := range every(t) {
		text := get(g, "/llms.txt").Body.String()
		sections := strings.Split(text, "\n## ")
		if !regexp.MustCompile(`^# Sandlot\n\n> `).MatchString(text) || len(sections) < 2 || regexp.MustCompile(`(?m)^(# .*|###.*)`).MatchString(sections[0][2:]) {
			t.Errorf("%s: %s", name, text)
		}
		for _, section := range sections[1:] {
			for line := range strings.Lines(strings.SplitN(section, "\n\n", 2)[1]) {
				if !regexp.MustCompile(`^- \[[^]]+\]\(https?://[^)]+\)(: .+)?$`).MatchString(strings.TrimSpace(line)) {
					t.Errorf("%s: no link to a file: %q", name, line)
				}
			}
		}
	}
}

func TestADocumentIsKeptUntilItChanges(t *testing.T) {
	t.Parallel()
	g := every(t)["local"]
	first := get(g, "/llms.txt")
	tag := first.Header().Get("ETag")
	for _, sent := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		again := get(g, "/llms.txt", "If-None-Match", sent)
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 || again.Header().Get("ETag") != tag {
			t.Errorf("%s: %d with %d bytes", sent, again.Code, again.Body.Len())
		}
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

// TestCrawlersMayReadWhatIsForEverybody by the rule of robots.txt: the longest beginning counts, and all else is allowed.
func TestCrawlersMayReadWhatIsForEverybody(t *testing.T) {
	t.Parallel()
	g := every(t)["open"]
	var no []string
	for line := range strings.Lines(get(g, "/robots.txt").Body.String()) {
		if path, ok := strings.CutPrefix(line, "Disallow: "); ok {
			no = append(no, strings.TrimSpace(path))
		}
	}
	for path, allowed := range map[string]bool{
		"/": true, "/?sort=played": true, "/p/wick-m4t8z1": true, "/@ada": true, "/docs": true, "/docs.md": true, "/llms.txt": true, "/llms-full.txt": true, "/skill.md": true, "/v1": true, "/openapi.yaml": true, "/sitemap.xml": true, skillAt: true, "/static/site.css": true,
		"/account": false, "/account/keys": false, "/login": false, "/verify?token=x": false, "/not-me": false, "/report": false, "/embed/wick-m4t8z1": false, "/~/wick-m4t8z1/": false,
	} {
		refused := false
		for _, beginning := range no {
			refused = refused || strings.HasPrefix(path, beginning)
		}
		expect.Equal(t, path+" is allowed", !refused, allowed)
	}
	expect.Contains(t, "robots.txt", get(g, "/robots.txt").Body.String(), "\nSitemap: https://example.com/sitemap.xml\n")
}
