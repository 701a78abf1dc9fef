package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

// pairRounds is how often each pair of steps is taken at once.
const pairRounds = 10

// A pair are two steps that are taken at once, and both decide by what the other may change. begin
// records what they need, under names of their own; after says what holds when both are done.
type pair struct {
	name  string
	may   []error // what one of them may be refused with, or both
	begin func(t *testing.T, s Stores, name string) steps
}

// steps are the two of a pair.
type steps struct {
	first, second func() error
	after         func(t *testing.T, first, second error)
}

func pairCases() (list []storeCase) {
	for _, p := range []pair{
		{"a new project and its account's proof", nil, projectAndProof},
		{"a new project and its account's suspension", []error{sandlot.ErrSuspended}, projectAndSuspension},
		{"a new project and its account's end", []error{sandlot.ErrNotFound}, projectAndEnd},
		{"a new project and a file beyond the bytes of an account", []error{sandlot.ErrTooManyBytes}, projectAndFile},
		{"a file and a part of an upload beyond the bytes of an account", []error{sandlot.ErrTooManyBytes}, fileAndPart},
		{"a new account key and one of the operator's", nil, rotationAndNewKey},
		{"two keys of a project at its limit", []error{publish.ErrTooMany}, twoKeys},
		{"two proposals of an address at the limit", []error{account.ErrTooOften}, twoProposals},
		{"two handles at the limit", []error{account.ErrTooOften}, twoHandles},
		{"an address and the proof of the one before", []error{sandlot.ErrVerified, sandlot.ErrNotFound}, addressAndProof},
		{"the proof of a new address and its withdrawal", []error{sandlot.ErrNotFound}, moveAndWithdrawal},
		{"two sessions of one login", []error{sandlot.ErrNotFound}, twoSessions},
	} {
		list = append(list, storeCase{"all may be called concurrently/" + p.name, p.prove})
	}
	return append(list, storeCase{"all may be called concurrently/two sweeps return each name once", twoSweeps})
}

func (p pair) prove(t *testing.T, s Stores) {
	for round := range pairRounds {
		of := p.begin(t, s, fmt.Sprint("kim-", round))
		begin, errs := make(chan bool), [2]chan error{make(chan error, 1), make(chan error, 1)}
		for i, step := range []func() error{of.first, of.second} {
			go func() {
				<-begin
				errs[i] <- step()
			}()
		}
		close(begin)
		one, other := <-errs[0], <-errs[1]
		for _, err := range []error{one, other} {
			if err != nil && !slices.ContainsFunc(p.may, func(may error) bool { return errors.Is(err, may) }) {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		of.after(t, one, other)
	}
	inOrder(t, s, "then")
}

// exactlyOne fails the test unless one of two steps was refused.
func exactlyOne(t *testing.T, first, second error) {
	t.Helper()
	if (first == nil) == (second == nil) {
		t.Errorf("exactly one was to be refused: %v, %v", first, second)
	}
}

// makes records an account with a verified address, and returns it with the step that makes it a project.
func makes(t *testing.T, s Stores, name string) (a sandlot.Account, create func() error) {
	t.Helper()
	a = s.verified(t, name, name+"@example.com")
	return a, func() error { return drop(s.Publish.CreateProject(background(), newProject(name, a.ID))) }
}

func projectAndProof(t *testing.T, s Stores, name string) steps {
	a := withEmail(t, s, name)
	must(s.Publish.CreateProject(t.Context(), newProject(name+"-before", a.ID)))(t)
	s.mustVerification(t, a, name, base().Add(time.Hour))
	create := func() error { return drop(s.Publish.CreateProject(background(), newProject(name, a.ID))) }
	prove := func() error { return drop(s.Accounts.UseVerification(background(), sum(name), base(), 0)) }
	return steps{create, prove, func(t *testing.T, _, _ error) {
		s.lists(t, "of the account", gallery.ListedQuery{Account: a.ID}, sandlot.ProjectID(name), sandlot.ProjectID(name+"-before"))
	}}
}

func projectAndSuspension(t *testing.T, s Stores, name string) steps {
	a, create := makes(t, s, name)
	suspend := func() error {
		return s.Operate.Suspend(background(), ofAccount(a.ID), entry(sandlot.ActionSuspend, "@"+name))
	}
	return steps{create, suspend, func(t *testing.T, created, _ error) {
		s.lists(t, "of the suspended account", gallery.ListedQuery{Account: a.ID})
		ok(t, s.Operate.Reinstate(t.Context(), ofAccount(a.ID), entry(sandlot.ActionReinstate, "@"+name)))
		var want []sandlot.ProjectID
		if created == nil {
			want = append(want, sandlot.ProjectID(name))
		}
		s.lists(t, "of the reinstated account", gallery.ListedQuery{Account: a.ID}, want...)
	}}
}

func projectAndEnd(t *testing.T, s Stores, name string) steps {
	a, create := makes(t, s, name)
	end := func() error {
		return s.Operate.Remove(background(), ofAccount(a.ID), entry(sandlot.ActionDelete, "@"+name))
	}
	return steps{create, end, func(t *testing.T, _, ended error) {
		ok(t, ended)
		wants(t, "the project", drop(s.Publish.Project(t.Context(), sandlot.ProjectID(name))), sandlot.ErrNotFound)
	}}
}

func projectAndFile(t *testing.T, s Stores, name string) steps {
	p := s.mustProject(t, name)
	within := publish.Quota{Bytes: p.Size + 10}
	np := newProject(name+"-more", p.Account)
	np.Files, np.Within = files("index.html", inline("123456")), within
	at := edit(p)
	at.Within = within
	create := func() error { return drop(s.Publish.CreateProject(background(), np)) }
	return steps{create, func() error {
		return drop(s.Publish.PutFile(background(), p.ID, file("a.js", inline("654321")), at))
	}, exactlyOne}
}

func fileAndPart(t *testing.T, s Stores, name string) steps {
	p := s.mustProject(t, name)
	at := edit(p)
	at.Within = publish.Quota{Bytes: p.Size + 10}
	u := upload(name)
	u.Account, u.Owner, u.Received, u.Bytes, u.Held = p.Account, sum(name), u.Received.With(1), 6, 6
	quota := publish.UploadQuota{Uploads: 9, Account: at.Within.Bytes}
	save := func() error { return drop(s.Publish.SaveUpload(background(), u, part(1, inline("123456")), quota)) }
	return steps{save, func() error {
		return drop(s.Publish.PutFile(background(), p.ID, file("a.js", inline("654321")), at))
	}, exactlyOne}
}

func rotationAndNewKey(t *testing.T, s Stores, name string) steps {
	a := s.mustAccount(t, newAccount(name))
	rotate := func() error { return s.Management.RotateKey(background(), a.ID, key(name+" one"), record(name)) }
	add := func() error {
		return drop(s.Operate.AddKey(background(), a.ID, key(name+" two"), true, entry(sandlot.ActionNewKey, "@"+name)))
	}
	return steps{rotate, add, func(t *testing.T, _, _ error) {
		same(t, "account keys in force", len(keysOf(t, s, a.ID)), 1)
	}}
}

func twoKeys(t *testing.T, s Stores, name string) steps {
	p := s.mustProject(t, name)
	mint := func(n string) func() error {
		k := key(name + n)
		k.Project = p.ID
		return func() error { return s.Management.MintKey(background(), p.Account, k, 2, record(name+n)) }
	}
	return steps{mint(" one"), mint(" two"), exactlyOne} // it has one already
}

func twoProposals(t *testing.T, s Stores, name string) steps {
	a := s.verified(t, name, name+"@example.com")
	propose := func(address string) func() error {
		m := account.EmailMove{Account: a.ID, Email: address, ExpiresAt: base().Add(moveLife)}
		return func() error {
			return s.Accounts.ProposeEmail(background(), m, sandlot.Job{Kind: "proposal", Address: address, Lang: "de", Due: base()},
				base(), 1)
		}
	}
	return steps{propose(name + "-one@example.com"), propose(name + "-two@example.com"), exactlyOne}
}

func twoHandles(t *testing.T, s Stores, name string) steps {
	a := s.mustAccount(t, newAccount(name))
	rename := func(handle string) func() error {
		return func() error {
			return s.Accounts.Rename(background(), a.ID, handle, base(), base().Add(-time.Hour), 1)
		}
	}
	return steps{rename(name + "-one"), rename(name + "-two"), exactlyOne}
}

func addressAndProof(t *testing.T, s Stores, name string) steps {
	a := withEmail(t, s, name)
	s.mustVerification(t, a, name, base().Add(time.Hour))
	other := name + "-other@example.com"
	set := func() error { return s.Publish.SetEmail(background(), a.ID, other, job(other, base()), 0) }
	prove := func() error { return drop(s.Accounts.UseVerification(background(), sum(name), base(), 0)) }
	return steps{set, prove, func(t *testing.T, set, proved error) {
		exactlyOne(t, set, proved)
		now, want := must(s.Publish.Account(t.Context(), a.ID))(t), a.Email
		if set == nil {
			want = other
		}
		same(t, "the address, and whether it is verified", []any{now.Email, now.EmailVerified}, []any{want, proved == nil})
	}}
}

func moveAndWithdrawal(t *testing.T, s Stores, name string) steps {
	a := s.verified(t, name, name+"@example.com")
	other := name + "-other@example.com"
	s.propose(t, a, other, name)
	take := func() error {
		return drop(s.Accounts.TakeEmail(background(), token(name), base(), base().Add(undoLife),
			sandlot.Job{Kind: "notice", Due: base()}, 0))
	}
	return steps{take, func() error { return s.Accounts.WithdrawEmail(background(), a.ID) }, func(t *testing.T, taken, _ error) {
		want := a.Email
		if taken == nil {
			want = other
		}
		same(t, "the address", must(s.Publish.Account(t.Context(), a.ID))(t).Email, want)
		wants(t, "what is proposed", drop(s.Accounts.ProposedEmail(t.Context(), a.ID, base())), sandlot.ErrNotFound)
	}}
}

func twoSessions(t *testing.T, s Stores, name string) steps {
	a := s.verified(t, name, name+"@example.com")
	l := proved(t, s, name, a)
	logIn := func(n string) func() error {
		return func() error {
			return drop(s.Accounts.LogIn(background(), l.ID, token(name+n), newSession(a), sandlot.Session{}))
		}
	}
	return steps{logIn(" one"), logIn(" two"), exactlyOne}
}

// twoSweeps have everything to forget that has to do with blobs.
func twoSweeps(t *testing.T, s Stores) {
	var want []sandlot.BlobRef
	for n := range pairRounds {
		name := fmt.Sprint("kim-", n)
		p := s.mustPut(t, s.mustProject(t, name), file("a.wasm", named(name+"-file")))
		u := s.mustSave(t, upload(name), part(1, named(name+"-part")))
		s.mustSave(t, u, part(2, named(name+"-other")))
		mustRemove(t, s, p.ID)
		want = append(want, sandlot.BlobRef(name+"-file"), sandlot.BlobRef(name+"-other"), sandlot.BlobRef(name+"-part"))
	}
	swept := make(chan []sandlot.BlobRef, 2)
	for range 2 {
		go func() {
			var all []sandlot.BlobRef
			for more := true; more; {
				gone, m, err := s.Upkeep.Sweep(background(), base().Add(2*time.Hour), base().Add(time.Hour), 7)
				if err != nil {
					t.Error(err)
				}
				all, more = append(all, gone...), m && err == nil
			}
			swept <- all
		}()
	}
	all := append(<-swept, <-swept...)
	all = append(all, s.sweep(t, base().Add(2*time.Hour), base().Add(time.Hour))...) // what one left to the other that was at it
	slices.Sort(all)
	slices.Sort(want)
	same(t, "the names", all, want)
	inOrder(t, s, "then")
}
