package storetest

import (
	"sync"
	"testing"
	"time"

	"sandlot/internal/publish"
)

func jobCases() []storeCase {
	return []storeCase{
		{"ClaimJobs/returns jobs that are due, at most limit", claimDue},
		{"ClaimJobs/keeps others from them until the time given", claimKeeps},
		{"ClaimJobs/of 20 at once each job goes to one", claimRace},
		{"FinishJob/removes a job", finishJob},
		{"FinishJob/if sent, it is counted for its mailbox at that time", finishCounts},
		{"FinishJob/the ID of a job is not used again", jobIDs},
		{"RetryJob/makes a job due again, with one more attempt", retryJob},
		{"MailsSince/counts the mails sent to a mailbox since then", mailsSince},
	}
}

// withJobs records an account with jobs that are due at these times.
func (s Stores) withJobs(t *testing.T, due ...time.Time) publish.Account {
	t.Helper()
	a := s.mustAccount(t, newAccount("kim"))
	for _, at := range due {
		ok(t, s.SetEmail(t.Context(), a.ID, "kim@example.com", job("kim@example.com", at)))
	}
	return a
}

func claimDue(t *testing.T, s Stores) {
	now := base()
	a := s.withJobs(t, now.Add(-time.Second), now.Add(-2*time.Second), now, now.Add(time.Second))
	got := must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 2))(t)
	same(t, "the first two", []time.Time{got[0].Due, got[1].Due}, []time.Time{now.Add(-2 * time.Second), now.Add(-time.Second)})
	got = must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 9))(t)
	want := job("kim@example.com", now)
	want.Account = a.ID
	same(t, "the rest that is due", withoutIDs(got), []publish.Job{want})
}

func claimKeeps(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	first := must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 9))(t)
	same(t, "claimed", len(first), 1)
	same(t, "claimed by another", len(must(s.ClaimJobs(t.Context(), now.Add(59*time.Second), now.Add(time.Hour), 9))(t)), 0)
	again := must(s.ClaimJobs(t.Context(), now.Add(time.Minute), now.Add(time.Hour), 9))(t)
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
			jobs, err := s.ClaimJobs(background(), now, now.Add(time.Minute), 3)
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
	j := must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 1))(t)[0]
	ok(t, s.FinishJob(t.Context(), j.ID, sum("box"), false, now))
	same(t, "jobs left", len(must(s.ClaimJobs(t.Context(), now.Add(time.Hour), now.Add(2*time.Hour), 9))(t)), 0)
	same(t, "mails", must(s.MailsSince(t.Context(), sum("box"), now.Add(-time.Hour)))(t), 0)
	wants(t, "the same job again", s.FinishJob(t.Context(), j.ID, sum("box"), true, now), publish.ErrNotFound)
}

// jobIDs: a worker whose claim has lapsed must not finish another's job.
func jobIDs(t *testing.T, s Stores) {
	now := base()
	a := s.withJobs(t, now)
	first := must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 1))(t)[0]
	ok(t, s.FinishJob(t.Context(), first.ID, sum("box"), false, now))
	ok(t, s.SetEmail(t.Context(), a.ID, "kim@example.com", job("kim@example.com", now)))
	wants(t, "the first job again", s.FinishJob(t.Context(), first.ID, sum("box"), false, now), publish.ErrNotFound)
	same(t, "jobs left", len(must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 9))(t)), 1)
}

func finishCounts(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	j := must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 1))(t)[0]
	ok(t, s.FinishJob(t.Context(), j.ID, sum("box"), true, now.Add(time.Second)))
	same(t, "mails", must(s.MailsSince(t.Context(), sum("box"), now.Add(time.Second)))(t), 1)
	same(t, "mails to another mailbox", must(s.MailsSince(t.Context(), sum("other box"), now))(t), 0)
}

func retryJob(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now)
	first := must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 1))(t)[0]
	ok(t, s.RetryJob(t.Context(), first.ID, now.Add(2*time.Minute)))
	same(t, "due too early", len(must(s.ClaimJobs(t.Context(), now.Add(time.Minute), now.Add(time.Hour), 9))(t)), 0)
	again := must(s.ClaimJobs(t.Context(), now.Add(2*time.Minute), now.Add(time.Hour), 9))(t)
	first.Attempts, first.Due = 1, now.Add(2*time.Minute)
	same(t, "the job", again, []publish.Job{first})
}

func mailsSince(t *testing.T, s Stores) {
	now := base()
	s.withJobs(t, now, now, now)
	for i, j := range must(s.ClaimJobs(t.Context(), now, now.Add(time.Minute), 9))(t) {
		ok(t, s.FinishJob(t.Context(), j.ID, sum("box"), true, now.Add(time.Duration(i)*time.Hour)))
	}
	for since, want := range map[time.Duration]int{0: 3, time.Hour: 2, 90 * time.Minute: 1, 3 * time.Hour: 0} {
		same(t, "mails since "+since.String(), must(s.MailsSince(t.Context(), sum("box"), now.Add(since)))(t), want)
	}
}

func verificationCases() []storeCase {
	return []storeCase{
		{"AddVerification/records a token of an account's current unverified address, and returns the account's handle", addVerification},
		{"AddVerification/another address is ErrMoved", addVerificationOther},
		{"AddVerification/an address that is verified is ErrMoved", addVerificationVerified},
		{"AddVerification/the address of a suspended account is ErrMoved", addVerificationSuspended},
		{"Verification/returns an unused, unexpired verification", readVerification},
		{"UseVerification/consumes it, with all others of the account", useVerification},
		{"UseVerification/marks the account's address as verified", useVerificationMarks},
	}
}

// withEmail records an account with an unverified address.
func (s Stores) withEmail(t *testing.T, handle string) publish.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = handle + "@example.com"
	return s.mustAccount(t, na)
}

func (s Stores) mustVerification(t *testing.T, a publish.Account, token string, expires time.Time) publish.Verification {
	t.Helper()
	v := publish.Verification{Token: sum(token), Account: a.ID, Email: a.Email, ExpiresAt: expires}
	must(s.AddVerification(t.Context(), v))(t)
	return v
}

func addVerification(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	v := publish.Verification{Token: sum("token"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)}
	same(t, "the handle", must(s.AddVerification(t.Context(), v))(t), "kim")
	same(t, "what was recorded", must(s.Verification(t.Context(), v.Token, base()))(t), v)
}

func addVerificationOther(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	a.Email = "other@example.com"
	_, err := s.AddVerification(t.Context(), publish.Verification{Token: sum("token"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)})
	wants(t, "another address", err, publish.ErrMoved)
	_, err = s.Verification(t.Context(), sum("token"), base())
	wants(t, "its token", err, publish.ErrNotFound)
}

func addVerificationVerified(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	_, err := s.AddVerification(t.Context(), publish.Verification{Token: sum("again"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)})
	wants(t, "a verified address", err, publish.ErrMoved)
}

func readVerification(t *testing.T, s Stores) {
	v := s.mustVerification(t, s.withEmail(t, "kim"), "token", base().Add(time.Hour))
	same(t, "the verification", must(s.Verification(t.Context(), v.Token, v.ExpiresAt.Add(-time.Second)))(t), v)
	_, err := s.Verification(t.Context(), v.Token, v.ExpiresAt)
	wants(t, "when it has expired", err, publish.ErrNotFound)
	must(s.UseVerification(t.Context(), v.Token, base()))(t)
	_, err = s.Verification(t.Context(), v.Token, base())
	wants(t, "when it was used", err, publish.ErrNotFound)
}

func useVerification(t *testing.T, s Stores) {
	kim, lee := s.withEmail(t, "kim"), s.withEmail(t, "lee")
	for _, token := range []string{"one", "two"} {
		s.mustVerification(t, kim, token, base().Add(time.Hour))
	}
	s.mustVerification(t, lee, "of lee", base().Add(time.Hour))
	must(s.UseVerification(t.Context(), sum("one"), base()))(t)
	for _, token := range []string{"one", "two"} {
		_, err := s.UseVerification(t.Context(), sum(token), base())
		wants(t, "token "+token+" afterwards", err, publish.ErrNotFound)
	}
	must(s.Verification(t.Context(), sum("of lee"), base()))(t)
	s.mustVerification(t, lee, "expired", base().Add(-time.Second))
	_, err := s.UseVerification(t.Context(), sum("expired"), base())
	wants(t, "an expired token", err, publish.ErrNotFound)
}

func useVerificationMarks(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	must(s.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	got := must(s.UseVerification(t.Context(), sum("token"), base()))(t)
	a.EmailVerified = true
	same(t, "the account", got, a)
	same(t, "the account, read again", must(s.Account(t.Context(), a.ID))(t), a)
	same(t, "its project's owner is verified", must(s.Project(t.Context(), "pong"))(t).Verified, true)
}

func addVerificationSuspended(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	ok(t, s.Suspend(t.Context(), ofAccount(a.ID), entry(publish.ActionSuspend, "@kim")))
	_, err := s.AddVerification(t.Context(), publish.Verification{Token: sum("token"), Account: a.ID, Email: a.Email, ExpiresAt: base().Add(time.Hour)})
	wants(t, "of a suspended account", err, publish.ErrMoved)
}
