package night

import (
	"fmt"
	"slices"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/testkit/expect"
)

// A monday is the work of the moderator after a night.
type monday struct {
	waiting   int // projects in the queue at first
	decisions int
	presses   int
	unfound   int // phishing pages that visitors see afterwards: nobody reported them, and they share nothing with others
	honest    int // honest ones that visitors do not see
	again     int // phishing pages that are published once more from other networks, by the same bytes
	refused   int // of these
}

// cleanUp empties the queue, oldest first, as the desk offers it: o opens a case, where all that the moderator needs for a decision is
// shown; for a phishing page one press each chooses all others with the same file, account or network, if all of these are phishing, b has
// its files blocked, and t takes them down. An honest project is dismissed by d. A person sees which page is honest.
func (n *night) cleanUp() (m monday) {
	by := n.OwnerOf(n.moderator.ID)
	var err error
	m.waiting, err = n.Desk.Waiting(n.t.Context(), by)
	expect.OK(n.t, err)
	for {
		list, err := n.Desk.Queue(n.t.Context(), by, 0, 1)
		expect.OK(n.t, err)
		if len(list) == 0 {
			break
		}
		c, err := n.Desk.Case(n.t.Context(), by, list[0].Project.ID)
		expect.OK(n.t, err)
		order, presses := n.decide(c)
		_, err = n.Desk.Decide(n.t.Context(), by, order)
		expect.OK(n.t, err)
		m.decisions++
		m.presses += presses
	}
	n.lookAtAll()
	for _, r := range n.all {
		switch {
		case r.id == "" || r.shown != r.crew:
		case r.crew:
			m.unfound++
		default:
			m.honest++
		}
	}
	n.comeAgain(&m)
	return m
}

// decide returns the decision about a case, and its presses.
func (n *night) decide(c desk.Case) (desk.Order, int) {
	chosen := []desk.Target{{Project: c.Project.ID, State: c.State}}
	presses := 2 // o, and the key of the decision
	if !n.byID[string(c.Project.ID)].isCrew() {
		return desk.Order{Action: desk.Dismiss, Targets: chosen}, presses
	}
	for _, kind := range []string{"hash", "account", "network"} {
		same := c.SameAs[kind]
		if len(same) == 0 || slices.ContainsFunc(same, func(id string) bool { return !n.byID[id].isCrew() }) {
			continue
		}
		presses++
		for _, o := range c.Others {
			if slices.Contains(same, string(o.ID)) {
				chosen = append(chosen, desk.Target{Project: o.ID, State: o.State})
			}
		}
	}
	return desk.Order{Action: desk.TakeDown, Targets: chosen, Reason: "deceptive", Block: true}, presses + 1
}

// isCrew reports whether a resident is one, and publishes phishing pages.
func (r *resident) isCrew() bool { return r != nil && r.crew }

// comeAgain publishes each phishing page once more, with the same bytes, from another network.
func (n *night) comeAgain(m *monday) {
	for i, r := range n.crews() {
		if r.id == "" {
			continue
		}
		m.again++
		a := n.call(n.t, address(ofAgain, i), "/v1/publish", "", map[string]any{
			"email": fmt.Sprintf("again%d@drop.mail.internal", i), "files": files(r.Page),
		})
		if a.Error == string(sandlot.CodeTakenDown) {
			m.refused++
		}
	}
}
