package night

import (
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/domain/trial/browser"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
	"sandlot/proof/night/corpus"
)

// seed is that of the nights in docs/security.md.
const seed = 37

// large is the scene of docs/security.md.
func large(people habits) scene {
	return scene{habits: people, seed: seed, watched: 12 * time.Hour, phishing: corpus.Phishing(seed, 500), honest: corpus.Honest(seed, 100)}
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
}

// TestSoakTheNightWithoutAPlayTester measures how much of the night the look at the files alone stops.
func TestSoakTheNightWithoutAPlayTester(t *testing.T) {
	testenv.Unraced(t)
	n := pass(t, testworld.Embedded(), large(usual))
	m := n.cleanUp()
	t.Log("\n" + n.table(m))
	n.leaveMisses()
}

// TestSoakTheNightOfCrewsThatVerify measures a night in which every crew verifies its throwaway address at once: reports alone end a page.
func TestSoakTheNightOfCrewsThatVerify(t *testing.T) {
	testenv.Unraced(t)
	people := usual
	people.crewVerifies = 1
	n := pass(t, testworld.Embedded(), large(people))
	m := n.cleanUp()
	t.Log("\n" + n.table(m))
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
