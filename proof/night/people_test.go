package night

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/proof/night/corpus"
)

// habits are the figures of how people behave in a night.
type habits struct {
	crewNetworks int     // from which the phishing pages come
	crewVerifies float64 // the part of their accounts whose throwaway address is verified within a minute
	honestProves float64 // the part of new makers who verify their address, most within the hour
	silent       float64 // the part of phishing pages that nobody ever reports
}

// usual are those of the night in docs/security.md.
var usual = habits{crewNetworks: 200, crewVerifies: 0.02, honestProves: 0.5, silent: 0.25}

// Delays that half the people exceed. They are spread as people's delays are: log-normally, with a long end.
const (
	firstReport = 40 * time.Minute // from when a page can be seen
	nextReport  = 20 * time.Minute
	honestMail  = 15 * time.Minute // until a maker opens the message
	spread      = 1.0              // of the logarithm
	mostReports = 8                // of one page
)

// delay draws a delay.
func delay(draw *rand.Rand, median time.Duration) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*draw.NormFloat64()))
}

// Networks of the people, by the first byte of their addresses: each has a /24 of its own.
const (
	ofCrews, ofMakers, ofVisitors, ofReporters, ofAttackers, ofAgain = 45, 62, 90, 80, 101, 102
)

func address(of, n int) string { return fmt.Sprintf("%d.%d.%d.%d", of, n/250%250, n%250, 7+n/62500) }

// A resident is a publisher with a page, and the history of that page.
type resident struct {
	corpus.Page
	number  int
	crew    bool
	network string
	email   string
	proves  time.Duration // from the message to the use of its link; 0: never
	id, key string
	refused string // the code of a publish or an update that was refused
	sight
	reports  int             // that people sent
	networks map[string]bool // from which the rule counts reports: all mail is one, and the trusted reporter is one
}

// A sight holds the minutes in which visitors saw a page.
type sight struct {
	at         time.Time // of the last look
	shown      bool      // then
	first      time.Time // when it was seen first; zero: never
	seen       time.Duration
	third      time.Time     // of the third report
	afterThird time.Duration // how long it was seen then
	counted    time.Time     // of the report from the third network that the rule counts
	afterThat  time.Duration
	held       time.Duration // how long it was not seen
}

// look has a visitor from another network look at a page. A change since the last look counts as of now, so that the time of a
// phishing page is never too short.
func (n *night) look(r *resident) {
	if r.id == "" {
		return
	}
	n.looks++
	now, before := n.clock.Now(), r.sight
	r.at, r.shown = now, n.shows(n.t, r.id, address(ofVisitors, n.looks%60_000))
	if r.shown && r.first.IsZero() {
		r.first = now
		if r.crew {
			n.planReports(r)
		}
	}
	if before.at.IsZero() {
		return
	}
	since := now.Sub(before.at)
	if !before.shown {
		r.held += since
		return
	}
	r.seen += since
	if !r.third.IsZero() {
		r.afterThird += min(since, now.Sub(r.third))
	}
	if !r.counted.IsZero() {
		r.afterThat += min(since, now.Sub(r.counted))
	}
}

// publish has a resident publish its page.
func (n *night) publish(r *resident) {
	a := n.call(n.t, r.network, "/v1/publish", "", map[string]any{"email": r.email, "title": r.Title, "files": files(r.Page)})
	if r.id, r.key, r.refused = a.ID, a.Key, a.Error; r.id != "" {
		n.byID[r.id] = r
		n.test()
	}
	n.look(r)
}

// update has a maker change a file: a comment in the page.
func (n *night) update(r *resident, which int) {
	if r.id == "" {
		return
	}
	changed := fmt.Appendf(slices.Clone(r.Files["index.html"]), "\n<!-- %d -->\n", which)
	a := n.call(n.t, r.network, "/v1/update", r.key, map[string]any{
		"project_id": r.id, "filename": "index.html", "content": changed,
	})
	if a.Error != "" {
		r.refused = a.Error
	}
	n.test()
	n.look(r)
}

// planReports draws who reports a page that is seen, and when.
func (n *night) planReports(r *resident) {
	draw := n.of("reports", r.number)
	if draw.Float64() < n.silent {
		return
	}
	at := delay(draw, firstReport)
	for i := range 1 + draw.IntN(mostReports) {
		reason := "deceptive"
		switch p := draw.Float64(); {
		case p < 0.05:
			reason = "malware"
		case p < 0.15:
			reason = "other"
		}
		way := draw.Float64()
		n.after(at, func() { n.report(r, i, reason, way) })
		at += delay(draw, nextReport)
	}
}

// report files a report about a page that is there: most by the form, some by mail, and some by the trusted reporter.
func (n *night) report(r *resident, i int, reason string, way float64) {
	n.look(r)
	if !r.shown {
		return
	}
	words, network := r.words(i), "mail"
	n.reporters++
	switch {
	case way < 0.65:
		network = address(ofReporters, n.reporters)
		expect.Equal(n.t, "that the form takes a report", n.byForm(n.t, r.id, network, reason, words), true)
	case way < 0.85:
		n.byMail(n.t, r.id, n.reporters, words)
		reason = "deceptive" // "phishing" is in the subject
	default:
		network = "token"
		if !n.byToken(n.t, r.id, reason, words) { // the feed tries again
			n.after(10*time.Minute, func() { n.report(r, i, reason, way) })
			return
		}
	}
	n.reported(r, reason, network)
}

// words are those of report i about a page.
func (r *resident) words(i int) string {
	return corpus.Paste(corpus.Report(r.Page, i), r.id+"."+places().Content)
}

// reported counts a report that was sent.
func (n *night) reported(r *resident, reason, network string) {
	now := n.clock.Now()
	if r.reports++; r.reports == 3 {
		r.third = now
	}
	if reason == "deceptive" || reason == "malware" {
		if r.networks[network] = true; len(r.networks) == 3 && r.counted.IsZero() {
			r.counted = now
		}
	}
	n.look(r)
}

// attack has five people on five networks report an honest page.
func (n *night) attack(r *resident) {
	for i := range 5 {
		n.after(time.Duration(i)*7*time.Minute, func() {
			network := address(ofAttackers, n.reporters)
			n.reporters++
			n.byForm(n.t, r.id, network, "deceptive", r.words(i))
			n.look(r)
		})
	}
}

// post sends the messages that are due. People who verify their address open theirs after a while.
func (n *night) post() {
	before := len(n.Mails)
	n.SendMail()
	for _, m := range n.Mails[before:] {
		at, err := url.Parse(m.Link)
		expect.OK(n.t, err)
		if r := n.byEmail[m.To]; r != nil && r.proves > 0 && at.Path == "/verify" {
			n.after(r.proves, func() { n.verify(r, at.Query().Get("token")) })
		}
	}
}

func (n *night) verify(r *resident, token string) {
	_, err := n.Account.Verify(n.t.Context(), testworld.Nobody(), token)
	expect.OK(n.t, err)
	n.look(r)
}
