package inspect

import (
	"bytes"
	"regexp"
	"strings"
)

// A secretShape is the beginning of a key of another service, with the pattern of the whole.
type secretShape struct {
	what, begins string
	anchor       int            // the offset in begins of the byte that is searched: a rare one
	whole        *regexp.Regexp // it reads a bounded length
}

// secretShapes are shapes that no other text has. They never change.
var secretShapes = []secretShape{
	shape("an access key of AWS", "AKIA", `[0-9A-Z]{16}\b`),
	shape("an access key of AWS", "ASIA", `[0-9A-Z]{16}\b`),
	shape("a key of Anthropic", "sk-ant-", `[0-9A-Za-z_-]{20}`),
	shape("a key of OpenAI", "sk-proj-", `[0-9A-Za-z_-]{20}`),
	shape("a key of OpenAI", "sk-svcacct-", `[0-9A-Za-z_-]{20}`),
	shape("a secret key as OpenAI's", "sk-", `[0-9A-Za-z]{32}`),
	shape("a token of GitHub", "ghp_", `[0-9A-Za-z]{36}`),
	shape("a token of GitHub", "gho_", `[0-9A-Za-z]{36}`),
	shape("a token of GitHub", "ghs_", `[0-9A-Za-z]{36}`),
	shape("a token of GitHub", "github_pat_", `[0-9A-Za-z_]{60}`),
	shape("a token of GitLab", "glpat-", `[0-9A-Za-z_-]{20}`),
	shape("a token of Slack", "xoxb-", `[0-9]+-[0-9A-Za-z-]{10}`),
	shape("a token of Slack", "xoxp-", `[0-9]+-[0-9A-Za-z-]{10}`),
	shape("a live key of Stripe", "sk_live_", `[0-9A-Za-z]{20}`),
	shape("a live key of Stripe", "rk_live_", `[0-9A-Za-z]{20}`),
	shape("a key of Google", "AIza", `[0-9A-Za-z_-]{35}`),
	shape("a token of npm", "npm_", `[0-9A-Za-z]{36}\b`),
	shape("a token of Hugging Face", "hf_", `[0-9A-Za-z]{34}\b`),
	shape("a key of SendGrid", "SG.", `[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}`),
	shape("a private key", "-----BEGIN ", `[A-Z ]{0,20}PRIVATE KEY-----`),
}

func shape(what, begins, rest string) secretShape {
	whole := regexp.MustCompile(`^` + regexp.QuoteMeta(begins) + rest)
	return secretShape{what, begins, max(strings.IndexAny(begins, secretAnchors), 0), whole}
}

// secretAnchors are rare bytes, of which each beginning has one. A search for a byte costs a tenth of one for a text.
const secretAnchors = "_-AG"

// shapesWith holds the shapes that are searched by a byte.
var shapesWith = func() (by [256][]*secretShape) {
	for i := range secretShapes {
		s := &secretShapes[i]
		by[s.begins[s.anchor]] = append(by[s.begins[s.anchor]], s)
	}
	return by
}()

const (
	// mostAnchors and mostShaped are how many anchors and beginnings are checked in a text. These checks cost some 15 ns
	// and a microsecond, and no text that people write has that many.
	mostAnchors = 50_000
	mostShaped  = 1000
)

// FindSecret finds a text in the shape of another service's key, and returns the name of that key and its line, counted
// from 1. The name is "" if there is none.
func FindSecret(text []byte) (what string, line int) {
	anchors, shaped := 0, 0
	for _, anchor := range []byte(secretAnchors) {
		for at := 0; anchors < mostAnchors && shaped < mostShaped; at++ {
			i := bytes.IndexByte(text[at:], anchor)
			if i < 0 {
				break
			}
			at, anchors = at+i, anchors+1
			for _, s := range shapesWith[anchor] {
				from := at - s.anchor
				if from < 0 || text[from] != s.begins[0] || from > 0 && wordByte(text[from-1]) ||
					!bytes.HasPrefix(text[from:], []byte(s.begins)) {
					continue
				}
				if shaped++; s.whole.Match(text[from:min(len(text), from+200)]) {
					return s.what, 1 + bytes.Count(text[:from], []byte("\n"))
				}
			}
		}
	}
	return "", 0
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
