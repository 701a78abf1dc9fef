package play

import (
	"hash/maphash"
	"net/http"
	"strings"
	"sync/atomic"
)

// plays reports whether a load of the primary file that was answered with status is a play. Every GET of the whole file
// is one, except prefetches, crawlers and previews of links. A 304 is a play only if the request has the ETag of the
// file, which can only come from the service.
func (x *exchange) plays(status int) bool {
	return x.r.Method == http.MethodGet &&
		(status == http.StatusOK || status == http.StatusNotModified && x.named) &&
		first(x.r.Header["Range"]) == "" &&
		!prefetches(x.r.Header) && !x.agents.crawls(first(x.r.Header["User-Agent"]))
}

// first returns the first value of a field, empty if there is none: Header.Get takes longer.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// prefetches reports whether a browser loads a page in advance. Sec-Purpose is the standard field.
func prefetches(h http.Header) bool {
	for _, name := range [...]string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		for _, value := range h[name] {
			value = strings.ToLower(value)
			if strings.Contains(value, "prefetch") || strings.Contains(value, "prerender") || strings.Contains(value, "preview") {
				return true
			}
		}
	}
	return false
}

// crawlers are parts, in lower case, of the User-Agents of programs that read pages for a search engine, a preview or a
// monitor, as their makers document them.
var crawlers = [...]string{
	"bot", "crawl", "spider", "slurp", "archiver", // search engines and archives
	"preview", "facebookexternalhit", "facebookcatalog", "meta-externalagent", "meta-externalfetcher", // links shown to friends
	"whatsapp", "telegram", "slack-imgproxy", "skypeuripreview", "embedly", "iframely", "vkshare", "mastodon", "snapchat",
	"mediapartners-google", "google-inspectiontool", "google-read-aloud", "googleother", "feedfetcher", "bingpreview",
	"chatgpt-user", "perplexity-user", "claude-user", // assistants that look something up
	"uptime", "pingdom", "statuscake", "lighthouse", "page speed", "gtmetrix", // watchers
}

// agents remembers for some User-Agents whether they belong to crawlers. A few make nearly all requests, and searching
// one for every part takes as long as the rest of a small answer. It may be used concurrently.
type agents struct {
	seed  maphash.Seed
	known [256]atomic.Pointer[agent]
}

// An agent is one User-Agent, of at most maxAgent bytes.
type agent struct {
	name   string
	crawls bool
}

// crawls is the function crawls with a memory.
func (a *agents) crawls(name string) bool {
	if name == "" || len(name) > maxAgent {
		return crawls(name)
	}
	place := &a.known[maphash.String(a.seed, name)%uint64(len(a.known))]
	known := place.Load()
	if known == nil || known.name != name {
		known = &agent{strings.Clone(name), crawls(name)} // the request's header goes with the request
		place.Store(known)
	}
	return known.crawls
}

// crawls reports whether a User-Agent belongs to a crawler or a previewer.
func crawls(agent string) bool {
	if agent == "" {
		return false
	}
	agent = strings.ToLower(agent)
	// Telephones of the brand Cubot are no bots.
	agent = strings.ReplaceAll(agent, "cubot", "")
	for _, part := range crawlers {
		if strings.Contains(agent, part) {
			return true
		}
	}
	return false
}
