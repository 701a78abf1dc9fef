package testenv

import (
	"regexp"
	"strings"
)

// The lines of an HTTP request as hints of the API print one. They never change.
var (
	aRequest = regexp.MustCompile(`^(GET|POST|PATCH|DELETE) (https?://\S+)$`)
	aHeader  = regexp.MustCompile(`^(Authorization|Idempotency-Key|Content-Type): `)
)

// AsCurl returns a hint with each HTTP request in it as the curl call that sends it, so that a shell can run it.
func AsCurl(hint string) string {
	var out []string
	open := false // whether the last of out is a request whose lines go on
	for line := range strings.SplitSeq(hint, "\n") {
		request := aRequest.FindStringSubmatch(line)
		switch {
		case request != nil:
			out, open = append(out, strings.TrimSuffix("curl -X "+request[1], " -X GET")+" "+request[2]), true
			continue
		case open && aHeader.MatchString(line):
			out[len(out)-1] += " -H '" + line + "'"
			continue
		case open && strings.HasPrefix(line, "{"):
			out[len(out)-1] += " -d '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
		default:
			out = append(out, line)
		}
		open = false
	}
	return strings.Join(out, "\n")
}
