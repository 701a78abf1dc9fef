package publish_test

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/testworld"
)

const (
	address   = testworld.Address
	page      = "<!doctype html><title>Space Cats</title><p>meow"
	inlineMax = testworld.InlineMax
)

// large is a page that is not kept inline.
var large = page + strings.Repeat(" meow", inlineMax)

// accounts is the room of accounts, by a name that a world can have beside its Service.
type accounts = account.Service

// world is a testworld.World with short names, and the methods of its Services, their Contents and its Authenticator as its own.
type world struct {
	*publish.Service
	*publish.Reader
	*publish.Keyring
	*publish.Contents
	*identity.Authenticator
	*accounts
	in    *testworld.World
	t     *testing.T
	db    *sqlstore.DB
	store *testworld.Faults
	blobs *testworld.Blobs
	clock clock
	dir   string
	logs  *testworld.Logs
}

func newWorld(t *testing.T, change ...func(*publish.Config)) *world {
	t.Helper()
	var opts []testworld.Option
	for _, c := range change {
		opts = append(opts, testworld.With(c))
	}
	return worldOf(t, testworld.New(t, opts...))
}

// node is another node of the same installation.
func (w *world) node() *world { w.t.Helper(); return worldOf(w.t, w.in.Node(w.t)) }

func worldOf(t *testing.T, in *testworld.World) *world {
	return &world{Service: in.Publish, Reader: in.Publish.Reader, Keyring: in.Publish.Keyring, Contents: in.Publish.Contents, Authenticator: in.Callers, accounts: in.Account, in: in, t: t, db: in.DB, store: in.Faults, blobs: in.Blobs, clock: clock{in.Clock}, dir: in.Dir, logs: in.Logs}
}

// clock is the world's, by the names that these tests use.
type clock struct{ *testworld.Clock }

func (c clock) now() time.Time { return c.Now() }

func (c clock) move(d time.Duration) { c.Move(d) }

// open is a Service on the stores as they are, as after a restart.
func (w *world) open(cfg publish.Config) *publish.Service { return w.in.Another(cfg) }

// openOver is open with another store for the website.
func (w *world) openOver(cfg publish.Config, management publish.ManagementStore) *publish.Service {
	w.t.Helper()
	stores := w.in.Stores()
	stores.Management = management
	return w.in.AnotherOn(cfg, stores)
}

func local() sandlot.Places { return testworld.Places() }

func (w *world) stage(text string) publish.Content { w.t.Helper(); return w.in.Stage(text) }

func (w *world) stageOn(s *publish.Service, text string) publish.Content {
	w.t.Helper()
	return w.in.StageOn(s, text)
}

var missing = publish.Content{Missing: true}

func (w *world) caller(key sandlot.Secret) sandlot.Caller { w.t.Helper(); return w.in.CallerOf(key) }

func (w *world) owner(id sandlot.AccountID) sandlot.Caller { w.t.Helper(); return w.in.OwnerOf(id) }

func nobody() sandlot.Caller { return testworld.Nobody() }

func (w *world) account() sandlot.Caller { w.t.Helper(); return w.in.NewAccount() }

// owned is an account with a verified address, its key and a project.
func (w *world) owned(email string) (sandlot.Account, sandlot.Caller, sandlot.Project) {
	w.t.Helper()
	return w.in.Owned(email, page)
}

func (w *world) publish(by sandlot.Caller, text string) publish.Published {
	w.t.Helper()
	return w.in.PublishPage(by, text)
}

func (w *world) put(by sandlot.Caller, id sandlot.ProjectID, name, text string) publish.Updated {
	w.t.Helper()
	return w.in.PutFile(by, id, name, text)
}

func (w *world) text(id sandlot.ProjectID, version int, name string) string {
	w.t.Helper()
	return w.in.Text(id, version, name)
}

func (w *world) bytes(b sandlot.Blob) string { w.t.Helper(); return w.in.Bytes(b) }

func names(files []sandlot.File) (out []string) {
	for _, f := range files {
		out = append(out, f.Name)
	}
	return out
}

// codes are those of warnings.
func codes(warnings []sandlot.Warning) (out []string) {
	for _, w := range warnings {
		out = append(out, w.Code)
	}
	return out
}

// refused checks that err is a refusal with this code, and returns it.
func refused(t *testing.T, err error, code sandlot.Code) *sandlot.Error {
	t.Helper()
	return testworld.Refused(t, err, code)
}

func (w *world) kept() map[string]int { w.t.Helper(); return w.in.Sizes() }

func (w *world) onDisk() int { w.t.Helper(); return w.in.BlobsOnDisk() }

func (w *world) unchanged(t *testing.T, do func()) { t.Helper(); w.in.Unchanged(t, do) }
