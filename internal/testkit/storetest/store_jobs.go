package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

func jobCases() []storeCase {
	return []storeCase{
		{"ClaimJobs/returns jobs that are due, at most limit", claimDue},
		{"ClaimJobs/those that need not wait for what is busy", claimBusy},
		{"ClaimJobs/logins come first, and among equals what is due first", claimOrder},
		{"ClaimJobs/keeps others from them until the time given", claimKeeps},
		{"ClaimJobs/of 20 at once each job goes to one", claimRace},
		{"FinishJob/removes a job", finishJob},
		{"FinishJob/its message counts at that time if it was sent", finishCounts},
		{"FinishJob/its message counts no more if it was not sent", finishUncounts},
		{"FinishJob/the ID of a job is not used again", jobIDs},
		{"FinishJob/one that was not sent and that somebody else has claimed since", lapsedFinish},
		{"RetryJob/makes a job due again, with one more attempt", retryJob},
		{"RetryJob/one that somebody else has claimed since", lapsedRetry},
		{"CountMail/counts the message of a job in all of the shares, or in none", countMail},
		{"CountMail/counts what is after since", countMailSince},
		{"CountMail/one that is counted already stays as it is", countMailOnce},
		{"CountMail/of 20 at once a share gets no more than it may", countMailRace},
		{"Job/a step whose job has no room in one of its Asks is ErrTooOften, and has no effect", askTooOften},
	}
}

// withJobs records an account with jobs that are due at these times.
func (s Stores) withJobs(t *testing.T, due ...time.Time) sandlot.Account {
	t.Helper()
	a := s.mustAccount(t, newAccount("kim"))
	for _, at := range due {
		ok(t, s.Publish.SetEmail(t.Context(), a.ID, "kim@example.com", job("kim@example.com", at)))
	}
	return a
}

func claimDue(t *testing.T, s Stores) {
	now := base()
	a := s.withJobs(t, now.Add(-time.Second), now.Add(-2*time.Second), now, now.Add(time.Second))
	got := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 2))(t)
	same(t, "the first two", []time.Time{got[0].Due, got[1].Due}, []time.Time{now.Add(-2 * time.Second), now.Add(-time.Second)})
	got = must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)
	want := job("kim@example.com", now)
	want.Account = a.ID
	same(t, "the rest that is due", withoutIDs(got), []sandlot.Job{want})
}

// waiting records a login, and other messages, each to an address of its own.
func (s Stores) waiting(t *testing.T, logins, others []string) {
	t.Helper()
	a := s.mustAccount(t, newAccount("kim"))
	for _, address := range others {
		ok(t, s.Publish.SetEmail(t.Context(), a.ID, address, job(address, base())))
	}
	for _, address := range logins {
		s.login(t, "browser of "+address, address)
	}
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
	s.waiting(t, []string{"a@one.example", "b@Two.example"}, []string{"c@one.example", "d@two.example", "e@three.example"})
	same(t, "busy with logins to one domain", s.claimed(t, account.Busy{Logins: []string{"two.example"}}),
		[]string{"login a@one.example", "verify c@one.example", "verify d@two.example", "verify e@three.example"})
	same(t, "busy with others to two", s.claimed(t, account.Busy{Others: []string{"one.example", "two.example"}}),
		[]string{"login a@one.example", "login b@Two.example", "verify e@three.example"})
	same(t, "busy with as many others as may be", s.claimed(t, account.Busy{Logins: []string{"one.example"}, OnlyLogins: true}), []string{"login b@Two.example"})
}

func claimOrder(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now.Add(-time.Minute), now.Add(-time.Hour))
	s.login(t, "browser", "kim@example.com")
	got := must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)
	same(t, "the first", got[0].Kind, "login")
	same(t, "the rest", []time.Time{got[1].Due, got[2].Due}, []time.Time{now.Add(-time.Hour), now.Add(-time.Minute)})
}

func claimKeeps(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	first := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)
	same(t, "claimed", len(first), 1)
	s.Later(59 * time.Second)
	for _, clock := range []time.Time{now, now.Add(59 * time.Second), now.Add(5 * time.Hour)} {
		same(t, "claimed by another, whose clock may be ahead", len(must(s.Mail.ClaimJobs(t.Context(), clock, clock.Add(time.Hour), account.Busy{}, 9))(t)), 0)
	}
	s.Later(time.Second)
	again := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Hour), account.Busy{}, 9))(t)
	same(t, "claimed when the time is over", len(again), 1)
	same(t, "the job", again[0].ID, first[0].ID)
}

func claimRace(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now, now, now, now, now, now, now, now, now, now)
	var mu sync.Mutex
	claims := map[int64]int{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			jobs, err := s.Mail.ClaimJobs(background(), now, now.Add(time.Minute), account.Busy{}, 3)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, j := range jobs {
				claims[j.ID]++
			}
		})
	}
	wg.Wait()
	same(t, "the number of jobs claimed", len(claims), 10)
	for id, n := range claims {
		if n != 1 {
			t.Errorf("job %d was claimed %d times", id, n)
		}
	}
}

func finishJob(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	j := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 1))(t)[0]
	ok(t, s.Mail.FinishJob(t.Context(), j, false, now))
	same(t, "jobs left", len(must(s.Mail.ClaimJobs(t.Context(), now.Add(time.Hour), now.Add(2*time.Hour), account.Busy{}, 9))(t)), 0)
	wants(t, "the same job again", s.Mail.FinishJob(t.Context(), j, true, now), sandlot.ErrNotFound)
}

// jobIDs: a worker whose claim has lapsed must not finish another's job.
func jobIDs(t *testing.T, s Stores) {
	now := base()
	a := s.withJobs(t, now)
	first := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 1))(t)[0]
	ok(t, s.Mail.FinishJob(t.Context(), first, false, now))
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, "kim@example.com", job("kim@example.com", now)))
	wants(t, "the first job again", s.Mail.FinishJob(t.Context(), first, false, now), sandlot.ErrNotFound)
	same(t, "jobs left", len(must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)), 1)
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
	s.withJobs(t, now)
	j := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)[0]
	ok(t, s.count(j.ID, now, "box"))
	ok(t, s.Mail.FinishJob(t.Context(), j, true, now.Add(30*time.Minute)))
	wants(t, "within an hour of the sending", s.count(98, now.Add(89*time.Minute), "box"), account.ErrTooOften)
	ok(t, s.count(99, now.Add(91*time.Minute), "box"))
}

func finishUncounts(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	j := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)[0]
	ok(t, s.count(j.ID, now, "box", "other box"))
	ok(t, s.Mail.FinishJob(t.Context(), j, false, now))
	ok(t, s.count(99, now, "box", "other box"))
}

func countMail(t *testing.T, s Stores) {
	now := base()
	ok(t, s.count(1, now, "all", "one"))
	wants(t, "one share is full", s.count(2, now, "two", "all", "three"), account.ErrTooOften)
	ok(t, s.count(3, now, "two", "three"))
	ok(t, s.Mail.CountMail(t.Context(), 4, []account.Share{share("all", 2)}, now, now.Add(-time.Hour)))
	wants(t, "two are full", s.Mail.CountMail(t.Context(), 5, []account.Share{share("all", 2)}, now, now.Add(-time.Hour)), account.ErrTooOften)
}

func askTooOften(t *testing.T, s Stores) {
	make := func(handle string, due time.Time, asks ...sandlot.Share) error {
		na := newAccount(handle)
		j := job(handle+"@example.com", due)
		j.Asks, na.Job = asks, &j
		_, err := s.Publish.CreateAccount(t.Context(), na)
		return err
	}
	ok(t, make("kim", base(), share("one", 1), share("two", 2)))
	wants(t, "one is full", make("lee", base(), share("two", 2), share("one", 1)), sandlot.ErrTooOften)
	ok(t, make("lee", base(), share("two", 2)))
	same(t, "the jobs", len(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)), 2)
	wants(t, "two are full", make("max", base().Add(sandlot.MailDay-time.Second), share("two", 2)), sandlot.ErrTooOften)
	ok(t, make("max", base().Add(sandlot.MailDay), share("two", 2)))
}

func countMailSince(t *testing.T, s Stores) {
	now := base()
	ok(t, s.count(1, now, "box"))
	wants(t, "within the hour", s.count(2, now.Add(59*time.Minute), "box"), account.ErrTooOften)
	ok(t, s.count(2, now.Add(time.Hour), "box"))
}

func countMailOnce(t *testing.T, s Stores) {
	now := base()
	ok(t, s.count(1, now, "box"))
	ok(t, s.count(1, now.Add(time.Minute), "box", "other box"))
	ok(t, s.count(2, now, "other box"))
}

func countMailRace(t *testing.T, s Stores) {
	now, counted := base(), make(chan bool, 20)
	for job := range 20 {
		go func() {
			counted <- s.Mail.CountMail(background(), int64(job+1), []account.Share{share("box", 5)}, now, now.Add(-time.Hour)) == nil
		}()
	}
	n := 0
	for range 20 {
		if <-counted {
			n++
		}
	}
	same(t, "the messages that were counted", n, 5)
}

func retryJob(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	first := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 1))(t)[0]
	ok(t, s.Mail.RetryJob(t.Context(), first, now.Add(2*time.Minute)))
	same(t, "due too early", len(must(s.Mail.ClaimJobs(t.Context(), now.Add(time.Minute), now.Add(time.Hour), account.Busy{}, 9))(t)), 0)
	again := must(s.Mail.ClaimJobs(t.Context(), now.Add(2*time.Minute), now.Add(time.Hour), account.Busy{}, 9))(t)
	first.Attempts, first.Due, first.Claim = 1, now.Add(2*time.Minute), again[0].Claim
	same(t, "the job", again, []sandlot.Job{first})
}

// lapsed returns a job of a claim that has lapsed, and as somebody else has claimed it since.
func (s Stores) lapsed(t *testing.T) (before, since sandlot.Job) {
	t.Helper()
	now := base()
	s.withJobs(t, now)
	before = must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 1))(t)[0]
	s.Later(time.Minute)
	return before, must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 1))(t)[0]
}

func lapsedFinish(t *testing.T, s Stores) {
	before, since := s.lapsed(t)
	ok(t, s.count(since.ID, base(), "box"))
	wants(t, "it was not sent", s.Mail.FinishJob(t.Context(), before, false, base()), sandlot.ErrNotFound)
	wants(t, "it counts still", s.count(99, base(), "box"), account.ErrTooOften)
	ok(t, s.Mail.FinishJob(t.Context(), before, true, base())) // sent is sent
	wants(t, "by the other", s.Mail.FinishJob(t.Context(), since, true, base()), sandlot.ErrNotFound)
}

func lapsedRetry(t *testing.T, s Stores) {
	before, since := s.lapsed(t)
	wants(t, "by whose claim has lapsed", s.Mail.RetryJob(t.Context(), before, base()), sandlot.ErrNotFound)
	same(t, "claimed by a third", len(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Hour), account.Busy{}, 9))(t)), 0)
	ok(t, s.Mail.RetryJob(t.Context(), since, base()))
}

func verificationCases() []storeCase {
	return []storeCase{
		{"AddVerification/records a token of an account's current unverified address, and returns the account's handle", addVerification},
		{"AddVerification/another address is ErrMoved", addVerificationOther},
		{"AddVerification/an address that is verified is ErrMoved", addVerificationVerified},
		{"AddVerification/the address of a suspended account is ErrMoved", addVerificationSuspended},
		{"Verification/returns an unused, unexpired verification", readVerification},
		{"RefuseVerification/consumes it, with all others of the account", refuseVerification},
		{"TakeOver/makes all projects of an account that was given the address those of another", takeOver},
		{"TakeOver/any other accounts are ErrNotFound, and suspended ones ErrSuspended", takeOverOthers},
		{"Disown/takes the address away from an account that has not verified it", disown},
		{"RefuseVerification/takes its address away from the account, which is returned as it was", refuseVerificationTakes},
		{"UseVerification/consumes it, with all others of the account", useVerification},
		{"UseVerification/marks the account's address as verified", useVerificationMarks},
	}
}

// withEmail records an account with an unverified address.
func (s Stores) withEmail(t *testing.T, handle string) sandlot.Account {
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

func addVerification(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	v := account.Verification{Token: sum("token"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)}
	same(t, "the handle", must(s.Mail.AddVerification(t.Context(), v))(t), "kim")
	same(t, "what was recorded", must(s.Accounts.Verification(t.Context(), v.Token, base()))(t), v)
}

func addVerificationOther(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	a.Email = "other@example.com"
	_, err := s.Mail.AddVerification(t.Context(), account.Verification{Token: sum("token"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)})
	wants(t, "another address", err, sandlot.ErrMoved)
	_, err = s.Accounts.Verification(t.Context(), sum("token"), base())
	wants(t, "its token", err, sandlot.ErrNotFound)
}

func addVerificationVerified(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	_, err := s.Mail.AddVerification(t.Context(), account.Verification{Token: sum("again"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)})
	wants(t, "a verified address", err, sandlot.ErrMoved)
}

func readVerification(t *testing.T, s Stores) {
	v := s.mustVerification(t, s.withEmail(t, "kim"), "token", base().Add(time.Hour))
	same(t, "the verification", must(s.Accounts.Verification(t.Context(), v.Token, v.ExpiresAt.Add(-time.Second)))(t), v)
	_, err := s.Accounts.Verification(t.Context(), v.Token, v.ExpiresAt)
	wants(t, "when it has expired", err, sandlot.ErrNotFound)
	must(s.Accounts.UseVerification(t.Context(), v.Token, base()))(t)
	_, err = s.Accounts.Verification(t.Context(), v.Token, base())
	wants(t, "when it was used", err, sandlot.ErrNotFound)
}

func useVerification(t *testing.T, s Stores) {
	kim, lee := s.withEmail(t, "kim"), s.withEmail(t, "lee")
	for _, token := range []string{"one", "two"} {
		s.mustVerification(t, kim, token, base().Add(time.Hour))
	}
	s.mustVerification(t, lee, "of lee", base().Add(time.Hour))
	must(s.Accounts.UseVerification(t.Context(), sum("one"), base()))(t)
	for _, token := range []string{"one", "two"} {
		_, err := s.Accounts.UseVerification(t.Context(), sum(token), base())
		wants(t, "token "+token+" afterwards", err, sandlot.ErrNotFound)
	}
	must(s.Accounts.Verification(t.Context(), sum("of lee"), base()))(t)
	s.mustVerification(t, lee, "expired", base().Add(-time.Second))
	_, err := s.Accounts.UseVerification(t.Context(), sum("expired"), base())
	wants(t, "an expired token", err, sandlot.ErrNotFound)
}

func useVerificationMarks(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	got := must(s.Accounts.UseVerification(t.Context(), sum("token"), base()))(t)
	a.EmailVerified = true
	same(t, "the account", got, a)
	same(t, "the account, read again", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	same(t, "its project's owner is verified", must(s.Publish.Project(t.Context(), "pong"))(t).Verified, true)
}

func refuseVerification(t *testing.T, s Stores) {
	kim, lee := s.withEmail(t, "kim"), s.withEmail(t, "lee")
	for _, token := range []string{"one", "two"} {
		s.mustVerification(t, kim, token, base().Add(time.Hour))
	}
	s.mustVerification(t, lee, "of lee", base().Add(time.Hour))
	s.mustVerification(t, lee, "expired", base().Add(-time.Second))
	must(s.Accounts.RefuseVerification(t.Context(), sum("one"), base()))(t)
	for _, token := range []string{"one", "two", "expired"} {
		wants(t, token, drop(s.Accounts.RefuseVerification(t.Context(), sum(token), base())), sandlot.ErrNotFound)
		wants(t, token, drop(s.Accounts.UseVerification(t.Context(), sum(token), base())), sandlot.ErrNotFound)
	}
	must(s.Accounts.Verification(t.Context(), sum("of lee"), base()))(t)
	same(t, "another account", must(s.Publish.Account(t.Context(), lee.ID))(t), lee)
}

func refuseVerificationTakes(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	same(t, "as it was", must(s.Accounts.RefuseVerification(t.Context(), sum("token"), base()))(t), a)
	a.Email = ""
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	v := account.Verification{Token: sum("late"), Account: a.ID, Email: "kim@example.com", ExpiresAt: base().Add(time.Hour)}
	wants(t, "a message that comes late", drop(s.Mail.AddVerification(t.Context(), v)), sandlot.ErrMoved)
}

func addVerificationSuspended(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(a.ID), entry(sandlot.ActionSuspend, "@kim")))
	_, err := s.Mail.AddVerification(t.Context(), account.Verification{Token: sum("token"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)})
	wants(t, "of a suspended account", err, sandlot.ErrMoved)
}
