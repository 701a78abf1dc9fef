package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

func clockCases() []storeCase {
	return []storeCase{
		{"DaySalt/fresh the first time it is asked for and then the same", daySalt},
		{"LeaseWork/keeps the work to its caller for that long", leaseWork},
		{"ClaimJobs/a job is also due if that seems to be more than JobWaitMax ahead", jobOfWrongClock},
		{"CountMail/what seems to be sent after that time, a wrong clock left", mailsToCome},
	}
}

// aYear is by how much a clock was ahead.
const aYear = 365 * aDay

func jobOfWrongClock(t *testing.T, s Stores) {
	now := base()
	a := s.mustAccount(t, newAccount("kim"))
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, "kim@example.org", sandlot.Job{Kind: "verify", Address: "kim@example.org", Due: now.Add(aYear)}))
	jobs := must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)
	same(t, "jobs that are due", len(jobs), 1)
	same(t, "jobs while it is claimed", len(must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)), 0)
	ok(t, s.Mail.RetryJob(t.Context(), jobs[0], now.Add(account.JobWaitMax)))
	same(t, "jobs while it waits as long as jobs wait", len(must(s.Mail.ClaimJobs(t.Context(), now, now.Add(time.Minute), account.Busy{}, 9))(t)), 0)
}

func mailsToCome(t *testing.T, s Stores) {
	now := base()
	for job, at := range []time.Time{now, now.Add(aYear)} {
		ok(t, s.Mail.CountMail(t.Context(), int64(job+1), []account.Share{share("kim", 9)}, at, at.Add(-aDay)))
	}
	ok(t, s.Mail.CountMail(t.Context(), 3, []account.Share{share("kim", 2)}, now, now.Add(-aDay)))
	wants(t, "one more", s.Mail.CountMail(t.Context(), 4, []account.Share{share("kim", 2)}, now, now.Add(-aDay)), account.ErrTooOften)
}

func daySalt(t *testing.T, s Stores) {
	day := base().Unix() / int64(aDay/time.Second)
	salt := func(day int64, fresh byte) byte {
		return must(s.Upkeep.DaySalt(t.Context(), day, [32]byte{31: fresh}))(t)[31]
	}
	same(t, "the salt of the day", salt(day, 1), byte(1))
	same(t, "of the next", salt(day+1, 2), byte(2))
	same(t, "of the day, for another node", salt(day, 3), byte(1))
	same(t, "of the next, for another node", salt(day+1, 4), byte(2))
}

func leaseWork(t *testing.T, s Stores) {
	first := must(s.Upkeep.LeaseWork(t.Context(), "dig", 0, time.Minute))(t)
	for _, held := range []int64{0, first - 1, first + 1} {
		_, err := s.Upkeep.LeaseWork(t.Context(), "dig", held, time.Minute)
		wants(t, "a second lease", err, sandlot.ErrLeased)
	}
	must(s.Upkeep.LeaseWork(t.Context(), "fill", 0, time.Minute))(t)
	s.Later(time.Minute)
	must(s.Upkeep.LeaseWork(t.Context(), "dig", 0, time.Minute))(t)
	for _, length := range []time.Duration{0, time.Minute} {
		_, err := s.Upkeep.LeaseWork(t.Context(), "dig", first, length)
		wants(t, "one that lapsed and is another's", err, sandlot.ErrLeased)
	}
}
