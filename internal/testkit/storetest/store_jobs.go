package storetest

import (
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

// withJobs records an account with jobs that are due at these times.
func withJobs(t *testing.T, s Stores, due ...time.Time) sandlot.Account {
	t.Helper()
	a := s.mustAccount(t, newAccount("kim"))
	for _, at := range due {
		ok(t, s.Publish.SetEmail(t.Context(), a.ID, "kim@example.com", job("kim@example.com", at), 0))
	}
	return a
}

// claimed are the addresses of jobs that a claim returns, which then wait again.
func (s Stores) claimed(t *testing.T, busy account.Busy) (to []string) {
	t.Helper()
	for _, j := range must(s.Mail.ClaimJobs(t.Context(), base(), base(), busy, 9))(t) {
		to = append(to, j.Kind+" "+j.Address)
	}
	slices.Sort(to)
	return to
}

func claimBusy(t *testing.T, s Stores) {
	waiting(t, s, []string{"a@one.example", "b@Two.example"}, []string{"c@one.example", "d@two.example", "e@three.example"})
	same(t, "busy with logins to one domain", s.claimed(t, account.Busy{Logins: []string{"two.example"}}),
		[]string{"login a@one.example", "verify c@one.example", "verify d@two.example", "verify e@three.example"})
	same(t, "busy with others to two", s.claimed(t, account.Busy{Others: []string{"one.example", "two.example"}}),
		[]string{"login a@one.example", "login b@Two.example", "verify e@three.example"})
	same(t, "busy with as many others as may be", s.claimed(t, account.Busy{Logins: []string{"one.example"}, OnlyLogins: true}),
		[]string{"login b@Two.example"})
}

func claimOrder(t *testing.T, s Stores) {
	now := base()
	withJobs(t, s, now.Add(-time.Minute), now.Add(-time.Hour))
	s.login(t, "browser", "kim@example.com")
	got := must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)
	same(t, "the first", got[0].Kind, "login")
	same(t, "the rest", []time.Time{got[1].Due, got[2].Due}, []time.Time{now.Add(-time.Hour), now.Add(-time.Minute)})
}

func claimKeeps(t *testing.T, s Stores) {
	now := base()
	withJobs(t, s, now)
	first := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)
	same(t, "claimed", len(first), 1)
	s.Later(59 * time.Second)
	for _, clock := range []time.Time{now, now.Add(59 * time.Second), now.Add(5 * time.Hour)} {
		same(t, "claimed by another, whose clock may be ahead",
			len(must(s.Mail.ClaimJobs(t.Context(), clock, clock.Add(time.Hour), account.Busy{}, 9))(t)), 0)
	}
	s.Later(time.Second)
	again := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Hour), account.Busy{}, 9))(t)
	same(t, "claimed when the time is over", len(again), 1)
	same(t, "the job", again[0].ID, first[0].ID)
}

func claimRace(t *testing.T, s Stores) {
	now := base()
	withJobs(t, s, now, now, now, now, now, now, now, now, now, now)
	claimed := make(chan int64, 200)
	atOnce(t, 20, nil, func(int) error {
		jobs, err := s.Mail.ClaimJobs(background(), now, now.Add(time.Minute), account.Busy{}, 3)
		for _, j := range jobs {
			claimed <- j.ID
		}
		return err
	})
	close(claimed)
	claims, n := map[int64]bool{}, 0
	for id := range claimed {
		claims[id], n = true, n+1
	}
	same(t, "claims, and jobs claimed", []int{n, len(claims)}, []int{10, 10})
}

// share is a count of so many messages in a day.
func share(name string, most int) account.Share { return account.Share{Counter: sum(name), Most: most} }

// count counts the message of a job in shares of one message each.
func (s Stores) count(job int64, at time.Time, names ...string) error {
	var shares []account.Share
	for _, name := range names {
		shares = append(shares, share(name, 1))
	}
	return s.Mail.CountMail(background(), job, shares, at, at.Add(-time.Hour))
}

func finishCounts(t *testing.T, s Stores) {
	now := base()
	withJobs(t, s, now, now)
	jobs := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)
	ok(t, s.count(jobs[0].ID, now, "box"))
	ok(t, s.Mail.FinishJob(t.Context(), jobs[0], true, now.Add(30*time.Minute)))
	wants(t, "within an hour of the sending", s.count(98, now.Add(89*time.Minute), "box"), account.ErrTooOften)
	ok(t, s.count(99, now.Add(91*time.Minute), "box"))
	ok(t, s.count(jobs[1].ID, now, "one", "other"))
	ok(t, s.Mail.FinishJob(t.Context(), jobs[1], false, now))
	ok(t, s.count(97, now, "one", "other"))
}

func countMail(t *testing.T, s Stores) {
	now := base()
	ok(t, s.count(1, now, "all", "one"))
	wants(t, "one share is full", s.count(2, now, "two", "all", "three"), account.ErrTooOften)
	ok(t, s.count(1, now.Add(time.Minute), "all", "three")) // it is counted already
	ok(t, s.count(3, now, "two", "three"))
	two := []account.Share{share("all", 2)}
	ok(t, s.Mail.CountMail(t.Context(), 4, two, now, now.Add(-time.Hour)))
	wants(t, "two are full", s.Mail.CountMail(t.Context(), 5, two, now, now.Add(-time.Hour)), account.ErrTooOften)
	wants(t, "within the hour", s.count(6, now.Add(59*time.Minute), "one"), account.ErrTooOften)
	ok(t, s.count(6, now.Add(time.Hour), "one"))
}

func countMailRace(t *testing.T, s Stores) {
	now := base()
	same(t, "messages that were counted", atOnce(t, 20, account.ErrTooOften, func(i int) error {
		return s.Mail.CountMail(background(), int64(i+1), []account.Share{share("box", 5)}, now, now.Add(-time.Hour))
	}), 5)
}

func lapsedJob(t *testing.T, s Stores) {
	now := base()
	withJobs(t, s, now)
	claim := func() []sandlot.Job {
		return must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)
	}
	before := claim()[0]
	s.Later(time.Minute)
	since := claim()[0]
	wants(t, "retried by whose claim has lapsed", s.Mail.RetryJob(t.Context(), before, now), sandlot.ErrNotFound)
	same(t, "claimed by a third", len(claim()), 0)
	ok(t, s.count(since.ID, now, "box"))
	wants(t, "it was not sent", s.Mail.FinishJob(t.Context(), before, false, now), sandlot.ErrNotFound)
	wants(t, "it counts still", s.count(99, now, "box"), account.ErrTooOften)
	ok(t, s.Mail.RetryJob(t.Context(), since, now))
	again := claim()
	since.Attempts, since.Claim = 1, again[0].Claim
	same(t, "the job then", again, []sandlot.Job{since})
	ok(t, s.Mail.FinishJob(t.Context(), before, true, now)) // sent is sent
	wants(t, "by the other", s.Mail.FinishJob(t.Context(), again[0], true, now), sandlot.ErrNotFound)
}

// withEmail records an account with an unverified address.
func withEmail(t *testing.T, s Stores, handle string) sandlot.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = handle + "@example.com"
	return s.mustAccount(t, na)
}

func (s Stores) mustVerification(t *testing.T, a sandlot.Account, token string, expires time.Time) account.Verification {
	t.Helper()
	v := account.Verification{Token: sum(token), Account: a.ID, Email: a.Email, ExpiresAt: expires}
	must(s.Mail.AddVerification(t.Context(), v))(t)
	return v
}

// waiting records a login, and other messages, each to an address of its own.
func waiting(t *testing.T, s Stores, logins, others []string) {
	t.Helper()
	a := s.mustAccount(t, newAccount("kim"))
	for _, address := range others {
		ok(t, s.Publish.SetEmail(t.Context(), a.ID, address, job(address, base()), 0))
	}
	for _, address := range logins {
		s.login(t, "browser of "+address, address)
	}
}
