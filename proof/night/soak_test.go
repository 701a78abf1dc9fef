package night

import (
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/domain/trial/browser"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
	"sandlot/proof/night/corpus"
)

// seed is that of the nights in docs/security.md.
const seed = 37

// large is the scene of docs/security.md.
func large(people habits) scene {
	return scene{habits: people, seed: seed, watched: 6 * time.Hour, phishing: corpus.Phishing(seed, 500), honest: corpus.Honest(seed, 100)}
}

func TestSoakTheNight(t *testing.T) {
	testenv.Unraced(t)
	testenv.Need(t, "chromium")
	s := large(usual)
	s.browser = chromium
	n := pass(t, testworld.Embedded(), s)
	m := n.cleanUp()
	t.Log("\n" + n.table(m))
	n.leaveMisses()
	n.sparesHonestMakers(m)
	all := n.crewFigures(func(*resident) bool { return true })
	expect.Equal(t, "that none is seen ten minutes after the report from a third network", all.afterThat <= 10*time.Minute, true)
	n.hidesMost()
}

// hidesMost checks that visitors see under 5 % of the phishing pages at all.
func (n *night) hidesMost() {
	all := n.crewFigures(func(*resident) bool { return true })
	expect.Equal(n.t, "that under 5 % are seen", 20*all.seen < all.pages, true)
}

// sparesHonestMakers checks the goals for honest makers: none is refused, none is held without a field for a password, but for the
// maker that a crowd attacks before its address is verified, and none is held after Monday.
func (n *night) sparesHonestMakers(m monday) {
	f := n.makerFigures()
	expect.Equal(n.t, "refused makers", f.refused, 0)
	expect.Equal(n.t, "held without a field", f.heldUnjustly, 0)
	expect.Equal(n.t, "the attacked maker of 40 days", f.oldHeld, 0)
	expect.Equal(n.t, "honest and held after Monday", m.honest, 0)
}

// TestSoakTheNightWithoutAPlayTester measures how much of the night the look at the files alone stops: the play-tester is off by default.
func TestSoakTheNightWithoutAPlayTester(t *testing.T) {
	testenv.Unraced(t)
	n := pass(t, testworld.Embedded(), large(usual))
	m := n.cleanUp()
	t.Log("\n" + n.table(m))
	n.sparesHonestMakers(m)
	n.leaveMisses()
	n.hidesMost()
}

// TestSoakTheNightOfCrewsThatVerify measures a night in which every crew verifies its throwaway address at once: reports alone end a page.
func TestSoakTheNightOfCrewsThatVerify(t *testing.T) {
	testenv.Unraced(t)
	people := usual
	people.crewVerifies = 1
	n := pass(t, testworld.Embedded(), large(people))
	m := n.cleanUp()
	t.Log("\n" + n.table(m))
	n.sparesHonestMakers(m)
}

// chromium returns the browser of the play-tester, as a server has it.
func chromium(origin browser.Origin) trial.Browser {
	user := browser.Myself()
	if user.UID == 0 {
		user = browser.User{UID: nobody, GID: nobody}
	}
	return &browser.Browser{User: user, Origin: origin}
}

const nobody = 65534
