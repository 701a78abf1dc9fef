package storetest

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/players"
)

func playerCases() []storeCase {
	return []storeCase{
		{"Player/a player is made by the first step that keeps something, and has no ID before", makePlayer},
		{"Player/of 20 first steps at once one makes the player", makePlayerRace},
		{"Player/a project has MaxPlayers; more are ErrTooManyPlayers", tooManyPlayers},
		{"Save/fills a slot with bytes as they are; Load returns them", saveAndLoad},
		{"Save/is there after a crash", saveLasts},
		{"Save/nobody else has it: no other player, and not the same token in another project", savesAreOwn},
		{"Save/over MaxSaves or MaxHeld is ErrPlayerFull, and nothing changes", playerFull},
		{"Save/over MaxBytes is ErrProjectFull, over the account's quota ErrTooManyBytes", projectFull},
		{"Save/50 at once of one player are one after the other", saveRace},
		{"Save/the account is charged in steps, and deletions are given back", charges},
		{"Rename/gives a player a name", renamePlayer},
		{"Resume/makes a token one of the player of a code, which is its last one", resume},
		{"Resume/the oldest of more than MaxTokens tokens is removed", resumeOften},
		{"Share/keeps values that all players of a project read", shareValues},
		{"Share/over MaxSharing or MaxKeys is ErrSharedFull", sharedFull},
		{"Remove/deletes a player with all that is kept of it", removePlayer},
		{"Remove/with refuse the player stays, without name, code and saves", refusePlayer},
		{"Sweep/drops players who were not seen for Kept, and no others", sweepPlayers},
		{"Sweep/players of a deleted project are not there, and go with it", sweepPlayersOf},
		{"Bring/adds lines of Lines with their times, and keeps existing values", bringLines},
		{"Bring/is bounded as saves are", bringTooMuch},
		{"Connect/the data of players counts to the new account", connectPlayers},
	}
}

// holder is the player of a token, who may come.
func holder(id sandlot.ProjectID, token string) players.Holder {
	return players.Holder{Project: id, Token: sum(token), Fresh: "id-" + token, Now: base()}
}

func saveOf(t *testing.T, s Stores, id sandlot.ProjectID, token, slot, value string) {
	t.Helper()
	ok(t, s.Players.Save(t.Context(), holder(id, token), slot, []byte(value), 0))
}

// loaded returns a save, or the text of the error that there is none.
func loaded(t *testing.T, s Stores, id sandlot.ProjectID, token, slot string) string {
	t.Helper()
	save, _, err := s.Players.Load(t.Context(), id, sum(token), slot)
	if err != nil {
		wants(t, "load", err, sandlot.ErrNotFound)
		return "none"
	}
	return string(save.JSON)
}

func keptOf(t *testing.T, s Stores, p sandlot.Project) players.Sum {
	t.Helper()
	return must(s.Players.Totals(t.Context(), p.Account))(t).Projects[p.ID]
}

func makePlayer(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	known := holder(p.ID, "ada")
	known.Fresh = ""
	for what, step := range map[string]func() error{
		"Save":    func() error { return s.Players.Save(t.Context(), known, "main", []byte("1"), 0) },
		"Share":   func() error { return s.Players.Share(t.Context(), known, "main", []byte("1"), 0) },
		"SetCode": func() error { return s.Players.SetCode(t.Context(), known, sum("code")) },
		"Rename":  func() error { _, err := s.Players.Rename(t.Context(), known, "Ada"); return err },
	} {
		wants(t, what, step(), players.ErrNewcomer)
	}
	ok(t, s.Players.Seen(t.Context(), holder(p.ID, "ada")))
	ok(t, s.Players.DeleteSave(t.Context(), holder(p.ID, "ada"), "main"))
	_, err := s.Players.Player(t.Context(), p.ID, sum("ada"))
	wants(t, "before", err, sandlot.ErrNotFound)
	saveOf(t, s, p.ID, "ada", "main", "{}")
	same(t, "the player", must(s.Players.Player(t.Context(), p.ID, sum("ada")))(t),
		players.Known{ID: "id-ada", Day: figures.DayOf(base()), Held: 2, Saves: 1})
	wants(t, "no such project", s.Players.Save(t.Context(), holder("none", "ada"), "main", []byte("1"), 0), sandlot.ErrNotFound)
}

func makePlayerRace(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			h := holder(p.ID, "ada")
			h.Fresh = "fresh" + strconv.Itoa(i)
			if err := s.Players.Save(background(), h, "slot"+strconv.Itoa(i), []byte("1"), 0); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	same(t, "slots", len(must(s.Players.Saves(t.Context(), p.ID, sum("ada")))(t)), 20)
	same(t, "players", keptOf(t, s, p), players.Sum{Players: 1, Bytes: players.Step, Charged: players.Charge})
	inOrder(t, s, "afterwards")
}

func tooManyPlayers(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	s.Crowd(t, p.ID, players.MaxPlayers-1, 0)
	saveOf(t, s, p.ID, "last", "main", "1")
	wants(t, "one more", s.Players.Save(t.Context(), holder(p.ID, "more"), "main", []byte("1"), 0), players.ErrTooManyPlayers)
	_, err := s.Players.Player(t.Context(), p.ID, sum("more"))
	wants(t, "it", err, sandlot.ErrNotFound)
	saveOf(t, s, p.ID, "last", "main", "2")
}

func saveAndLoad(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	h := holder(p.ID, "ada")
	values := map[string][]byte{"main": []byte("{\"a\":\"\\u0000\"}"), "raw": {0, 0xff, '\n'}, "large": bytes.Repeat([]byte("7"), players.MaxSave)}
	for slot, value := range values {
		ok(t, s.Players.Save(t.Context(), h, slot, []byte("first"), 0))
		ok(t, s.Players.Save(t.Context(), h, slot, value, 0))
		save, day, err := s.Players.Load(t.Context(), p.ID, h.Token, slot)
		ok(t, err)
		same(t, slot, save, players.Value{Name: slot, JSON: value, Size: int64(len(value)), At: h.Now})
		same(t, "day", day, figures.DayOf(h.Now))
	}
	same(t, "slots", must(s.Players.Saves(t.Context(), p.ID, h.Token))(t), []players.Value{
		{Name: "large", Size: players.MaxSave, At: h.Now}, {Name: "main", Size: int64(len(values["main"])), At: h.Now}, {Name: "raw", Size: 3, At: h.Now},
	})
	ok(t, s.Players.DeleteSave(t.Context(), h, "raw"))
	ok(t, s.Players.DeleteSave(t.Context(), h, "raw"))
	same(t, "deleted", loaded(t, s, p.ID, "ada", "raw"), "none")
	same(t, "held", must(s.Players.Player(t.Context(), p.ID, h.Token))(t).Held, players.MaxSave+int64(len(values["main"])))
}

func saveLasts(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	saveOf(t, s, p.ID, "ada", "main", "1")
	saveOf(t, s, p.ID, "ada", "main", "22")
	ok(t, s.Players.Share(t.Context(), holder(p.ID, "ada"), "key", []byte("3"), 0))
	later := s.copied(t)
	same(t, "the save", loaded(t, later, p.ID, "ada", "main"), "22")
	same(t, "the shared value", string(must(later.Players.LoadShared(t.Context(), p.ID, "key"))(t).JSON), "3")
}

func savesAreOwn(t *testing.T, s Stores) {
	one, two := s.mustProject(t, "one"), s.mustProject(t, "two")
	saveOf(t, s, one.ID, "ada", "main", "1")
	saveOf(t, s, two.ID, "bob", "main", "2")
	ok(t, s.Players.Share(t.Context(), holder(one.ID, "ada"), "key", []byte("3"), 0))
	same(t, "of the other player", loaded(t, s, one.ID, "bob", "main"), "none")
	same(t, "of the other project", loaded(t, s, two.ID, "ada", "main"), "none")
	_, err := s.Players.LoadShared(t.Context(), two.ID, "key")
	wants(t, "shared", err, sandlot.ErrNotFound)
	same(t, "keys", len(must(s.Players.SharedKeys(t.Context(), two.ID, ""))(t)), 0)
	ok(t, s.Players.DeleteSave(t.Context(), holder(two.ID, "ada"), "main"))
	ok(t, s.Players.DeleteShared(t.Context(), holder(two.ID, "bob"), "key"))
	same(t, "still there", loaded(t, s, one.ID, "ada", "main"), "1")
	same(t, "still shared", len(must(s.Players.SharedKeys(t.Context(), one.ID, ""))(t)), 1)
}

func playerFull(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	for i := range players.MaxSaves {
		saveOf(t, s, p.ID, "ada", "slot"+strconv.Itoa(i), "1")
	}
	before := must(s.Players.Player(t.Context(), p.ID, sum("ada")))(t)
	wants(t, "a slot more", s.Players.Save(t.Context(), holder(p.ID, "ada"), "more", []byte("1"), 0), players.ErrPlayerFull)
	same(t, "after it", must(s.Players.Player(t.Context(), p.ID, sum("ada")))(t), before)
	large := strings.Repeat("1", players.MaxSave)
	for i := range players.MaxHeld / players.MaxSave {
		saveOf(t, s, p.ID, "bob", "slot"+strconv.Itoa(i), large)
	}
	wants(t, "a byte more", s.Players.Save(t.Context(), holder(p.ID, "bob"), "more", []byte("1"), 0), players.ErrPlayerFull)
	saveOf(t, s, p.ID, "bob", "slot0", "1")
	saveOf(t, s, p.ID, "bob", "more", large[1:])
}

func projectFull(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	saveOf(t, s, p.ID, "ada", "main", "1")
	s.Crowd(t, p.ID, 1, players.MaxBytes)
	wants(t, "a player more", s.Players.Save(t.Context(), holder(p.ID, "bob"), "main", []byte("1"), 0), players.ErrProjectFull)
	wants(t, "shared", s.Players.Share(t.Context(), holder(p.ID, "ada"), "key", []byte("1"), 0), players.ErrProjectFull)
	saveOf(t, s, p.ID, "ada", "main", "2") // as large as before
	s.Crowd(t, p.ID, 1, players.Step)
	used := must(s.Management.Usage(t.Context(), p.Account, base()))(t).Bytes
	large := []byte(strings.Repeat("1", players.Charge))
	wants(t, "over the quota", s.Players.Save(t.Context(), holder(p.ID, "ada"), "large", large, used+1), sandlot.ErrTooManyBytes)
	same(t, "it", loaded(t, s, p.ID, "ada", "large"), "none")
	ok(t, s.Players.Save(t.Context(), holder(p.ID, "ada"), "large", large, used+players.Charge))
}

func saveRace(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	saveOf(t, s, p.ID, "ada", "slot0", "1")
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() {
			value := strings.Repeat("1", 1+i*100)
			if err := s.Players.Save(background(), holder(p.ID, "ada"), "slot"+strconv.Itoa(i%5), []byte(value), 0); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	held := int64(0)
	list := must(s.Players.Saves(t.Context(), p.ID, sum("ada")))(t)
	for _, save := range list {
		held += save.Size
	}
	got := must(s.Players.Player(t.Context(), p.ID, sum("ada")))(t)
	same(t, "saves", got.Saves, int64(len(list)))
	same(t, "held", got.Held, held)
	same(t, "of the project", keptOf(t, s, p).Bytes, (held+players.Step-1)/players.Step*players.Step)
	inOrder(t, s, "afterwards")
}

func charges(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	before := must(s.Management.Usage(t.Context(), p.Account, base()))(t).Bytes
	charged := func(what string, want int64) {
		t.Helper()
		same(t, what, must(s.Management.Usage(t.Context(), p.Account, base()))(t).Bytes-before, want)
		same(t, what+", by the total", must(s.Players.Totals(t.Context(), p.Account))(t).Account-before, want)
		same(t, what+", of the project", keptOf(t, s, p).Charged, want)
	}
	large := strings.Repeat("1", players.Charge)
	saveOf(t, s, p.ID, "ada", "main", "1")
	charged("one byte", players.Charge)
	saveOf(t, s, p.ID, "ada", "main", large)
	charged("a step", players.Charge)
	ok(t, s.Players.Share(t.Context(), holder(p.ID, "ada"), "key", []byte("1"), 0))
	charged("a shared byte", 2*players.Charge)
	ok(t, s.Players.DeleteShared(t.Context(), holder(p.ID, "ada"), "key"))
	charged("without it", players.Charge)
	ok(t, s.Players.DeleteSave(t.Context(), holder(p.ID, "ada"), "main"))
	charged("nothing", 0)
	inOrder(t, s, "afterwards")
}

func renamePlayer(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	same(t, "renamed", must(s.Players.Rename(t.Context(), holder(p.ID, "ada"), "Ada <3"))(t).Name, "Ada <3")
	same(t, "two of one name", must(s.Players.Rename(t.Context(), holder(p.ID, "bob"), "Ada <3"))(t).ID, "id-bob")
	same(t, "read again", must(s.Players.Player(t.Context(), p.ID, sum("ada")))(t).Name, "Ada <3")
	same(t, "taken away", must(s.Players.Rename(t.Context(), holder(p.ID, "ada"), ""))(t).Name, "")
}

func resume(t *testing.T, s Stores) {
	one, two := s.mustProject(t, "one"), s.mustProject(t, "two")
	saveOf(t, s, one.ID, "desk", "main", "1")
	saveOf(t, s, one.ID, "phone", "main", "2")
	ok(t, s.Players.SetCode(t.Context(), holder(one.ID, "desk"), sum("first code")))
	ok(t, s.Players.SetCode(t.Context(), holder(one.ID, "desk"), sum("code")))
	wants(t, "a code twice", s.Players.SetCode(t.Context(), holder(one.ID, "phone"), sum("code")), sandlot.ErrExists)
	for what, h := range map[string]players.Holder{"first code": holder(one.ID, "phone"), "no code": holder(one.ID, "phone"), "code": holder(two.ID, "phone")} {
		_, err := s.Players.Resume(t.Context(), h, sum(what))
		wants(t, what, err, sandlot.ErrNotFound)
	}
	for _, token := range []string{"phone", "phone", "tablet", "desk"} {
		same(t, token, must(s.Players.Resume(t.Context(), holder(one.ID, token), sum("code")))(t).ID, "id-desk")
		same(t, "save of "+token, loaded(t, s, one.ID, token, "main"), "1")
	}
	saveOf(t, s, one.ID, "tablet", "main", "3")
	same(t, "save of the desk", loaded(t, s, one.ID, "desk", "main"), "3")
	same(t, "players", keptOf(t, s, one).Players, int64(2))
}

func resumeOften(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	saveOf(t, s, p.ID, "first", "main", "1")
	ok(t, s.Players.SetCode(t.Context(), holder(p.ID, "first"), sum("code")))
	for i := range players.MaxTokens {
		h := holder(p.ID, "device"+strconv.Itoa(i))
		h.Now = h.Now.Add(time.Duration(i+1) * time.Second)
		must(s.Players.Resume(t.Context(), h, sum("code")))(t)
	}
	same(t, "the first", loaded(t, s, p.ID, "first", "main"), "none")
	same(t, "the second", loaded(t, s, p.ID, "device0", "main"), "1")
	same(t, "the last", loaded(t, s, p.ID, "device"+strconv.Itoa(players.MaxTokens-1), "main"), "1")
}

func shareValues(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	h := holder(p.ID, "ada")
	for _, key := range []string{"b", "a%_", "a/ü", "A", "a"} {
		ok(t, s.Players.Share(t.Context(), h, key, []byte("first"), 0))
	}
	bob := holder(p.ID, "bob")
	ok(t, s.Players.Share(t.Context(), bob, "a", []byte("{\"x\":\"\\u0000\"}"), 0))
	same(t, "the last write", must(s.Players.LoadShared(t.Context(), p.ID, "a"))(t), players.Value{Name: "a", JSON: []byte("{\"x\":\"\\u0000\"}"), Size: 14, At: bob.Now})
	keys := func(prefix string) (list []string) {
		for _, shared := range must(s.Players.SharedKeys(t.Context(), p.ID, prefix))(t) {
			list = append(list, shared.Name)
		}
		return list
	}
	same(t, "all keys", keys(""), []string{"A", "a", "a%_", "a/ü", "b"})
	same(t, "keys by prefix", keys("a"), []string{"a", "a%_", "a/ü"})
	same(t, "keys by a prefix that means nothing else", keys("a%"), []string{"a%_"})
	same(t, "keys by a prefix of two bytes", keys("a/ü"), []string{"a/ü"})
	ok(t, s.Players.DeleteShared(t.Context(), h, "a"))
	ok(t, s.Players.DeleteShared(t.Context(), h, "a"))
	_, err := s.Players.LoadShared(t.Context(), p.ID, "a")
	wants(t, "deleted", err, sandlot.ErrNotFound)
}

func sharedFull(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	h := holder(p.ID, "ada")
	large := bytes.Repeat([]byte("1"), players.MaxShared-4)
	n := players.MaxSharing / players.MaxShared
	for i := range n {
		ok(t, s.Players.Share(t.Context(), h, "key"+strconv.Itoa(i%10), large, 0))
		ok(t, s.Players.DeleteShared(t.Context(), h, "key"+strconv.Itoa(i%10)))
		ok(t, s.Players.Share(t.Context(), h, strconv.Itoa(1000+i), large, 0))
	}
	wants(t, "more bytes", s.Players.Share(t.Context(), h, "more", large, 0), players.ErrSharedFull)
	for i := range n {
		ok(t, s.Players.Share(t.Context(), h, strconv.Itoa(1000+i), []byte("1"), 0))
	}
	for i := range players.MaxKeys - n {
		ok(t, s.Players.Share(t.Context(), h, strconv.Itoa(2000+i), []byte("1"), 0))
	}
	wants(t, "more keys", s.Players.Share(t.Context(), h, "more", []byte("1"), 0), players.ErrSharedFull)
	same(t, "bytes", keptOf(t, s, p).Bytes, int64(5*players.MaxKeys))
	inOrder(t, s, "afterwards")
}

func removePlayer(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	saveOf(t, s, p.ID, "ada", "main", "1")
	saveOf(t, s, p.ID, "bob", "main", "2")
	wants(t, "nobody", s.Players.Remove(t.Context(), p.ID, "id-none", false), sandlot.ErrNotFound)
	wants(t, "of another project", s.Players.Remove(t.Context(), s.mustProject(t, "two").ID, "id-ada", false), sandlot.ErrNotFound)
	ok(t, s.Players.Remove(t.Context(), p.ID, "id-ada", false))
	same(t, "its save", loaded(t, s, p.ID, "ada", "main"), "none")
	_, err := s.Players.Player(t.Context(), p.ID, sum("ada"))
	wants(t, "it", err, sandlot.ErrNotFound)
	same(t, "the other", loaded(t, s, p.ID, "bob", "main"), "2")
	same(t, "the sum", keptOf(t, s, p), players.Sum{Players: 1, Bytes: players.Step, Charged: players.Charge})
	inOrder(t, s, "afterwards")
}

func refusePlayer(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	saveOf(t, s, p.ID, "ada", "main", "1")
	must(s.Players.Rename(t.Context(), holder(p.ID, "ada"), "Rude"))(t)
	ok(t, s.Players.SetCode(t.Context(), holder(p.ID, "ada"), sum("code")))
	ok(t, s.Players.Remove(t.Context(), p.ID, "id-ada", true))
	want := players.Known{ID: "id-ada", Refused: true, Day: figures.DayOf(base())}
	same(t, "it", must(s.Players.Player(t.Context(), p.ID, sum("ada")))(t), want)
	same(t, "renamed", must(s.Players.Rename(t.Context(), holder(p.ID, "ada"), "Rude"))(t), want)
	_, err := s.Players.Resume(t.Context(), holder(p.ID, "bob"), sum("code"))
	wants(t, "its code", err, sandlot.ErrNotFound)
	same(t, "its save", loaded(t, s, p.ID, "ada", "main"), "none")
	saveOf(t, s, p.ID, "ada", "main", "2") // a save is the player's own, and nobody else sees it
	inOrder(t, s, "afterwards")
}

func sweepPlayers(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	day := 24 * time.Hour
	at := func(token string, ago time.Duration) {
		h := holder(p.ID, token)
		h.Now = h.Now.Add(-ago)
		ok(t, s.Players.Save(t.Context(), h, "main", []byte(token), 0))
	}
	at("old", players.Kept+2*day)
	at("refused", players.Kept+2*day)
	at("back", players.Kept+2*day)
	at("young", players.Kept-2*day)
	ok(t, s.Players.Remove(t.Context(), p.ID, "id-refused", true))
	ok(t, s.Players.Seen(t.Context(), holder(p.ID, "back")))
	for range 3 {
		sweptAt(t, s, base())
	}
	for token, want := range map[string]string{"old": "none", "back": "back", "young": "young"} {
		same(t, token, loaded(t, s, p.ID, token, "main"), want)
	}
	_, err := s.Players.Player(t.Context(), p.ID, sum("refused"))
	wants(t, "refused", err, sandlot.ErrNotFound)
	same(t, "the sum", keptOf(t, s, p), players.Sum{Players: 2, Bytes: 2 * players.Step, Charged: players.Charge})
	inOrder(t, s, "afterwards")
}

func sweepPlayersOf(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	for i := range 70 { // more than a step of a sweep
		saveOf(t, s, p.ID, "player"+strconv.Itoa(i), "main", "1")
	}
	ok(t, s.Players.Share(t.Context(), holder(p.ID, "player0"), "key", []byte("1"), 0))
	mustTrash(t, s, p.ID, base())
	same(t, "its save", loaded(t, s, p.ID, "player0", "main"), "none")
	wants(t, "a save", s.Players.Save(t.Context(), holder(p.ID, "player0"), "main", []byte("2"), 0), sandlot.ErrNotFound)
	wants(t, "a new player", s.Players.Save(t.Context(), holder(p.ID, "new"), "main", []byte("2"), 0), sandlot.ErrNotFound)
	ok(t, s.takeBack(t, p.ID))
	same(t, "taken back", loaded(t, s, p.ID, "player0", "main"), "1")
	mustTrash(t, s, p.ID, base())
	ok(t, s.purge(t, p.ID))
	s.Later(30 * 24 * time.Hour)
	later := base().Add(30 * 24 * time.Hour)
	for range 3 {
		_, _, err := s.Upkeep.Sweep(t.Context(), later, later, 10_000)
		ok(t, err)
	}
	same(t, "bytes of the account", must(s.Management.Usage(t.Context(), p.Account, later))(t).Bytes, int64(0))
	inOrder(t, s, "afterwards")
}

func bringLines(t *testing.T, s Stores) {
	from, to := s.mustProject(t, "from"), s.mustProject(t, "to")
	for i := range 40 { // more than a page
		saveOf(t, s, from.ID, "player"+strconv.Itoa(i%5), "slot"+strconv.Itoa(i), "{\"n\":"+strconv.Itoa(i)+"}")
	}
	must(s.Players.Rename(t.Context(), holder(from.ID, "player0"), "Ada"))(t)
	ok(t, s.Players.SetCode(t.Context(), holder(from.ID, "player0"), sum("code")))
	ok(t, s.Players.Share(t.Context(), holder(from.ID, "player0"), "key", []byte("1"), 0))
	lines := func(of sandlot.ProjectID) (list []players.Line) {
		ok(t, s.Players.Lines(t.Context(), of, func(x players.Line) error {
			list = append(list, x)
			return nil
		}))
		return list
	}
	list := lines(from.ID)
	same(t, "lines", len(list), 41)
	same(t, "the first", [...]string{list[0].Player, list[0].Name, list[0].Slot, string(list[0].Value)}, [...]string{"id-player0", "Ada", "slot0", "{\"n\":0}"})
	for range 2 {
		ok(t, s.Players.Bring(t.Context(), to.ID, list, 0))
		same(t, "the added lines", lines(to.ID), list)
	}
	other := list[0]
	other.Value = []byte("2")
	ok(t, s.Players.Bring(t.Context(), to.ID, []players.Line{other}, 0))
	same(t, "the existing lines", lines(to.ID), list)
	_, err := s.Players.Player(t.Context(), to.ID, sum("player0"))
	wants(t, "its token", err, sandlot.ErrNotFound)
	_, err = s.Players.Resume(t.Context(), holder(to.ID, "new"), sum("code"))
	wants(t, "its code", err, sandlot.ErrNotFound)
	same(t, "the sum", keptOf(t, s, to).Players, int64(5))
	wants(t, "no project", s.Players.Bring(t.Context(), "none", list, 0), sandlot.ErrNotFound)
	same(t, "lines of none", len(lines("none")), 0)
	inOrder(t, s, "afterwards")
}

func bringTooMuch(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	var list []players.Line
	for i := range players.MaxSaves + 1 {
		list = append(list, players.Line{Player: "one", Slot: strconv.Itoa(i), Value: []byte("1"), At: base()})
	}
	wants(t, "too many slots", s.Players.Bring(t.Context(), p.ID, list, 0), players.ErrPlayerFull)
	large := players.Line{Key: "key", Value: bytes.Repeat([]byte("1"), players.MaxSharing), At: base()}
	wants(t, "too much that is shared", s.Players.Bring(t.Context(), p.ID, []players.Line{large}, 0), players.ErrSharedFull)
	wants(t, "over the quota", s.Players.Bring(t.Context(), p.ID, list[:1], 1), sandlot.ErrTooManyBytes)
	s.Crowd(t, p.ID, players.MaxPlayers, 0)
	wants(t, "a player too many", s.Players.Bring(t.Context(), p.ID, list[:1], 0), players.ErrTooManyPlayers)
}

func connectPlayers(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	p := s.guest(t, "guest")
	saveOf(t, s, p.ID, "ada", "main", "1")
	ok(t, s.connect(t, "guest", kim.ID))
	same(t, "kept", must(s.Players.Totals(t.Context(), kim.ID))(t).Projects[p.ID].Charged, int64(players.Charge))
	ok(t, s.Players.DeleteSave(t.Context(), holder(p.ID, "ada"), "main"))
	same(t, "bytes of the one before", must(s.Management.Usage(t.Context(), p.Account, base()))(t).Bytes, int64(0))
	inOrder(t, s, "afterwards")
}
