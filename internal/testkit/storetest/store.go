package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/domain/trial"
)

// GalleryRecords is what a gallery keeps.
type GalleryRecords interface {
	gallery.Store
	gallery.CountStore
	figures.Store
}

// UpkeepRecords is what the workers of package operate need.
type UpkeepRecords interface {
	operate.SweepStore
	operate.TrimStore
	operate.ForgetStore
	operate.VerifyStore
	operate.SpaceStore
	operate.ClockStore
	operate.SaltStore
	operate.LeaseStore
}

// AccountRecords is everything that package account keeps.
type AccountRecords struct {
	account.LoginStore
	account.SessionStore
	account.OwnerStore
	account.RecoveryStore
	account.ClaimStore
	account.StopStore
	// AddSession records a session under the hash of its token, and returns its ID.
	AddSession func(ctx context.Context, token sandlot.Digest, s sandlot.Session) (int64, error)
}

// Records are the stores under test, empty at first.
type Records struct {
	Publish     publish.Store
	Credentials Credentials
	Management  publish.ManagementStore
	Tickets     ticket.Store
	Covers      cover.Store
	Trials      trial.Store
	Variants    sandlot.VariantStore
	Accounts    AccountRecords
	Mail        account.MailStore
	Gallery     GalleryRecords
	People      account.ProfileStore
	Identities  account.IdentityStore
	Upkeep      UpkeepRecords
	Logged
	Operation
	Beside
}

// Logged holds the stores of those who act in a login without managing an account.
type Logged struct {
	Connects connect.Store
	Grants   oauth.Store
}

// Runtime holds the stores of players.
type Runtime struct {
	Players players.Store
	Boards  boards.Store
	Faults  faults.Store
}

// FrontLine holds the stores of the rooms below operate.
type FrontLine struct {
	Holds     operate.HoldStore
	Blocks    blocks.Store
	Reporters operate.ReporterStore
	Desk      desk.Store
	Verdicts  judge.Store
	Sightings listed.Store
}

// Operation holds the stores of the operator's room, and those of players.
type Operation struct {
	Runtime
	FrontLine
	Operate     operate.Store
	Invitations operate.InvitationStore
	Runs        operate.RunStore
	Totals      operate.TotalStore
}

// Credentials are the keys and sessions, with when keys were used.
type Credentials interface {
	identity.Store
	identity.KeyUseStore
}

// Beside holds the operations that the interfaces do not have.
type Beside struct {
	// Copy opens a second store on what is on the disk now, as a crash would leave it.
	Copy func(t *testing.T) Records
	// Revoke revokes the key with this hash.
	Revoke func(t *testing.T, hash sandlot.Digest)
	// Rows returns the number of rows of a table.
	Rows func(t *testing.T, table string) int
	// Later moves the store's clock on.
	Later func(d time.Duration)
	// TendsRoom is true of a store that gives unused room back by itself.
	TendsRoom bool
	// Unlist sets whether a project's owner wants it in no list.
	Unlist func(t *testing.T, id sandlot.ProjectID, yes bool)
	// Hold holds a project by a rule.
	Hold func(t *testing.T, id sandlot.ProjectID, rule sandlot.Rule)
	// Crowd sets how many players a project has, and how many bytes they keep.
	Crowd func(t *testing.T, id sandlot.ProjectID, players, bytes int64)
}

// Stores are Records with the helpers of all cases.
type Stores struct {
	Records
	*observed
}

// copied returns the stores on the files that a crash would leave now.
func (s Stores) copied(t *testing.T) Stores { return Stores{Records: s.Copy(t)} }

// A case proves one sentence of an interface's comment, on a store of its own.
type storeCase struct {
	name  string
	prove func(t *testing.T, s Stores)
}

// TestPublish holds a store to the sentences of publish.Store and its sisters, one subtest
// each. open returns an empty store that is closed when the test ends; its clock has to be
// the real one. The other suites are those of the rooms that they are named after.
func TestPublish(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, publishCases(), promiseCases(), concurrencyCases(), pairCases())
}

// TestAccount proves AccountRecords and account.MailStore.
func TestAccount(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, accountCases(), connectCases(), grantCases())
}

// TestGallery proves GalleryRecords.
func TestGallery(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, galleryCases())
}

// TestOperate proves operate.Store and UpkeepRecords.
func TestOperate(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, operateCases(), reportCases(), blockCases())
}

// TestDesk proves desk.Store.
func TestDesk(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, deskCases())
}

// TestHolds proves publish.HoldStore and operate.HoldStore, and that steps begin and end holds.
func TestHolds(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, holdCases())
}

// TestTrial proves trial.Store.
func TestTrial(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, trialCases())
}

// TestJudge proves judge.Store, and TestListed listed.Store.
func TestJudge(t *testing.T, open func(t *testing.T) Records)  { prove(t, open, judgeCases()) }
func TestListed(t *testing.T, open func(t *testing.T) Records) { prove(t, open, listedCases()) }

// TestPlayers proves the stores of players, boards and faults.
func TestPlayers(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, playerCases(), faultCases())
}

// TestPromises proves what all methods promise: that it lasts, or has had no effect.
func TestPromises(t *testing.T, open func(t *testing.T) Records) {
	prove(t, open, promiseCases(), concurrencyCases())
}

func prove(t *testing.T, open func(t *testing.T) Records, suite ...[]storeCase) {
	for _, c := range slices.Concat(suite...) {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			c.prove(t, Stores{s, observe(t, s)})
		})
	}
}

// base is the time at which everything in a test begins: the present, as exact as
// every store keeps it.
func base() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// aMonday returns noon of the last Monday that is over, in UTC, so that a day later is of the same week on each day of a run.
func aMonday() time.Time {
	noon := time.Now().UTC().Truncate(aDay).Add(aDay / 2)
	return noon.AddDate(0, 0, -7+(7-int(noon.Weekday())+1)%7)
}

func sum(text string) sandlot.Digest { return sha256.Sum256([]byte(text)) }

// inline is a blob that brings its bytes.
func inline(text string) sandlot.Blob {
	return sandlot.Blob{Size: int64(len(text)), SHA256: sum(text), Text: true, Inline: []byte(text)}
}

// named is a blob whose bytes are elsewhere.
func named(ref string) sandlot.Blob {
	return sandlot.Blob{Ref: sandlot.BlobRef(ref), Size: int64(len(ref)), SHA256: sum(ref)}
}

// file is one whose name is folded already.
func file(name string, b sandlot.Blob) sandlot.File {
	return sandlot.File{Name: name, Folded: name, Blob: b}
}

func files(name string, b sandlot.Blob) []sandlot.File { return []sandlot.File{file(name, b)} }

func key(text string) sandlot.Key {
	return sandlot.Key{Hash: sum(text), Name: text, LastFour: "Ab12", CreatedAt: base()}
}

func job(address string, due time.Time) sandlot.Job {
	return sandlot.Job{
		Kind: "verify", Address: address, Lang: "de", Due: due,
		Asker: sandlot.Asker{Kind: sandlot.AskedWithKey, Network: sum("network")},
	}
}

// newAccount is one with a handle, and a key named after it.
func newAccount(handles ...string) publish.NewAccount {
	return publish.NewAccount{Handles: handles, Lang: "de", CreatedAt: base(), Key: key("key of " + handles[0])}
}

func newProject(id string, owner sandlot.AccountID) publish.NewProject {
	return publish.NewProject{
		ID: sandlot.ProjectID(id), Account: owner, Title: "Title of " + id, Described: publish.Described{Lang: "fr"}, Suffix: "first-" + id, CreatedAt: base(),
		Files: files("index.html", inline("<p>"+id)), Primary: "index.html", Key: key("key of project " + id),
	}
}

// mustAccount records an account.
func (s Stores) mustAccount(t *testing.T, na publish.NewAccount) sandlot.Account {
	t.Helper()
	return must(s.Publish.CreateAccount(t.Context(), na))(t)
}

// mustProject records a project of a new account with a handle of the same name.
func (s Stores) mustProject(t *testing.T, id string) sandlot.Project {
	t.Helper()
	a := s.mustAccount(t, newAccount(id))
	return must(s.Publish.CreateProject(t.Context(), newProject(id, a.ID)))(t)
}

// mustPut makes the next version of p with one file put.
func (s Stores) mustPut(t *testing.T, p sandlot.Project, f sandlot.File) sandlot.Project {
	t.Helper()
	return must(s.Publish.PutFile(t.Context(), p.ID, f, edit(p)))(t)
}

// edit is the next one of p.
func edit(p sandlot.Project) publish.Edit {
	return publish.Edit{At: base(), Expect: p.Version, Suffix: fmt.Sprintf("suffix-%d", p.Version+1)}
}

// must passes a result on, or ends the test with its error.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants fails the test unless err is want.
func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error is %v, want %v", what, err, want)
	}
}

// same fails the test unless got is want.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return // what Diff looks at takes it ten times as long
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s is not as it should be (-want +got):\n%s", what, diff)
	}
}

// fileStore is what has files, with their bytes.
type fileStore interface {
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
	Content(ctx context.Context, blobID int64) ([]byte, error)
}

// fileNames reads the names of a version's files.
func fileNames(t *testing.T, s fileStore, id sandlot.ProjectID, version int) []string {
	t.Helper()
	var names []string
	for _, f := range must(s.Files(t.Context(), id, version))(t) {
		names = append(names, f.Name)
	}
	return names
}

// texts reads the files of a version with their bytes.
func texts(t *testing.T, s fileStore, id sandlot.ProjectID, version int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range must(s.Files(t.Context(), id, version))(t) {
		all[f.Name] = text(t, s, f.Blob)
	}
	return all
}

func text(t *testing.T, s fileStore, b sandlot.Blob) string {
	t.Helper()
	return string(must(s.Content(t.Context(), b.ID))(t))
}

// background is for what goes on beside the test's own goroutine.
func background() context.Context { return context.Background() }
