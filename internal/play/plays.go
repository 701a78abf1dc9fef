package play

import (
	"hash/maphash"
	"net/http"
	"strings"
	"sync/atomic"
)

// plays reports whether a load of the primary document that was answered with status is a play. Whoever reads is one
// (a browser, a program without a name, a plain library), but for those that look before somebody plays: a prefetch, a
// crawler, the previewer of a link. A 304 is one for who names the representation, which only the service can have told;
// "*" names none.
func (x *exchange) plays(status int) bool {
	return x.r.Method == http.MethodGet &&
		(status == http.StatusOK || status == http.StatusNotModified && x.named) &&
		first(x.r.Header["Range"]) == "" &&
		!prefetches(x.r.Header) && !x.agents.crawls(first(x.r.Header["User-Agent"]))
}

// first is what Header.Get returns, without a look at how the name is written:
// that takes longer than to find it.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// prefetches reports whether a browser loads in advance. Sec-Purpose is the standard's, the others are older.
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

// crawlers are parts of the User-Agent, in lower case, of programs that read pages for a search, a preview or a watch,
// from what each says of itself. Most have "bot", "crawler" or "spider" in it.
var crawlers = [...]string{
	"bot", "crawl", "spider", "slurp", "archiver", // search engines and archives
	"preview", "facebookexternalhit", "facebookcatalog", "meta-externalagent", "meta-externalfetcher", // links shown to friends
	"whatsapp", "telegram", "slack-imgproxy", "skypeuripreview", "embedly", "iframely", "vkshare", "mastodon", "snapchat",
	"mediapartners-google", "google-inspectiontool", "google-read-aloud", "googleother", "feedfetcher", "bingpreview",
	"chatgpt-user", "perplexity-user", "claude-user", // assistants that look something up
	"uptime", "pingdom", "statuscake", "lighthouse", "page speed", "gtmetrix", // watchers
}

// agents remembers of some User-Agents whether they are crawlers': a few make nearly all requests, and to look for
// every part in one takes as long as the rest of a small answer. It may be used concurrently.
type agents struct {
	seed  maphash.Seed
	known [256]atomic.Pointer[agent]
}

// An agent is one User-Agent, of at most maxAgent bytes.
type agent struct {
	name   string
	crawls bool
}

func newAgents() *agents { return &agents{seed: maphash.MakeSeed()} }

// crawls reports what the function of that name does.
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

// crawls reports whether a User-Agent is a crawler's or a previewer's.
func crawls(agent string) bool {
	if agent == "" {
		return false
	}
	agent = strings.ToLower(agent)
	// A brand of telephones.
	agent = strings.ReplaceAll(agent, "cubot", "")
	for _, part := range crawlers {
		if strings.Contains(agent, part) {
			return true
		}
	}
	return false
}
