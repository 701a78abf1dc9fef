package guide

import (
	"cmp"
	"mime"
	"strconv"
	"strings"
)

// Ranks of the match between a part of an Accept header and a type.
const (
	anything = iota
	ofType
	exactly
)

// choose returns the offered type that an Accept header prefers, and usual if it accepts none. Among types of equal
// weight, a named one precedes one that it merely allows; among several named ones the first offer wins, and among
// several allowed ones usual. So Markdown may be offered first: no browser names it.
func choose(accept []string, usual string, offers ...string) string {
	best, most := usual, claim{}
	for i, offer := range offers {
		c := claimOf(accept, offer)
		switch {
		case c.named == exactly:
			c.order = len(offers) - i
		case offer == usual:
			c.order = 1
		}
		if c.q > 0 && c.compare(most) > 0 {
			best, most = offer, c
		}
	}
	return best
}

// A claim is the weight that an Accept header gives to one type.
type claim struct {
	q     float64 // the weight, 0 for a type that is not accepted
	named int     // rank of the match
	order int     // rank among equals
}

func (c claim) compare(d claim) int {
	return cmp.Or(cmp.Compare(c.q, d.q), cmp.Compare(c.named, d.named), cmp.Compare(c.order, d.order))
}

// claimOf returns the claim of the part of an Accept header that names a type most closely; among several, of the
// first.
func claimOf(accept []string, kind string) (c claim) {
	found := false
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		of, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if closely, fits := fit(of, kind); fits && (!found || closely > c.named) {
			c, found = claim{q: quality(params["q"]), named: closely}, true
		}
	}
	return c
}

func fit(of, kind string) (closely int, ok bool) {
	family, _, _ := strings.Cut(kind, "/")
	switch of {
	case kind:
		return exactly, true
	case family + "/*":
		return ofType, true
	case "*/*":
		return anything, true
	}
	return 0, false
}

// quality returns a weight; an absent or unreadable one counts as 1.
func quality(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 1
	}
	return q
}
