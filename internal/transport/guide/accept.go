package guide

import (
	"mime"
	"slices"
	"strings"
)

// choose returns the first type that an Accept header names and this service offers, or usual if there is none. Clients
// name types in the order of their preference; no browser names Markdown.
func choose(accept []string, usual string, offers ...string) string {
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err == nil && slices.Contains(offers, kind) && params["q"] != "0" {
			return kind
		}
	}
	return usual
}
