package play

import (
	"net/http"
	"strings"
)

// plays reports whether a load of the primary document that was answered with status is a play. Whoever reads is one
// (a browser, a program without a name, a plain library), but for those that look before somebody plays: a prefetch, a
// crawler, the previewer of a link.
func plays(r *http.Request, status int) bool {
	return r.Method == http.MethodGet &&
		(status == http.StatusOK || status == http.StatusNotModified) &&
		first(r.Header["Range"]) == "" &&
		!prefetches(r.Header) && !crawls(first(r.Header["User-Agent"]))
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

// crawls reports whether a User-Agent is a crawler's or a previewer's.
func crawls(agent string) bool {
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
