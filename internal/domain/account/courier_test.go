package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// fakeJobs is a MailStore in memory, of verifications.
type fakeJobs struct {
	MailStore
	mu     sync.Mutex
	now    func() time.Time
	jobs   map[int64]sandlot.Job
	last   int64                                  // ID of a job
	leases []int                                  // how many jobs each claim got
	mails  map[sandlot.Digest]map[int64]time.Time // by share and job
	tokens []Verification
	moved  map[string]error // by address: what AddVerification answers
	fail   error            // of FinishJob
}

func (f *fakeJobs) ClaimJobs(ctx context.Context, now, until time.Time, busy Busy, limit int) ([]sandlot.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var due []sandlot.Job
	for id, j := range f.jobs {
		if !j.Due.After(now) && len(due) < limit && !slices.Contains(busy.Others, laneOf(j).domain) && !busy.OnlyLogins {
			due = append(due, j)
			j.Due = until
			f.jobs[id] = j
		}
	}
	slices.SortFunc(due, func(a, b sandlot.Job) int { return cmp.Compare(a.ID, b.ID) })
	f.leases = append(f.leases, len(due))
	return due, nil
}

func (f *fakeJobs) Projects(context.Context, sandlot.AccountID, int64, int) ([]sandlot.Project, error) {
	return nil, nil
}

func (f *fakeJobs) CountMail(ctx context.Context, job int64, shares []Share, at, since time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range shares {
		for id, when := range f.mails[s.Counter] {
			if id == job {
				return nil
			}
			if !when.After(since) {
				delete(f.mails[s.Counter], id)
			}
		}
		if len(f.mails[s.Counter]) >= s.Most {
			return ErrTooOften
		}
	}
	for _, s := range shares {
		if f.mails[s.Counter] == nil {
			f.mails[s.Counter] = map[int64]time.Time{}
		}
		f.mails[s.Counter][job] = at
	}
	return ctx.Err()
}

func (f *fakeJobs) FinishJob(ctx context.Context, j sandlot.Job, sent bool, at time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmp.Or(ctx.Err(), f.fail); err != nil {
		return err
	}
	delete(f.jobs, j.ID)
	for _, counted := range f.mails {
		if _, ok := counted[j.ID]; ok && sent {
			counted[j.ID] = at
		} else {
			delete(counted, j.ID)
		}
	}
	return nil
}

func (f *fakeJobs) RetryJob(ctx context.Context, j sandlot.Job, due time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	j = f.jobs[j.ID]
	j.Attempts, j.Due = j.Attempts+1, due
	f.jobs[j.ID] = j
	return nil
}

func (f *fakeJobs) AddVerification(_ context.Context, v Verification) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.moved[v.Email]; err != nil {
		return "", err
	}
	f.tokens = append(f.tokens, v)
	return "ada", nil
}

// add enqueues a mail to an address, due now.
func (f *fakeJobs) add(address string) int64 {
	f.last++
	id := f.last
	f.jobs[id] = sandlot.Job{ID: id, Kind: "verify", Account: 1, Address: address, Lang: "de", Due: f.now()}
	return id
}

// fakeMailer is a Mailer that returns the errors of a test.
type fakeMailer struct {
	mu     sync.Mutex
	sent   []Mail
	tried  int
	answer func(try int) error
}

func (m *fakeMailer) Send(_ context.Context, mail Mail) error {
	m.mu.Lock()
	m.tried++
	try := m.tried
	m.mu.Unlock()
	if m.answer != nil {
		if err := m.answer(try); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, mail)
	return nil
}

func (f *fakeJobs) StopOf(context.Context, sandlot.Digest, string, time.Time) (sandlot.Stop, error) {
	return sandlot.Stop{}, sandlot.ErrNotFound
}

// noSecrets is a store in which no secret is yet.
type noSecrets struct{}

func (noSecrets) Secret(_ context.Context, _ string, fresh []byte) ([]byte, error) { return fresh, nil }

func newCourier(t *testing.T, logs io.Writer) (*Courier, *fakeJobs, *fakeMailer) {
	t.Helper()
	jobs := &fakeJobs{now: time.Now, jobs: map[int64]sandlot.Job{}, mails: map[sandlot.Digest]map[int64]time.Time{}, moved: map[string]error{}}
	mailer := &fakeMailer{}
	vault, err := sandlot.OpenVault(t.Context(), noSecrets{}, rand.Reader)
	expect.OK(t, err)
	places := sandlot.Places{Base: &url.URL{Scheme: "https", Host: "example.com"}}
	c := &Courier{Store: jobs, Vault: vault, Mailer: mailer, Places: places, Log: slog.New(slog.NewTextHandler(logs, nil)), Now: time.Now}
	return c, jobs, mailer
}

func send(t *testing.T, c *Courier) {
	t.Helper()
	expect.OK(t, c.SendDue(t.Context()))
}

// linkToken is the one in a mail's link.
func linkToken(t *testing.T, m Mail) string {
	t.Helper()
	u, err := url.Parse(m.Link)
	if err != nil || !strings.HasPrefix(m.Link, "https://example.com/verify?token=") {
		t.Fatalf("link %q, %v", m.Link, err)
	}
	return u.Query().Get("token")
}

func TestCourier(t *testing.T) {
	proofs := map[string]func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer){
		"a message carries the link, the handle and the language": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			jobs.add("ada@example.org")
			send(t, c)
			if len(m.sent) != 1 || len(jobs.jobs) != 0 {
				t.Fatalf("%d sent, %d jobs left", len(m.sent), len(jobs.jobs))
			}
			want := Mail{Kind: "verify", To: "ada@example.org", Lang: "de", Handle: "ada", Link: m.sent[0].Link, NotMe: m.sent[0].NotMe}
			token, ours := strings.CutPrefix(want.NotMe, "https://example.com/not-me?token=")
			if n, err := openNotMe(c.Vault, time.Now(), token); !ours || err != nil || n.Mail != "verify" || n.Email != want.To {
				t.Errorf("its link for others is %s, of %+v, %v", want.NotMe, n, err)
			}
			if m.sent[0] != want {
				t.Errorf("got %+v", m.sent[0])
			}
		},
		"of the token only the hash is kept, for a day": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			jobs.add("ada@example.org")
			send(t, c)
			tok := linkToken(t, m.sent[0])
			want := Verification{Token: digest(tok), Account: 1, Email: "ada@example.org", ExpiresAt: time.Now().Add(24 * time.Hour).UTC()}
			if len(tok) != 43 || jobs.tokens[0] != want {
				t.Errorf("token %q is kept as %+v", tok, jobs.tokens[0])
			}
		},
		"the fifth claim of a day that strangers ask for is dropped without telling": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			for _, address := range []string{"ada@example.org", "Ada@Example.org", "ada@example.org", "ADA@example.org", "ada@example.org", "ada@example.org"} {
				jobs.add(address)
			}
			jobs.add("bob@example.org")
			send(t, c)
			if len(m.sent) != 5 || len(jobs.jobs) != 0 {
				t.Errorf("%d sent, %d jobs left", len(m.sent), len(jobs.jobs))
			}
			testenv.Pass(24*time.Hour - time.Minute)
			jobs.add("ada@example.org")
			send(t, c)
			if len(m.sent) != 5 {
				t.Errorf("another one within the day")
			}
			testenv.Pass(2 * time.Minute)
			jobs.add("ada@example.org")
			send(t, c)
			if len(m.sent) != 6 {
				t.Errorf("none the day after")
			}
		},
		"what was not sent does not count for the day": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			m.answer = func(int) error { return ErrRefused }
			for range 5 {
				jobs.add("ada@example.org")
			}
			send(t, c)
			m.answer = nil
			jobs.add("ada@example.org")
			send(t, c)
			expect.Equal(t, "sent", len(m.sent), 1)
		},
		"a failure is tried again, later each time, with a new token": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			m.answer = func(try int) error {
				if try < 4 {
					return errors.New("451 later")
				}
				return nil
			}
			id := jobs.add("ada@example.org")
			for i, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
				send(t, c)
				if due := time.Until(jobs.jobs[id].Due); due != wait || m.tried != i+1 {
					t.Fatalf("after try %d the next is in %v, want %v", m.tried, due, wait)
				}
				testenv.Pass(wait - time.Second)
				send(t, c)
				if m.tried != i+1 {
					t.Fatal("tried before its time")
				}
				testenv.Pass(time.Second)
			}
			send(t, c)
			if len(m.sent) != 1 || len(jobs.jobs) != 0 || len(jobs.tokens) != 4 {
				t.Fatalf("%d sent, %d jobs left, %d tokens", len(m.sent), len(jobs.jobs), len(jobs.tokens))
			}
			if last := digest(linkToken(t, m.sent[0])); last != jobs.tokens[3].Token || last == jobs.tokens[2].Token {
				t.Error("the message does not carry the newest token")
			}
		},
		"a mailbox that cannot be reached is given up within a day": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			m.answer = func(int) error { return errors.New("connection refused") }
			jobs.add("ada@example.org")
			began, longest := time.Now(), time.Duration(0)
			for len(jobs.jobs) > 0 {
				last := m.tried
				at := time.Now()
				for m.tried == last {
					send(t, c)
					testenv.Pass(time.Minute)
				}
				longest = max(longest, time.Since(at))
			}
			if took := time.Since(began); m.tried != mailTries || took < 20*time.Hour || took > 24*time.Hour || longest > mailWaitMax+2*time.Minute {
				t.Errorf("%d tries in %v, longest wait %v", m.tried, took, longest)
			}
		},
		"a refusal is final": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			m.answer = func(int) error { return fmt.Errorf("550 no such user: %w", ErrRefused) }
			jobs.add("ada@example.org")
			send(t, c)
			testenv.Pass(48 * time.Hour)
			send(t, c)
			if m.tried != 1 || len(jobs.jobs) != 0 {
				t.Errorf("%d tries, %d jobs left", m.tried, len(jobs.jobs))
			}
		},
		"a message to an address that was changed since is dropped": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			jobs.moved["old@example.org"] = fmt.Errorf("add verification: %w", sandlot.ErrMoved)
			jobs.moved["gone@example.org"] = sandlot.ErrNotFound
			jobs.add("old@example.org")
			jobs.add("gone@example.org")
			jobs.add("new@example.org")
			send(t, c)
			if len(m.sent) != 1 || m.sent[0].To != "new@example.org" || len(jobs.jobs) != 0 {
				t.Errorf("%v sent, %d jobs left", m.sent, len(jobs.jobs))
			}
		},
		"without randomness nothing is sent, and the job stays": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			broken := errors.New("broken")
			var err error
			if c.Vault, err = sandlot.OpenVault(t.Context(), noSecrets{}, io.MultiReader(io.LimitReader(rand.Reader, 32), iotest.ErrReader(broken))); err != nil {
				t.Fatal(err)
			}
			jobs.add("ada@example.org")
			if err := c.SendDue(t.Context()); !errors.Is(err, broken) || m.tried != 0 || len(jobs.jobs) != 1 {
				t.Errorf("got %v, %d tries, %d jobs left", err, m.tried, len(jobs.jobs))
			}
		},
		"a stop while a message is on its way settles that message": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			ctx, stop := context.WithCancel(t.Context())
			m.answer = func(int) error { stop(); return nil }
			jobs.add("ada@example.org")
			_ = c.SendDue(ctx)
			if len(m.sent) != 1 || len(jobs.jobs) != 0 || len(jobs.mails) == 0 {
				t.Errorf("%d sent, %d jobs left, %d counted: it would be sent again", len(m.sent), len(jobs.jobs), len(jobs.mails))
			}
		},
		"a message is done within its lease, however slow the mail server is": func(t *testing.T, c *Courier, jobs *fakeJobs, m *fakeMailer) {
			m.answer = func(int) error { testenv.Pass(mailTimeout); return errors.New("timed out") }
			for i := range 20 {
				jobs.add(fmt.Sprintf("ada%d@example.org", i))
			}
			send(t, c)
			if most := slices.Max(jobs.leases); most > 1 || mailTimeout > mailLease/2 {
				t.Errorf("%d claimed at once, and a message may take %v of its lease of %v", most, mailTimeout, mailLease)
			}
			if m.tried < 20 {
				t.Errorf("%d of 20 tried", m.tried)
			}
		},
	}
	for name, proof := range proofs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logs strings.Builder
				c, jobs, m := newCourier(t, &logs)
				proof(t, c, jobs, m)
				for _, mail := range m.sent {
					if strings.Contains(logs.String(), mail.To) || strings.Contains(logs.String(), linkToken(t, mail)) {
						t.Errorf("the log tells an address or a token: %s", logs.String())
					}
				}
			})
		})
	}
}

func TestCourierRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, jobs, m := newCourier(t, io.Discard)
		jobs.add("ada@example.org")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { c.Run(ctx); close(ended) }()
		testenv.Pass(mailPoll + time.Millisecond)
		synctest.Wait()
		expect.Equal(t, "sent about a second after the answer", len(m.sent), 1)
		stop()
		<-ended
	})
}
