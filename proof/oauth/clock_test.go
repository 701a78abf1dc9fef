package oauth

import (
	"strconv"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A clock moves that of a program, which starts again for it.
type clock struct {
	*site
	ahead time.Duration
}

func (c *clock) move(t *testing.T, by time.Duration) {
	t.Helper()
	c.ahead += by
	t.Setenv("CLOCK_AHEAD", strconv.Itoa(int(c.ahead.Seconds())))
	c.Restart(t)
}

// TestTimeEndsCodesAndTokens, and reveals a stolen refresh token: the use of a token that was replaced a minute ago ends the grant.
func TestTimeEndsCodesAndTokens(t *testing.T) {
	testenv.Unraced(t)
	s := &clock{site: startProgram(t, testenv.Instrumented(t))}
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	late := ada.code(t, mine, "")
	device := s.askDevice(t)
	kept, lost := ada.grant(t, mine, ""), ada.grant(t, mine, "")

	// The owner's program refreshes, and a thief has the token from before; or the thief refreshes, and the owner's program is late.
	owner, thief := ada.grant(t, mine, ""), ada.grant(t, mine, "")
	owners := mine.refresh(t, owner.Refresh).tokens(t)
	first := mine.refresh(t, thief.Refresh).tokens(t)
	again := mine.refresh(t, thief.Refresh).tokens(t) // within the minute a lost answer may be asked for again
	for _, one := range []tokens{owner, owners, first, again} {
		expect.Equal(t, "that a token works", s.opens(t, one.Access), true)
	}
	next := mine.refresh(t, lost.Refresh).tokens(t)
	mine.refresh(t, next.Refresh).tokens(t)

	s.move(t, 70*time.Second)
	mine.exchange(t, late).refusedAs(t, "a code after 70 s", "invalid_grant")
	for _, of := range []struct{ old, now, other tokens }{{owner, owners, owners}, {thief, first, again}} {
		expect.Equal(t, "that the token of before works", s.opens(t, of.old.Access), true)
		mine.refresh(t, of.old.Refresh).refusedAs(t, "a token that was replaced 70 s ago", "invalid_grant")
		for _, dead := range []string{of.old.Access, of.now.Access, of.other.Access} {
			expect.Equal(t, "that a token of a grant whose refresh token came twice works", s.opens(t, dead), false)
		}
		mine.refresh(t, of.now.Refresh).refusedAs(t, "the refresh token of after", "invalid_grant")
		mine.refresh(t, of.other.Refresh).refusedAs(t, "the refresh token of after", "invalid_grant")
	}
	mine.refresh(t, lost.Refresh).refusedAs(t, "the first of three refresh tokens", "invalid_grant")
	expect.Equal(t, "that another grant of the program works", s.opens(t, kept.Access), true)
	device.poll(t).refusedAs(t, "a device after 70 s", "authorization_pending")

	s.move(t, 10*time.Minute)
	device.poll(t).refusedAs(t, "a device after 11 minutes", "expired_token")
	expect.Equal(t, "status of a code of a device after 11 minutes", ada.enter(t, device.userCode).status, 410)

	s.move(t, 50*time.Minute)
	expect.Equal(t, "that an access token works after an hour", s.opens(t, kept.Access), false)
	asked := ada.does(t, "GET", mine.address(), nil)
	expect.Equal(t, "where a login of an hour ago leads", asked.header.Get("Location"), "/login?to="+authorizePath)
	kept = mine.refresh(t, kept.Refresh).tokens(t)
	expect.Equal(t, "that a new one works", s.opens(t, kept.Access), true)

	s.move(t, 31*24*time.Hour)
	mine.refresh(t, kept.Refresh).refusedAs(t, "a refresh token that was not used for 31 days", "invalid_grant")
}
