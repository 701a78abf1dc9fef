package account_test

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const (
	address = testworld.Address
	page    = "<!doctype html><title>Space Cats</title><p>meow"
)

// The two rooms, by names that a world can have both of.
type (
	accounts = account.Service
	logins   = account.Logins
	readers  = publish.Reader
	keyrings = publish.Keyring
	projects = publish.Service
)

// world is a testworld.World with short names, and the methods of both rooms as its own.
type world struct {
	*accounts
	*logins
	*projects
	*readers
	*keyrings
	*identity.Authenticator
	in    *testworld.World
	t     *testing.T
	db    *sqlstore.DB
	clock clock
	dir   string

	reportMail string // gets the messages about reports
}

func newWorld(t *testing.T, change ...func(*publish.Config)) *world {
	t.Helper()
	var opts []testworld.Option
	for _, c := range change {
		opts = append(opts, testworld.With(c))
	}
	in := testworld.New(t, opts...)
	return &world{accounts: in.Account, logins: in.Account.Logins, projects: in.Publish, readers: in.Publish.Reader, keyrings: in.Publish.Keyring, Authenticator: in.Callers, in: in, t: t, db: in.DB, clock: clock{in.Clock}, dir: in.Dir}
}

// clock is the world's, by the names that these tests use.
type clock struct{ *testworld.Clock }

func (c clock) now() time.Time { return c.Now() }

func (c clock) move(d time.Duration) { c.Move(d) }

func (w *world) caller(key sandlot.Secret) sandlot.Caller { w.t.Helper(); return w.in.CallerOf(key) }

func (w *world) owner(id sandlot.AccountID) sandlot.Caller { w.t.Helper(); return w.in.OwnerOf(id) }

func (w *world) account() sandlot.Caller { w.t.Helper(); return w.in.NewAccount() }

// byOperator is the operator, whose commands nobody gave a name to.
var byOperator = sandlot.AsOperator("")

// operator is what operators do on the same stores.
func (w *world) operator() *operate.Service {
	w.t.Helper()
	return w.in.AnotherOperate(operate.Config{ReportMail: w.reportMail})
}

func (w *world) reported(in operate.NewReport) {
	w.t.Helper()
	_, err := w.operator().Report(w.t.Context(), nobody(), in)
	expect.OK(w.t, err)
}

func nobody() sandlot.Caller { return testworld.Nobody() }

func (w *world) publish(by sandlot.Caller, text string) publish.Published {
	w.t.Helper()
	return w.in.PublishPage(by, text)
}

// publishWith publishes with a key and an address.
func (w *world) publishWith(by sandlot.Caller, email string) publish.Published {
	w.t.Helper()
	out, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Email: email, Content: w.in.Stage(page)})
	expect.OK(w.t, err)
	return out
}

// postman sends what is due, and returns it.
func (w *world) postman() []account.Mail { w.t.Helper(); return w.in.Due() }

// mail sends what is due, which are links that verify an address, and returns their tokens.
func (w *world) mail() []string { w.t.Helper(); return w.in.VerifyTokens() }

// email returns the account's address as whoami has it.
func (w *world) email(by sandlot.Caller) (string, bool) { w.t.Helper(); return w.in.Email(by) }

// refused checks that err is a refusal with this code, and returns it.
func refused(t *testing.T, err error, code sandlot.Code) *sandlot.Error {
	t.Helper()
	return testworld.Refused(t, err, code)
}
