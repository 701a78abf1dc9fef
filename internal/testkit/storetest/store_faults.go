package storetest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
)

func faultCases() []storeCase {
	return []storeCase{
		{"AddFaults/adds counts to groups", addFaults},
		{"AddFaults/from many at once loses none", addFaultsAtOnce},
		{"AddFaults/counts of projects that are gone are dropped", addFaultsGone},
		{"AddFaults/of a version's groups beyond MaxGroups the rarest go, then those seen the longest ago", addFaultsMany},
		{"Faults/most frequent first, of equally frequent ones the last seen first", faultsInOrder},
		{"FaultsOf/returns the number and the time of the errors of a version", faultsOf},
		{"AddMessage/keeps a message, and Messages lists the newest first in pages", messagesInOrder},
		{"AddMessage/of a project's messages beyond MaxMessages the oldest go", messagesMany},
		{"AddMessage/a player with daily messages in the last 24 hours is ErrTooMany", messagesDaily},
		{"AddMessage/a project that is gone is ErrNotFound", messagesGone},
		{"DeleteMessage/removes a message of its project alone, and a missing message is no error", deleteMessage},
		{"Sweep/drops groups 30 days after their last error, and messages after 400 days", faultsExpire},
		{"Sweep/drops the faults and messages of a project that was deleted for good, and none of one in the trash", faultsPurged},
	}
}

// fault is one error of a version.
func fault(p sandlot.Project, version int, message string, at time.Time) faults.Counted {
	return faults.Counted{Project: p.ID, Hash: sha256.Sum256([]byte(message)), Group: faults.Group{
		Version: version, Kind: "error", Message: message, Place: "index.html:1:2", Stack: "at f",
		Browsers: map[string]int64{"firefox": 1}, Count: 1, FirstAt: at, LastAt: at,
	}}
}

// often is a fault that came n times.
func often(f faults.Counted, n int64) faults.Counted {
	f.Count, f.Browsers = n, map[string]int64{"firefox": n}
	return f
}

func groupsOf(t *testing.T, s Stores, p sandlot.Project, version int) (list []string) {
	t.Helper()
	for _, g := range must(s.Faults.Faults(t.Context(), p.ID, version))(t) {
		list = append(list, fmt.Sprint(g.Message, " ", g.Count))
	}
	return list
}

func addFaults(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	first, last := base(), base().Add(time.Hour)
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{fault(p, 1, "x", last), fault(other, 1, "x", last), fault(p, 2, "y", last)}))
	again := often(fault(p, 1, "x", first), 3)
	again.Browsers = map[string]int64{"chrome": 2, "firefox": 1}
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{again}))
	want := fault(p, 1, "x", first).Group
	want.Count, want.LastAt, want.Browsers = 4, last, map[string]int64{"chrome": 2, "firefox": 2}
	same(t, "the group", must(s.Faults.Faults(t.Context(), p.ID, 1))(t), []faults.Group{want})
	same(t, "of another version", groupsOf(t, s, p, 2), []string{"y 1"})
	same(t, "of another project", groupsOf(t, s, other, 1), []string{"x 1"})
	same(t, "after a crash", groupsOf(t, s.copied(t), p, 1), []string{"x 4"})
}

func addFaultsAtOnce(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	done := make(chan error)
	for i := range 8 {
		go func() {
			list := []faults.Counted{fault(p, 1, "x", base()), fault(other, 1, "y", base()), fault(p, 1, fmt.Sprint("z", i), base())}
			done <- s.Faults.AddFaults(t.Context(), list)
		}()
	}
	for range 8 {
		ok(t, <-done)
	}
	same(t, "the errors", must(s.Faults.FaultsOf(t.Context(), p.ID, 1))(t).Count, int64(16))
	same(t, "the other's", groupsOf(t, s, other, 1), []string{"y 8"})
}

func addFaultsGone(t *testing.T, s Stores) {
	p, gone := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	mustTrash(t, s, gone.ID, base())
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{fault(gone, 1, "x", base()), fault(p, 1, "x", base()), fault(sandlot.Project{ID: "nobodys"}, 1, "x", base())}))
	same(t, "the others", groupsOf(t, s, p, 1), []string{"x 1"})
	ok(t, s.takeBack(t, gone.ID))
	same(t, "those that came meanwhile", groupsOf(t, s, gone, 1), nil)
}

func addFaultsMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	list := []faults.Counted{often(fault(p, 1, "often", base().Add(-time.Hour)), 2), fault(p, 1, "old", base().Add(-time.Hour)), fault(p, 2, "other", base())}
	for i := range faults.MaxGroups - 2 {
		list = append(list, fault(p, 1, fmt.Sprint("new ", i), base()))
	}
	ok(t, s.Faults.AddFaults(t.Context(), list))
	same(t, "groups", len(groupsOf(t, s, p, 1)), faults.MaxGroups)
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{fault(p, 1, "newest", base().Add(time.Hour))}))
	kept := strings.Join(groupsOf(t, s, p, 1), "\n")
	same(t, "groups", strings.Count(kept, "\n")+1, faults.MaxGroups)
	same(t, "which are kept", [3]bool{strings.Contains(kept, "often"), strings.Contains(kept, "old"), strings.Contains(kept, "newest")}, [3]bool{true, false, true})
	same(t, "of another version", groupsOf(t, s, p, 2), []string{"other 1"})
}

func faultsInOrder(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{
		fault(p, 1, "old", base()), fault(p, 1, "new", base().Add(time.Hour)), often(fault(p, 1, "often", base()), 5),
	}))
	same(t, "the order", groupsOf(t, s, p, 1), []string{"often 5", "new 1", "old 1"})
}

func faultsOf(t *testing.T, s Stores) {
	p, last := s.mustProject(t, "pong"), base().Add(time.Hour)
	same(t, "of none", must(s.Faults.FaultsOf(t.Context(), p.ID, 1))(t).Count, int64(0))
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{often(fault(p, 1, "x", base()), 5), fault(p, 1, "y", last), fault(p, 2, "z", last)}))
	same(t, "the sum", must(s.Faults.FaultsOf(t.Context(), p.ID, 1))(t), faults.Sum{Groups: 2, Count: 6, LastAt: last})
}

// said is a message of a player.
func said(player, text string, at time.Time) faults.NewMessage {
	return faults.NewMessage{Version: 1, Text: text, Token: sha256.Sum256([]byte(player)), At: at}
}

func messages(t *testing.T, s Stores, p sandlot.Project) (list []string) {
	t.Helper()
	for _, m := range must(s.Faults.Messages(t.Context(), p.ID, 0, 5000))(t) {
		list = append(list, m.Text)
	}
	return list
}

func messagesInOrder(t *testing.T, s Stores) {
	p, other, at := s.mustProject(t, "pong"), s.mustProject(t, "tetra"), base()
	for _, text := range []string{"one", "two", "three"} {
		ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", text, at), 5))
	}
	ok(t, s.Faults.AddMessage(t.Context(), other.ID, said("kim", "elsewhere", at), 5))
	page := must(s.Faults.Messages(t.Context(), p.ID, 0, 2))(t)
	same(t, "the first page", []string{page[0].Text, page[1].Text}, []string{"three", "two"})
	rest := must(s.Faults.Messages(t.Context(), p.ID, page[1].ID, 2))(t)
	same(t, "the rest", rest, []faults.Message{{ID: rest[0].ID, Version: 1, Text: "one", At: at}})
	same(t, "after a crash", messages(t, s.copied(t), p), []string{"three", "two", "one"})
}

func messagesMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for i := range faults.MaxMessages + 2 {
		ok(t, s.Faults.AddMessage(t.Context(), p.ID, said(fmt.Sprint(i), fmt.Sprint(i), base()), 5))
	}
	list := messages(t, s, p)
	same(t, "messages", len(list), faults.MaxMessages)
	same(t, "the oldest", list[len(list)-1], "2")
}

func messagesDaily(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), base()
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "one", at), 2))
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "two", at.Add(time.Hour)), 2))
	wants(t, "a third one", s.Faults.AddMessage(t.Context(), p.ID, said("kim", "three", at.Add(2*time.Hour)), 2), faults.ErrTooMany)
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("lee", "another player's", at), 2))
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "the next day", at.Add(24*time.Hour)), 2))
}

func messagesGone(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	mustTrash(t, s, p.ID, base())
	wants(t, "in the trash", s.Faults.AddMessage(t.Context(), p.ID, said("kim", "x", base()), 5), sandlot.ErrNotFound)
	wants(t, "of none", s.Faults.AddMessage(t.Context(), "nobodys", said("kim", "x", base()), 5), sandlot.ErrNotFound)
}

func deleteMessage(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "x", base()), 5))
	id := must(s.Faults.Messages(t.Context(), p.ID, 0, 1))(t)[0].ID
	ok(t, s.Faults.DeleteMessage(t.Context(), other.ID, id))
	same(t, "deleted as another's", messages(t, s, p), []string{"x"})
	for range 2 {
		ok(t, s.Faults.DeleteMessage(t.Context(), p.ID, id))
	}
	same(t, "the remaining messages", messages(t, s, p), nil)
}

func faultsExpire(t *testing.T, s Stores) {
	p, at := s.mustProject(t, "pong"), base()
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{fault(p, 1, "old", at), fault(p, 1, "new", at.Add(time.Minute))}))
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "old", at), 5))
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "new", at.Add(time.Minute)), 5))
	end := at.Add(faults.Kept + time.Second)
	s.sweep(t, end, end)
	same(t, "groups", groupsOf(t, s, p, 1), []string{"new 1"})
	same(t, "messages", messages(t, s, p), []string{"new", "old"})
	end = at.Add(faults.MessagesKept + time.Second)
	s.sweep(t, end, end)
	same(t, "groups much later", groupsOf(t, s, p, 1), nil)
	same(t, "messages much later", messages(t, s, p), []string{"new"})
}

func faultsPurged(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	ok(t, s.Faults.AddFaults(t.Context(), []faults.Counted{fault(p, 1, "x", base())}))
	ok(t, s.Faults.AddMessage(t.Context(), p.ID, said("kim", "x", base()), 5))
	mustTrash(t, s, p.ID, base())
	s.sweep(t, base(), base())
	ok(t, s.takeBack(t, p.ID))
	same(t, "of a project from the trash", append(groupsOf(t, s, p, 1), messages(t, s, p)...), []string{"x 1", "x"})
	mustTrash(t, s, p.ID, base())
	end := base().Add(publish.TrashKept + time.Minute)
	s.sweep(t, end, end)
	s.sweep(t, end, end)
	same(t, "rows", s.Rows(t, "faults")+s.Rows(t, "feedback"), 0)
}
