package check

import (
	"regexp"
	"strings"
)

// address matches the beginning of an absolute address in a text, also in a string of a script with escaped slashes; one
// without a scheme only behind a quote, an equals sign or a bracket.
var address = regexp.MustCompile(`(?i)(?:\b(?:https?|wss?):|["'=(])(?:\\?/){2}(?:[^\s/"'<>@]{1,100}@)?([a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+)`)

// Hosts returns the hosts that a page or a script names in absolute addresses, each once, in the order of the text, at
// most most: those of forms, links, redirections and calls alike. It reads at most Sample bytes. Addresses that a script
// puts together are not found.
func Hosts(text []byte, most int) (list []string) {
	seen := map[string]bool{"www.w3.org": true} // in every SVG, which loads nothing from there
	for _, m := range address.FindAllSubmatch(text[:min(len(text), Sample)], -1) {
		host := strings.ToLower(string(m[1]))
		if !seen[host] && len(list) < most {
			seen[host], list = true, append(list, host)
		}
	}
	return list
}
