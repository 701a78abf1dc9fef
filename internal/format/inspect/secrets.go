package inspect

import (
	"bytes"
	"regexp"
)

// A secretShape is the beginning of a key of another service, with the pattern of the rest.
type secretShape struct {
	what, begins string
	rest         *regexp.Regexp // of the text from there on; it reads a bounded length
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
	return secretShape{what, begins, regexp.MustCompile(`^` + regexp.QuoteMeta(begins) + rest)}
}

// mostShaped is how often one beginning is checked in a text: each check costs about a microsecond, and no text has
// that many.
const mostShaped = 100

// FindSecret finds a text in the shape of another service's key, and returns the name of that key and its line, counted
// from 1. The name is "" if there is none.
func FindSecret(text []byte) (what string, line int) {
	for _, s := range secretShapes {
		at := 0
		for range mostShaped {
			i := bytes.Index(text[at:], []byte(s.begins))
			if i < 0 {
				break
			}
			i += at
			at = i + len(s.begins)
			if (i == 0 || !wordByte(text[i-1])) && s.rest.Match(text[i:min(len(text), i+200)]) {
				return s.what, 1 + bytes.Count(text[:i], []byte("\n"))
			}
		}
	}
	return "", 0
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
