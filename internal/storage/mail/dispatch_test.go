package mail

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// post is an installation whose courier talks to a real mail server, at which all
// recipients in a domain that begins with "slow" wait.
type post struct {
	*testworld.World
	t       *testing.T
	server  *fakeServer
	courier *account.Courier
	release chan struct{} // lets the slow ones go

	mu        sync.Mutex
	now, most int            // recipients that wait
	waits     map[string]int // by domain
}

func newPost(t *testing.T) *post {
	t.Helper()
	p := &post{World: testworld.New(t, testworld.RealTime()), t: t, server: &fakeServer{}, release: make(chan struct{}), waits: map[string]int{}}
	p.server.to = p.rcpt
	p.server.start(t, nil, nil)
	p.courier = &account.Courier{
		Store: p.DB.Mail(), Vault: p.Vault(),
		Mailer: sender(t, "smtp://"+p.server.address, nil), Places: testworld.Places(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	return p
}

// rcpt answers for a recipient: a slow one when it is released.
func (p *post) rcpt(to string) error {
	_, domain, _ := strings.Cut(to, "@")
	if !strings.HasPrefix(domain, "slow") {
		return nil
	}
	p.mu.Lock()
	p.now++
	p.waits[domain]++
	p.most = max(p.most, p.now)
	p.mu.Unlock()
	<-p.release
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now--
	return nil
}

func (p *post) waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// verify has a link sent that verifies an address.
func (p *post) verify(address string) {
	p.t.Helper()
	if _, err := p.Publish.Signup(p.t.Context(), sandlot.Caller{From: sandlot.Sender{Network: address}}, publish.SignupInput{Email: address}); err != nil {
		p.t.Fatal(err)
	}
}

// member makes an account that has verified its address.
func (p *post) member(address string) {
	p.t.Helper()
	p.verify(address)
	expect.OK(p.t, p.courier.SendDue(p.t.Context()))
	_, token, _ := strings.Cut(plainText(p.t, p.last().raw), "/verify?token=")
	if _, err := p.Account.Verify(p.t.Context(), testworld.Nobody(), strings.Fields(token)[0]); err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) last() delivery {
	p.t.Helper()
	all := p.server.deliveries()
	if len(all) == 0 {
		p.t.Fatal("nothing was delivered")
	}
	return all[len(all)-1]
}

func (p *post) login(address string) {
	p.t.Helper()
	if _, err := p.Account.Logins.AskLogin(p.t.Context(), testworld.Nobody(), account.LoginInput{Email: address}); err != nil {
		p.t.Fatal(err)
	}
}

// run lets the courier work until the test ends.
func (p *post) run() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { p.courier.Run(ctx); close(done) }()
	p.t.Cleanup(func() {
		stop()
		<-done
	})
}

func (p *post) delivered() (to []string) {
	for _, d := range p.server.deliveries() {
		to = append(to, d.to)
	}
	return to
}

// until waits for something that happens in far less than a minute.
func (p *post) until(what string, done func() bool) {
	p.t.Helper()
	if !testenv.Poll(time.Minute, done) {
		p.t.Fatalf("%s has not happened; delivered is %v", what, p.delivered())
	}
}

func (p *post) gets(address string) {
	p.t.Helper()
	p.until("the delivery to "+address, func() bool { return slices.Contains(p.delivered(), address) })
}

func TestRegression45NoSlowServerHoldsTheOthers(t *testing.T) {
	t.Run("one slow domain with many messages holds neither logins nor other mail", func(t *testing.T) {
		t.Parallel()
		p := newPost(t)
		p.member("kim@example.com")
		for i := range 12 {
			p.verify(fmt.Sprintf("n%d@slow.example", i))
		}
		p.run()
		p.until("the wait of a slow recipient", func() bool { return p.waiting() > 0 })
		p.verify("lee@example.com")
		p.login("kim@example.com")
		p.gets("lee@example.com")
		p.until("a login", func() bool { return slices.Contains(p.delivered()[1:], "kim@example.com") })
		close(p.release)
		p.until("the delivery of all", func() bool { return len(p.delivered()) == 15 })
		if p.waits["slow.example"] != 12 {
			t.Errorf("the slow domain was asked %d times", p.waits["slow.example"])
		}
		if p.most > 2 {
			t.Errorf("%d were on their way to one domain at once", p.most)
		}
	})
	t.Run("slow domains hold a bounded number of connections, and no login", func(t *testing.T) {
		t.Parallel()
		p := newPost(t)
		p.member("kim@example.com")
		for i := range 20 {
			p.verify(fmt.Sprintf("n@slow%d.example", i))
		}
		p.run()
		p.until("the wait of all that may", func() bool { return p.waiting() == 6 })
		for range 2 {
			had := len(p.delivered())
			p.login("kim@example.com")
			p.until("a login", func() bool { return len(p.delivered()) > had })
		}
		expect.Equal(t, "recipients wait", p.waiting(), 6)
		close(p.release)
		p.until("the delivery of all", func() bool { return len(p.delivered()) == 23 })
	})
	t.Run("a login goes first", func(t *testing.T) {
		p := newPost(t)
		close(p.release)
		p.member("kim@example.com")
		for i := range 5 {
			p.verify(fmt.Sprintf("n%d@example.com", i))
		}
		p.login("kim@example.com")
		p.courier.AtOnce = 1
		expect.OK(t, p.courier.SendDue(t.Context()))
		if got := p.delivered(); len(got) != 7 || got[1] != "kim@example.com" {
			t.Errorf("delivered in this order: %v", got)
		}
	})
}

// plainText is the text of a message, with its soft line breaks taken out.
func plainText(t *testing.T, raw []byte) string {
	t.Helper()
	return strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(raw))
}
