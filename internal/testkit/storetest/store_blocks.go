package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/publish"
)

// blockCases prove blocks.Store, and its promises about the steps of other stores.
func blockCases() []storeCase {
	return []storeCase{
		{"AddBlocks/adds entries, or replaces those with the value, with an entry of the log and a next number each", addBlocks},
		{"PutList/replaces the list of that name; Load leaves out the bodies that are known", putList},
		{"Unblock/removes an entry or a list; a missing one is ErrNotFound", unblock},
		{"Blocks/a step that was checked against another list is ErrBlocksMoved, and has no effect", checkedSteps},
		{"Blocks/no step that was checked before is done after AddBlocks has returned", blocksRace},
		{"SuspendAndBlock/does both, or neither", suspendAndBlock},
		{"Shared/returns the hashes that others with a verified address have, too", sharedHashes},
		{"Publishers/are recorded of accounts without a verified address, and forgotten once it is verified", publishers},
		{"Publishers/are forgotten with the account, with its projects' move, and after 30 days", publishersEnd},
		{"Neighbours/share a wider network, first those that share the narrow one", neighbours},
		{"Sweep/forgets entries and lists that have ended, and keys of months that are long over", sweepBlocks},
	}
}

func block(kind, value string) blocks.Entry {
	return blocks.Entry{Kind: kind, Value: value, Reason: "phishing", By: "root", At: base()}
}

func mustBlock(t *testing.T, s Stores, e blocks.Entry) blocks.Entry {
	t.Helper()
	return must(s.Blocks.AddBlocks(t.Context(), []blocks.Entry{e}, entry(sandlot.ActionBlock, "")))(t)[0]
}

func generationOf(t *testing.T, s Stores) int64 {
	t.Helper()
	return must(s.Blocks.Generation(t.Context()))(t)
}

func addBlocks(t *testing.T, s Stores) {
	first := generationOf(t, s)
	same(t, "at first", first, 1)
	word, ends := block(blocks.Word, "roblox"), block(blocks.Mailbox, "ab12")
	ends.Until = base().Add(time.Hour)
	e := entry(sandlot.ActionBlock, "")
	list := must(s.Blocks.AddBlocks(t.Context(), []blocks.Entry{word, ends}, e))(t)
	word.ID, ends.ID = list[0].ID, list[1].ID
	same(t, "what was added", list, []blocks.Entry{word, ends})
	e.Target, e.Reason = ends.Name(), "mailbox: phishing"
	s.logged(t, e)
	e.Target, e.Reason = word.Name(), "word roblox: phishing"
	same(t, "the log", must(s.Operate.Log(t.Context(), logOf(e.Target)))(t)[0].Reason, e.Reason)
	second := generationOf(t, s)
	if second <= first {
		t.Errorf("the number is %d after %d", second, first)
	}
	again := block(blocks.Word, "roblox")
	again.Reason = "another"
	same(t, "its number", mustBlock(t, s, again).ID, word.ID)
	again.ID = word.ID
	same(t, "the list", must(s.Blocks.Blocked(t.Context(), 0, 9))(t), []blocks.Entry{again, ends})
	same(t, "the next page", must(s.Blocks.Blocked(t.Context(), again.ID, 9))(t), []blocks.Entry{ends})
	loaded := must(s.Blocks.Load(t.Context(), nil))(t)
	same(t, "loaded", loaded, blocks.Loaded{Generation: generationOf(t, s), Entries: []blocks.Entry{again, ends}})
	if loaded.Generation <= second {
		t.Errorf("the number is %d after %d", loaded.Generation, second)
	}
}

func putList(t *testing.T, s Stores) {
	l := blocks.List{Name: "spam", Kind: blocks.Word, Lines: 2, Reason: "weekly", By: "root", At: base(), Body: []byte("casino\nroblox")}
	e := entry(sandlot.ActionBlock, "blocklist:spam")
	ok(t, s.Blocks.PutList(t.Context(), l, e))
	s.logged(t, e)
	l.Generation = generationOf(t, s)
	loaded := must(s.Blocks.Load(t.Context(), nil))(t)
	same(t, "loaded", loaded.Lists, []blocks.List{l})
	known := map[int64]blocks.List{l.Generation: {Name: "of before"}}
	same(t, "what is known", must(s.Blocks.Load(t.Context(), known))(t).Lists, []blocks.List{{Name: "of before"}})
	l.Body = nil
	same(t, "listed", must(s.Blocks.Lists(t.Context()))(t), []blocks.List{l})
	l.Body, l.Lines, l.Until = []byte("tax"), 1, base().Add(time.Hour)
	ok(t, s.Blocks.PutList(t.Context(), l, e))
	l.Generation = generationOf(t, s)
	same(t, "replaced", must(s.Blocks.Load(t.Context(), known))(t).Lists, []blocks.List{l})
}

func unblock(t *testing.T, s Stores) {
	one, two := mustBlock(t, s, block(blocks.Word, "one")), mustBlock(t, s, block(blocks.Word, "two"))
	l := blocks.List{Name: "l", Kind: blocks.Word, At: base(), Body: []byte("x")}
	ok(t, s.Blocks.PutList(t.Context(), l, entry(sandlot.ActionBlock, "blocklist:l")))
	before := generationOf(t, s)
	e := entry(sandlot.ActionUnblock, one.Name())
	ok(t, s.Blocks.Unblock(t.Context(), one.ID, "", e))
	s.logged(t, e)
	ok(t, s.Blocks.Unblock(t.Context(), 0, "l", entry(sandlot.ActionUnblock, "blocklist:l")))
	left := blocks.Loaded{Generation: generationOf(t, s), Entries: []blocks.Entry{two}}
	same(t, "what is left", must(s.Blocks.Load(t.Context(), nil))(t), left)
	if generationOf(t, s) <= before {
		t.Error("the number stayed")
	}
	before = generationOf(t, s)
	wants(t, "an entry again", s.Blocks.Unblock(t.Context(), one.ID, "", e), sandlot.ErrNotFound)
	wants(t, "a list again", s.Blocks.Unblock(t.Context(), 0, "l", e), sandlot.ErrNotFound)
	same(t, "the number", generationOf(t, s), before)
}

func checkedSteps(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	lost := s.mustProject(t, "lost")
	mustRemove(t, s, lost.ID)
	na := newAccount("ann")
	na.Email = "ann@example.com"
	ann := s.mustAccount(t, na)
	s.mustVerification(t, ann, "link", base().Add(time.Hour))
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "new@example.com", "move")
	title := "new"
	at := func(checked int64) publish.Edit {
		e := edit(p)
		e.Blocks = checked
		return e
	}
	steps := []struct {
		name string
		step func(checked int64) error
	}{
		{"CreateProject", func(n int64) error {
			np := newProject("new", ann.ID)
			np.Blocks = n
			return drop(s.Publish.CreateProject(t.Context(), np))
		}},
		{"CreateAccount", func(n int64) error {
			na := newAccount("new")
			na.Blocks = n
			return drop(s.Publish.CreateAccount(t.Context(), na))
		}},
		{"PutFile", func(n int64) error {
			return drop(s.Publish.PutFile(t.Context(), p.ID, file("b.js", inline("b")), at(n)))
		}},
		{"DeleteFile", func(n int64) error { return drop(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", at(n))) }},
		{"Rearrange", func(n int64) error {
			return drop(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: files("c.js", inline("c"))}, at(n)))
		}},
		{"SetDetails", func(n int64) error {
			return s.Management.SetDetails(t.Context(), p.ID, publish.DetailsChange{Title: &title, Blocks: n})
		}},
		{"RecoverProject", func(n int64) error {
			np := lostProject(string(lost.ID), lost.Account)
			np.Blocks = n
			return drop(s.Management.RecoverProject(t.Context(), np))
		}},
		{"SetEmail", func(n int64) error {
			return s.Publish.SetEmail(t.Context(), ann.ID, "ann@example.com", sandlot.Job{}, n)
		}},
		{"UseVerification", func(n int64) error { return drop(s.Accounts.UseVerification(t.Context(), sum("link"), base(), n)) }},
		{"TakeEmail", func(n int64) error {
			notice := sandlot.Job{Kind: "notice", Due: base()}
			return drop(s.Accounts.TakeEmail(t.Context(), token("move"), base(), base().Add(undoLife), notice, n))
		}},
		{"OpenAccount", func(n int64) error {
			person1 := account.NewPerson{Handles: []string{"max"}, CreatedAt: base(), Blocks: n}
			return drop(s.Identities.OpenAccount(t.Context(), person("1"), person1))
		}},
	}
	old := generationOf(t, s)
	mustBlock(t, s, block(blocks.Word, "roblox"))
	for _, c := range steps {
		wants(t, c.name+" of an older list", c.step(old), sandlot.ErrBlocksMoved)
		wants(t, c.name+" of no list that was", c.step(old+1000), sandlot.ErrBlocksMoved)
	}
	for _, c := range steps { // each would fail if one of those had had an effect
		wants(t, c.name, c.step(generationOf(t, s)), nil)
		if now, err := s.Publish.Project(t.Context(), p.ID); err == nil {
			p = now
		}
	}
}

// blocksRace has accounts made all the time while an entry is added.
func blocksRace(t *testing.T, s Stores) {
	old := generationOf(t, s)
	var working sync.WaitGroup
	var added sync.Map // whether AddBlocks had returned when the step began
	stop, isAdded := make(chan struct{}), make(chan struct{})
	for i := range 4 {
		working.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				late := false
				select {
				case <-isAdded:
					late = true
				default:
				}
				na := newAccount(fmt.Sprintf("a-%d-%d", i, n))
				na.Blocks = old
				if err := drop(s.Publish.CreateAccount(background(), na)); err == nil && late {
					added.Store(na.Handles[0], true)
				} else if err != nil && !errors.Is(err, sandlot.ErrBlocksMoved) {
					added.Store(err.Error(), true)
				} else if late {
					return
				}
			}
		})
	}
	mustBlock(t, s, block(blocks.Word, "roblox"))
	close(isAdded)
	na := newAccount("late")
	na.Blocks = old
	wants(t, "afterwards", drop(s.Publish.CreateAccount(t.Context(), na)), sandlot.ErrBlocksMoved)
	working.Wait()
	close(stop)
	added.Range(func(handle, _ any) bool {
		t.Errorf("%v was made after the entry", handle)
		return true
	})
}

func suspendAndBlock(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	e := entry(sandlot.ActionSuspend, "pong")
	list := []blocks.Entry{block(blocks.Hash, "aa")}
	ok(t, s.Blocks.SuspendAndBlock(t.Context(), ofProject(p.ID), list, e))
	same(t, "suspended", must(s.Publish.Project(t.Context(), p.ID))(t).Suspended, true)
	blocked := must(s.Blocks.Blocked(t.Context(), 0, 9))(t)
	same(t, "blocked", []string{blocked[0].Kind, blocked[0].Value}, []string{blocks.Hash, "aa"})
	e.Action, e.Target, e.Reason = sandlot.ActionBlock, blocked[0].Name(), "hash aa: phishing"
	s.logged(t, e)
	list[0].Value = "bb"
	wants(t, "again", s.Blocks.SuspendAndBlock(t.Context(), ofProject(p.ID), list, e), sandlot.ErrExists)
	same(t, "blocked then", len(must(s.Blocks.Blocked(t.Context(), 0, 9))(t)), 1)
	kim := s.verified(t, "kim", "kim@example.com")
	ok(t, s.Blocks.SuspendAndBlock(t.Context(), ofAccount(kim.ID), list, entry(sandlot.ActionSuspend, "@kim")))
	same(t, "the account", must(s.Publish.Account(t.Context(), kim.ID))(t).Suspended, true)
}

func sharedHashes(t *testing.T, s Stores) {
	own, kim := s.mustProject(t, "own"), s.verified(t, "kim", "kim@example.com")
	other := s.mustPut(t, s.mustProject(t, "other"), file("b.js", inline("of an unverified one")))
	np := newProject("pong", kim.ID)
	np.Files = append(np.Files, file("a.js", inline("library")))
	must(s.Publish.CreateProject(t.Context(), np))(t)
	hashes := []sandlot.Digest{sum("library"), sum("of an unverified one"), sum("<p>own"), sum("nothing")}
	same(t, "of others", must(s.Blocks.Shared(t.Context(), hashes, own.Account))(t), hashes[:1])
	same(t, "of itself", must(s.Blocks.Shared(t.Context(), hashes, kim.ID))(t), nil)
	same(t, "no hashes", must(s.Blocks.Shared(t.Context(), nil, other.Account))(t), nil)
	mustRemove(t, s, "pong")
	same(t, "of a deleted project", must(s.Blocks.Shared(t.Context(), hashes, own.Account))(t), nil)
}

func network(name string) publish.Publisher {
	return publish.Publisher{Network: sum("network " + name), Wide: sum("wide " + name[:1])}
}

// publishedFrom records a project of an account from a network.
func publishedFrom(t *testing.T, s Stores, owner sandlot.AccountID, id, from string) sandlot.Project {
	t.Helper()
	np := newProject(id, owner)
	np.Publisher = network(from)
	return must(s.Publish.CreateProject(t.Context(), np))(t)
}

func networksOf(t *testing.T, s Stores, id sandlot.AccountID) (list []sandlot.Digest) {
	t.Helper()
	for _, p := range must(s.Blocks.Publishers(t.Context(), id))(t) {
		list = append(list, p.Network)
	}
	return list
}

func publishers(t *testing.T, s Stores) {
	na := newAccount("ann")
	na.Email = "ann@example.com"
	ann := s.mustAccount(t, na)
	p := publishedFrom(t, s, ann.ID, "pong", "a1")
	same(t, "its network", networksOf(t, s, ann.ID), []sandlot.Digest{network("a1").Network})
	at := edit(p)
	at.Publisher, at.At = network("b1"), base().Add(time.Second)
	p = must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at))(t)
	same(t, "and another", networksOf(t, s, ann.ID), []sandlot.Digest{network("b1").Network, network("a1").Network})
	same(t, "vouched for", must(s.Blocks.Vouched(t.Context(), ann.ID))(t), false)

	s.mustVerification(t, ann, "link", base().Add(time.Hour))
	must(s.Accounts.UseVerification(t.Context(), sum("link"), base(), 0))(t)
	same(t, "once it is verified", networksOf(t, s, ann.ID), nil)
	same(t, "vouched for then", must(s.Blocks.Vouched(t.Context(), ann.ID))(t), true)
	at = edit(p)
	at.Publisher = network("b1")
	must(s.Publish.PutFile(t.Context(), p.ID, file("b.js", inline("b")), at))(t)
	publishedFrom(t, s, ann.ID, "more", "a1")
	same(t, "published then", networksOf(t, s, ann.ID), nil)

	np := newProject("first", 0)
	guest := newAccount("guest")
	np.New, np.Publisher = &guest, network("c1")
	made := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "of a new account", networksOf(t, s, made.Account), []sandlot.Digest{network("c1").Network})
}

func publishersEnd(t *testing.T, s Stores) {
	gone := s.mustAccount(t, newAccount("gone"))
	publishedFrom(t, s, gone.ID, "one", "a1")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(gone.ID), entry(sandlot.ActionDelete, "@gone")))
	same(t, "of a deleted account", s.Rows(t, "publishers"), 0)

	guest, kim := s.guest(t, "guest"), s.verified(t, "kim", "kim@example.com")
	at := edit(guest)
	at.Publisher = network("a1")
	must(s.Publish.PutFile(t.Context(), guest.ID, file("a.js", inline("a")), at))(t)
	same(t, "of a guest", s.Rows(t, "publishers"), 1)
	ok(t, s.connect(t, "guest", kim.ID))
	same(t, "of a connected one", s.Rows(t, "publishers"), 0)

	old := s.mustAccount(t, newAccount("old"))
	publishedFrom(t, s, old.ID, "two", "a1")
	s.sweep(t, base().Add(blocks.NetworksKept-time.Hour), base())
	same(t, "within 30 days", s.Rows(t, "publishers"), 1)
	s.sweep(t, base().Add(blocks.NetworksKept+time.Hour), base())
	same(t, "after 30 days", s.Rows(t, "publishers"), 0)
}

func neighbours(t *testing.T, s Stores) {
	var of []sandlot.AccountID
	for i, from := range []string{"a1", "a1", "a2", "b1", "a1"} {
		a := s.mustAccount(t, newAccount(fmt.Sprint("kim-", i)))
		publishedFrom(t, s, a.ID, fmt.Sprint("pong-", i), from)
		of = append(of, a.ID)
	}
	want := []blocks.Neighbour{{Account: of[4], Same: true}, {Account: of[1], Same: true}, {Account: of[2]}}
	same(t, "of the first", must(s.Blocks.Neighbours(t.Context(), of[0], 9))(t), want)
	same(t, "at most two", must(s.Blocks.Neighbours(t.Context(), of[0], 2))(t), want[:2])
	same(t, "of one alone", must(s.Blocks.Neighbours(t.Context(), of[3], 9))(t), nil)
}

func sweepBlocks(t *testing.T, s Stores) {
	stays, ends := mustBlock(t, s, block(blocks.Word, "stays")), block(blocks.Word, "ends")
	ends.Until = base().Add(time.Hour)
	mustBlock(t, s, ends)
	l := blocks.List{Name: "ends", Kind: blocks.Word, At: base(), Until: ends.Until, Body: []byte("x")}
	ok(t, s.Blocks.PutList(t.Context(), l, entry(sandlot.ActionBlock, "blocklist:ends")))
	now := time.Date(base().Year()+1, time.March, 30, 0, 0, 0, 0, time.UTC) // March's and February's keys are still of use
	for _, month := range []string{"01", "02", "03"} {
		must(s.Publish.Secret(t.Context(), fmt.Sprint("network ", now.Year(), "-", month), []byte("key")))(t)
	}
	s.sweep(t, base().Add(time.Minute), base())
	same(t, "before the end", len(must(s.Blocks.Blocked(t.Context(), 0, 9))(t)), 2)
	s.sweep(t, now, base())
	same(t, "after it", must(s.Blocks.Load(t.Context(), nil))(t).Entries, []blocks.Entry{stays})
	same(t, "lists after it", len(must(s.Blocks.Lists(t.Context()))(t)), 0)
	for month, want := range map[string]error{"01": sandlot.ErrNotFound, "02": nil, "03": nil} {
		_, err := s.Blocks.KnownSecret(t.Context(), fmt.Sprint("network ", now.Year(), "-", month))
		wants(t, "the key of month "+month, err, want)
	}
}

func logOf(target string) operate.LogQuery { return operate.LogQuery{Target: target, Limit: 1} }
