package blocks_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const page = "<!doctype html>\n<title>Log in</title>\n<form>  <input type=password>\t</form>\n"

// node is a process with a blocklist.
type node struct {
	*testworld.World
	list    *blocks.Blocklist
	service *publish.Service
	admin   *blocks.Service
	db      sqlstore.DB // whose steps the service observes
}

func newNode(w *testworld.World) *node {
	n := &node{World: w, admin: &blocks.Service{Store: w.DB.Operate().Blocks(), Now: w.Now, Own: []string{"play.example.com"}}}
	networks := &blocks.Networks{Store: w.DB.Operate().Blocks(), Now: w.Now}
	n.list = &blocks.Blocklist{
		Store: w.DB.Operate().Blocks(), Networks: networks, Now: w.Now, Contact: "ops@example.com", Log: w.Log, Refused: blocks.Refusals(),
	}
	cfg := w.Config
	cfg.Blocklist, cfg.Networks = n.list, networks
	n.db = *w.DB
	n.service = w.AnotherOn(cfg, w.StoresOn(&n.db))
	return n
}

func me() sandlot.Caller { return sandlot.AsOperator("root") }

func from(network string) sandlot.Caller {
	return sandlot.Caller{From: sandlot.Sender{Network: network}}
}

// block adds a value.
func (n *node) block(t *testing.T, kind, value string) blocks.Entry {
	t.Helper()
	list, err := n.admin.Add(t.Context(), me(), kind, []string{value}, blocks.Terms{Reason: "phishing", Confirmed: true})
	expect.OK(t, err)
	return list[0]
}

func (n *node) publishAs(by sandlot.Caller, in publish.PublishInput, text string) (publish.Published, error) {
	if in.Email == "" && by.Nobody() {
		in.Email = "ada@mail.example"
	}
	in.Content = n.StageOn(n.service, text)
	out, _, err := n.service.Publish(context.Background(), by, in)
	return out, err
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func isBlocked(t *testing.T, err error) {
	t.Helper()
	e := testworld.Refused(t, err, sandlot.CodeBlocked)
	expect.Contains(t, "the hint", e.Fix.Note, "ops@example.com")
	for _, kind := range blocks.Kinds() {
		if strings.Contains(e.Message+e.Fix.Note, kind) {
			t.Errorf("the refusal names the rule %s: %s %s", kind, e.Message, e.Fix.Note)
		}
	}
}

func isTakenDown(t *testing.T, err error) {
	t.Helper()
	e := testworld.Refused(t, err, sandlot.CodeTakenDown)
	expect.Same(t, "its reason", e.Details[0], sandlot.Detail{Name: "reason", Value: "blocklist"})
	expect.Same(t, "its contact", e.Details[2], sandlot.Detail{Name: "appeal_url", Value: "mailto:ops@example.com"})
}

func TestABlockedCallIsRefusedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, value string
		in          publish.PublishInput
		by          sandlot.Caller
		text        string
	}{
		{blocks.Domain, "spam.example", publish.PublishInput{Email: "ada@mail.spam.example"}, testworld.Nobody(), page},
		{blocks.Mailbox, "Ada@mail.example", publish.PublishInput{Email: "ada+2@mail.example"}, testworld.Nobody(), page},
		{blocks.Word, "robux", publish.PublishInput{Title: "Free RÖBUX!"}, testworld.Nobody(), page},
		{blocks.Network, "203.0.113.0/24", publish.PublishInput{}, from("203.0.113.9"), page},
		{blocks.Network, "2001:db8::/32", publish.PublishInput{}, from("2001:db8:7::"), page},
		{blocks.Hash, hexSum(page), publish.PublishInput{}, testworld.Nobody(), page},
		{
			blocks.Text, hexSum(strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(page)),
			publish.PublishInput{},
			testworld.Nobody(),
			strings.ReplaceAll(page, "\n", "\r\n\n "),
		},
	} {
		t.Run(c.kind, func(t *testing.T) {
			n := newNode(testworld.New(t))
			_, err := n.publishAs(c.by, c.in, c.text)
			expect.OK(t, err, "before")
			e := n.block(t, c.kind, c.value)
			_, err = n.publishAs(c.by, c.in, c.text)
			dry := c.in
			dry.DryRun = true
			_, dryErr := n.publishAs(c.by, dry, c.text)
			for _, err := range []error{err, dryErr} {
				if c.kind == blocks.Hash || c.kind == blocks.Text {
					isTakenDown(t, err)
				} else {
					isBlocked(t, err)
				}
			}
			expect.Equal(t, "refusals of the kind", n.list.Refused.Get(c.kind), 2)
			_, err = n.publishAs(from("198.51.100.1"), publish.PublishInput{Title: "Marbles", Email: "kim@example.org"}, "<p>marbles")
			expect.OK(t, err, "another call")
			_, err = n.admin.Remove(t.Context(), me(), fmt.Sprint(e.ID), "a mistake")
			expect.OK(t, err)
			expect.OK(t, n.list.Follow(t.Context()))
			_, err = n.publishAs(c.by, c.in, c.text)
			expect.OK(t, err, "afterwards")
		})
	}
}

func TestEveryStepThatMakesAVersionIsChecked(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	out, err := n.publishAs(testworld.Nobody(), publish.PublishInput{Title: "Marbles"}, "<p>one")
	expect.OK(t, err)
	kim, id := n.CallerOf(out.Keys.Account), out.Project.ID
	update := func(text string) error {
		_, _, err := n.service.Update(t.Context(), kim, publish.UpdateInput{Project: string(id), Filename: "index.html", Content: n.StageOn(n.service, text)})
		return err
	}
	expect.OK(t, update("<p>two"))
	expect.OK(t, update("<p>three"))
	n.block(t, blocks.Hash, hexSum("<p>one"))
	isTakenDown(t, update("<p>one"))
	_, err = n.service.Restore(t.Context(), kim, publish.RestoreInput{Project: string(id), Version: 1})
	isTakenDown(t, err)
	_, err = n.service.Restore(t.Context(), kim, publish.RestoreInput{Project: string(id), Version: 2})
	expect.OK(t, err, "another version")
	tree := n.Tree("index.html", "<p>four", "a.html", "<p>one")
	_, _, err = n.service.Update(t.Context(), kim, publish.UpdateInput{Project: string(id), Many: publish.Many{Tree: tree}})
	isTakenDown(t, err)

	n.block(t, blocks.Word, "robux")
	title := "Free robux"
	_, _, err = n.service.Update(t.Context(), kim, publish.UpdateInput{
		Project: string(id), Filename: "index.html", Title: &title, Content: n.StageOn(n.service, "<p>five"),
	})
	isBlocked(t, err)
	_, err = n.service.Amend(t.Context(), kim, string(id), publish.AmendInput{Title: &title})
	isBlocked(t, err)
	isBlocked(t, n.service.Describe(t.Context(), n.OwnerOf(kim.Account()), id, publish.DescribeInput{Details: publish.Details{Title: title}}))
	expect.OK(t, n.service.Describe(t.Context(), n.OwnerOf(kim.Account()), id, publish.DescribeInput{Details: publish.Details{Title: "Marbles 2"}}))

	n.block(t, blocks.Domain, "spam.example")
	_, _, err = n.service.Update(t.Context(), kim, publish.UpdateInput{
		Project: string(id), Filename: "index.html", Email: "a@spam.example", Content: n.StageOn(n.service, "<p>six"),
	})
	isBlocked(t, err)
	_, err = n.service.DeleteFile(t.Context(), kim, publish.DeleteInput{Project: string(id), Filename: "index.html", Email: "a@spam.example"})
	if err == nil {
		t.Error("the primary file was deleted")
	}
	_, err = n.service.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Email: "a@spam.example"})
	isBlocked(t, err)
	n.block(t, blocks.Network, "203.0.113.0/24")
	_, err = n.service.Signup(t.Context(), from("203.0.113.1"), publish.SignupInput{})
	isBlocked(t, err)
}

func TestAnImportIsCheckedForItsContentsAlsoTheOperators(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	owner := n.NewAccount()
	adopt := func(by sandlot.Caller) error {
		_, err := n.service.Adopt(t.Context(), by, publish.Adoption{
			Account: owner.Account(), FirstOf: 9,
			Stage: func(ctx context.Context, now time.Time) (publish.NewProject, []sandlot.Warning, error) {
				c := n.StageOn(n.service, "<p>kit")
				f := sandlot.File{Name: "index.html", Folded: "index.html", Blob: c.Blob}
				return publish.NewProject{Title: "Marbles", Files: []sandlot.File{f}, Primary: "index.html", CreatedAt: now}, nil, nil
			},
		})
		return err
	}
	expect.OK(t, adopt(me()))
	n.block(t, blocks.Network, testworld.Network)
	isBlocked(t, adopt(owner))
	expect.OK(t, adopt(me()), "the operator's from anywhere")
	n.block(t, blocks.Hash, hexSum("<p>kit"))
	isTakenDown(t, adopt(me()))
}

func TestABlockedAddressIsConfirmedByNoLink(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	cfg := account.Config{Blocklist: n.list}
	accounts, err := account.New(t.Context(), cfg, n.db.Account().Stores(), account.WithClock(n.Now))
	expect.OK(t, err)
	out, err := n.publishAs(testworld.Nobody(), publish.PublishInput{Email: "a@spam.example"}, page)
	expect.OK(t, err)
	token := n.Token("/verify")
	kim, _, _ := n.Owned("kim@example.org", "<p>kim")
	owner := n.OwnerOf(kim.ID)
	expect.OK(t, accounts.ProposeEmail(t.Context(), owner, "kim@spam.example", "en"))
	link := n.Token("/account/email")
	e := n.block(t, blocks.Domain, "spam.example")
	_, err = accounts.Verify(t.Context(), testworld.Nobody(), token)
	isBlocked(t, err)
	_, err = accounts.TakeEmail(t.Context(), testworld.Nobody(), link)
	isBlocked(t, err)
	isBlocked(t, accounts.ProposeEmail(t.Context(), owner, "kim@mail.spam.example", "en"))
	guests := &connect.Service{Store: n.db.Account(), Logins: accounts.Logins, Now: n.Now, Blocklist: n.list}
	_, err = guests.AskLogin(t.Context(), testworld.Nobody(), string(out.Keys.Connect), account.LoginInput{Email: "b@spam.example"})
	isBlocked(t, err)
	_, err = n.admin.Remove(t.Context(), me(), fmt.Sprint(e.ID), "")
	expect.OK(t, err)
	expect.OK(t, n.list.Follow(t.Context()))
	_, err = accounts.Verify(t.Context(), testworld.Nobody(), token)
	expect.OK(t, err, "the link afterwards")
	_, err = accounts.TakeEmail(t.Context(), testworld.Nobody(), link)
	expect.OK(t, err, "the other link afterwards")
}

// TestNothingBlockedIsAcknowledgedAfterwards publishes from several goroutines on three nodes while an entry is added.
func TestNothingBlockedIsAcknowledgedAfterwards(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	nodes := []*node{newNode(w), newNode(w.Node(t)), newNode(w.Node(t))}
	var added atomic.Bool
	var early, late atomic.Int64
	var working sync.WaitGroup
	var begun sync.WaitGroup
	begun.Add(len(nodes))
	for i, n := range nodes {
		working.Go(func() { // more writers of one file of SQLite wait too long for each other
			begins := sync.OnceFunc(begun.Done)
			defer begins()
			for refused := 0; refused < 3; {
				isLate := added.Load()
				_, err := n.publishAs(from(fmt.Sprintf("198.51.100.%d", 10*i)), publish.PublishInput{}, page)
				begins()
				switch {
				case err == nil && isLate:
					late.Add(1)
					return
				case err == nil:
					early.Add(1)
				case errors.Is(err, sandlot.CodeTakenDown):
					refused++
				default:
					t.Errorf("publish: %v", err)
					return
				}
			}
		})
	}
	begun.Wait()
	nodes[0].block(t, blocks.Hash, hexSum(page))
	added.Store(true)
	working.Wait()
	expect.Equal(t, "publishes that began after the entry and were acknowledged", late.Load(), 0)
	if early.Load() == 0 {
		t.Error("nothing was published before")
	}
}

func TestANodeFollowsAnother(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	one, two, three := newNode(w), newNode(w.Node(t)), newNode(w.Node(t))
	for _, n := range []*node{two, three} {
		expect.OK(t, n.list.Follow(t.Context()))
	}
	one.block(t, blocks.Word, "robux")
	for _, n := range []*node{one, two, three} {
		_, err := n.publishAs(testworld.Nobody(), publish.PublishInput{Title: "Robux"}, page)
		isBlocked(t, err)
	}
	expect.Equal(t, "values of the third", three.list.Counts()[blocks.Word], 1)
	one.block(t, blocks.Word, "casino")
	expect.OK(t, three.list.Follow(t.Context()))
	expect.Equal(t, "values of the third", three.list.Counts()[blocks.Word], 2)
}

func TestAnEntryEndsByItself(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	terms := blocks.Terms{Reason: "phishing", Until: n.Now().Add(time.Hour)}
	_, err := n.admin.Add(t.Context(), me(), blocks.Word, []string{"robux"}, terms)
	expect.OK(t, err)
	_, err = n.publishAs(testworld.Nobody(), publish.PublishInput{Title: "Robux"}, page)
	isBlocked(t, err)
	n.Clock.Move(time.Hour)
	_, err = n.publishAs(testworld.Nobody(), publish.PublishInput{Title: "Robux"}, page)
	expect.OK(t, err)
	_, err = n.admin.Add(t.Context(), me(), blocks.Word, []string{"robux"}, terms)
	expect.Contains(t, "an end that is over", fmt.Sprint(err), "is over already")
}

func TestRiskyAndBadValuesAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	terms := blocks.Terms{Reason: "spam"}
	n.Owned("kim@example.org", "<p>kim")
	for _, c := range [][2]string{
		{blocks.Hash, hexSum("")},
		{blocks.Hash, hexSum("<p>kim")}, // of an account with a verified address
		{blocks.Text, hexSum("")},
		{blocks.Network, "0.0.0.0/0"},
		{blocks.Network, "::/0"},
		{blocks.Network, "10.1.0.0/16"},
		{blocks.Domain, "example.com"},
		{blocks.Word, "tax"},
	} {
		_, err := n.admin.Add(t.Context(), me(), c[0], []string{c[1]}, terms)
		expect.Contains(t, c[1], fmt.Sprint(err), "confirm it with --yes")
	}
	_, err := n.admin.Add(t.Context(), me(), blocks.Word, []string{"robux", "two words"}, terms)
	expect.Contains(t, "a bad value", fmt.Sprint(err), "not one word")
	_, err = n.admin.Add(t.Context(), me(), blocks.Publisher, []string{hexSum("x")}, terms)
	expect.Contains(t, "a network's hash", fmt.Sprint(err), "--network-of")
	_, err = n.admin.Add(t.Context(), me(), blocks.Word, []string{"robux"}, blocks.Terms{Reason: " "})
	expect.Contains(t, "no reason", fmt.Sprint(err), "a reason is required")
	_, err = n.admin.AddList(t.Context(), me(), "spam", blocks.Word, strings.NewReader("robux\ncasino"), terms)
	expect.OK(t, err)
	_, err = n.admin.AddList(t.Context(), me(), "spam", blocks.Word, strings.NewReader("zebra\n\xff\xfe\n"), terms)
	var at blocks.LineError
	if !errors.As(err, &at) || at.Line != 2 {
		t.Errorf("a list with rubbish: %v", err)
	}
	_, err = n.admin.AddList(t.Context(), me(), "12", blocks.Word, strings.NewReader("zebra"), terms)
	expect.Contains(t, "a number for a name", fmt.Sprint(err), "no number")
	_, err = n.admin.Remove(t.Context(), me(), "12", "")
	expect.Is(t, "a missing entry", err, sandlot.ErrNotFound)
	list, err := n.admin.Entries(t.Context(), me(), 0, 9)
	expect.OK(t, err)
	expect.Equal(t, "entries", len(list), 0)
	_, err = n.publishAs(testworld.Nobody(), publish.PublishInput{Title: "My robux"}, page)
	isBlocked(t, err) // by the list that stayed
}

func TestANetworkIsBlockedByAProjectAndReadByNobody(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	const bad = "203.0.113.77"
	out, err := n.publishAs(from(bad), publish.PublishInput{}, page)
	expect.OK(t, err)
	near, err := n.publishAs(from("203.0.113.78"), publish.PublishInput{}, page)
	expect.OK(t, err)
	_, err = n.publishAs(from("198.51.100.1"), publish.PublishInput{}, page)
	expect.OK(t, err)
	found, err := n.admin.Neighbours(t.Context(), me(), out.Project.Account, 9)
	expect.OK(t, err)
	expect.Same(t, "neighbours", found, []blocks.Neighbour{{Account: near.Project.Account}})

	list, err := n.admin.AddNetworksOf(t.Context(), me(), out.Project.Account, blocks.Terms{Reason: "phishing"})
	expect.OK(t, err)
	expect.Equal(t, "until", list[0].Until.Format(time.DateOnly), "2026-07-01") // the key of May
	_, err = n.publishAs(from(bad), publish.PublishInput{}, "<p>other")
	isBlocked(t, err)
	_, err = n.publishAs(from("203.0.113.78"), publish.PublishInput{}, page)
	expect.OK(t, err, "its neighbour")
	maker, key, _ := n.Owned("kim@example.org", "<p>kim")
	key.From.Network = bad
	_, err = n.publishAs(key, publish.PublishInput{}, "<p>honest")
	expect.OK(t, err, "a verified maker from there: "+maker.Handle)
	guest := n.NewAccount()
	guest.From.Network = bad
	_, err = n.publishAs(guest, publish.PublishInput{}, "<p>guest")
	isBlocked(t, err)

	n.Clock.Move(28 * 24 * time.Hour) // June: another key
	_, err = n.publishAs(from(bad), publish.PublishInput{}, page)
	isBlocked(t, err)
	n.Clock.Move(30 * 24 * time.Hour) // July
	_, err = n.publishAs(from(bad), publish.PublishInput{}, page)
	expect.OK(t, err, "once the key is gone")

	for table, rows := range n.Rows() {
		for _, row := range rows {
			if strings.Contains(row, bad) || strings.Contains(strings.ToLower(row), hex.EncodeToString([]byte(bad))) {
				t.Errorf("the table %s has the address: %s", table, row)
			}
		}
	}
	if strings.Contains(n.Logs.String(), bad) {
		t.Error("the log has the address")
	}
}

func TestNetworksThatProveNothingAreNotHashed(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	n := &blocks.Networks{Store: w.DB.Operate().Blocks(), Now: w.Now}
	of := func(s sandlot.Sender) publish.Publisher {
		p, err := n.Of(t.Context(), s)
		expect.OK(t, err)
		return p
	}
	for _, s := range []sandlot.Sender{{}, {Network: "zero"}, {Network: "203.0.113.7", Shared: true}, {Network: "127.0.0.1", Free: true}} {
		expect.Equal(t, s.Network, of(s), publish.Publisher{})
	}
	six, same, other := of(sandlot.Sender{Network: "2001:db8:1:2::"}), of(sandlot.Sender{Network: "2001:db8:1:2::7"}), of(sandlot.Sender{Network: "2001:db8:1:3::"})
	expect.Equal(t, "the /64", six.Network, same.Network)
	expect.Equal(t, "the /48", six.Wide, other.Wide)
	if six.Network == other.Network {
		t.Error("two /64 have one hash")
	}
	w.Clock.Move(31 * 24 * time.Hour)
	if of(sandlot.Sender{Network: "2001:db8:1:2::"}) == six {
		t.Error("the hash is the same a month later")
	}
}

func TestPagesAreBlockedAndLibrariesAreNot(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	n.Owned("kim@example.org", "<p>a template that a verified maker has")
	kit := n.Tree("index.html", page, "template.html", "<p>a template that a verified maker has", "phaser.min.js", "library", "empty.html", "")
	out, _, err := n.service.Publish(t.Context(), testworld.Nobody(), publish.PublishInput{Email: "ada@mail.example", Tree: kit})
	expect.OK(t, err)
	pages, err := n.admin.PagesOf(t.Context(), me(), out.Project.Account, []sandlot.Project{out.Project})
	expect.OK(t, err)
	names := func(list []blocks.Page) (names []string) {
		for _, p := range list {
			names = append(names, p.Name)
		}
		return names
	}
	expect.Same(t, "blocked", names(pages.Blocked), []string{"index.html"})
	expect.Same(t, "shared", names(pages.Shared), []string{"template.html"})
	expect.Same(t, "others", names(pages.Other), []string{"empty.html", "phaser.min.js"})
	texts := blocks.Texts{pages.Blocked[0].Blob.SHA256: blocks.TextSum([]byte(page))}
	err = n.admin.SuspendPages(t.Context(), me(), sandlot.Subject{Project: out.Project.ID}, string(out.Project.ID), pages.Blocked, texts, blocks.Terms{Reason: "phishing"})
	expect.OK(t, err)
	for i, text := range []string{page, strings.ReplaceAll(page, " ", "\n")} {
		_, err = n.publishAs(from(fmt.Sprint("198.51.100.", i)), publish.PublishInput{}, text)
		isTakenDown(t, err)
	}
	_, err = n.publishAs(testworld.Nobody(), publish.PublishInput{}, "library")
	expect.OK(t, err, "the library")
	err = n.admin.SuspendPages(t.Context(), me(), sandlot.Subject{Project: out.Project.ID}, string(out.Project.ID), pages.Blocked, texts, blocks.Terms{Reason: "phishing"})
	expect.Contains(t, "again", fmt.Sprint(err), "suspended already")
}

func TestAChangeReadsNoListAgainThatIsInMemory(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	var values bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&values, "%064x\n", i)
	}
	_, err := n.admin.AddList(t.Context(), me(), "kits", blocks.Hash, &values, blocks.Terms{Reason: "weekly"})
	expect.OK(t, err)
	expect.OK(t, n.list.Follow(t.Context()))
	n.block(t, blocks.Word, "robux")
	n.Exec("UPDATE blocklists SET body = x'00'") // would be read as an empty list
	expect.OK(t, n.list.Follow(t.Context()))
	expect.Equal(t, "words", n.list.Counts()[blocks.Word], 1)
	n.block(t, blocks.Hash, hexSum("<p>other"))
	_, err = n.list.Check(t.Context(), testworld.Nobody(), publish.Screening{New: []sandlot.File{{Blob: sandlot.Blob{SHA256: sandlot.Digest{31: 7}}}}})
	isTakenDown(t, err)
}

func TestTheListThatWasReadStaysWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	n := newNode(testworld.New(t))
	n.block(t, blocks.Word, "robux")
	expect.OK(t, n.list.Follow(t.Context()))
	away, cancel := context.WithCancel(t.Context())
	cancel()
	n.list.Moved()
	_, err := n.list.Check(away, testworld.Nobody(), publish.Screening{Title: "x"})
	expect.Is(t, "a check that must read and cannot", err, context.Canceled)
	_, err = n.list.Check(t.Context(), testworld.Nobody(), publish.Screening{Title: "robux"})
	isBlocked(t, err)
}

// TestOnlyTheOperatorChangesTheBlocklist calls every method of the Service as every kind of caller.
func TestOnlyTheOperatorChangesTheBlocklist(t *testing.T) {
	t.Parallel()
	service, gates := reflect.TypeFor[*blocks.Service](), map[string]testworld.Gate{}
	for i := range service.NumMethod() {
		gates[service.Method(i).Name] = testworld.Gate{
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				if err := call(t, s, i, by); errors.Is(err, sandlot.ErrOperatorNeeded) {
					return err
				}
				return nil // whatever became of arguments that mean nothing
			},
			Want: func(seen testworld.Seen) error {
				if seen.Who == "the operator" {
					return nil
				}
				return sandlot.ErrOperatorNeeded
			},
		}
	}
	testworld.CheckAccess(t, service, nil, gates)
}

// call calls a method with a word for each text, and with nothing for each other argument.
func call(t *testing.T, s *testworld.Scene, method int, by sandlot.Caller) error {
	m := reflect.ValueOf(&blocks.Service{Store: s.DB.Operate().Blocks(), Now: s.Now}).Method(method)
	args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(by)}
	for in := 2; in < m.Type().NumIn(); in++ {
		arg := reflect.New(m.Type().In(in)).Elem()
		switch {
		case arg.Kind() == reflect.String:
			arg.SetString("word")
		case arg.Type() == reflect.TypeFor[blocks.Terms]():
			arg.Set(reflect.ValueOf(blocks.Terms{Reason: "spam"}))
		case arg.Kind() == reflect.Interface:
			arg.Set(reflect.ValueOf(strings.NewReader("value")))
		}
		args = append(args, arg)
	}
	results := m.Call(args)
	err, _ := results[len(results)-1].Interface().(error)
	return err
}
