package players_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

type world struct {
	*testworld.World
	*players.Service
	t       *testing.T
	kim     sandlot.Caller
	project sandlot.Project
}

func newWorld(t *testing.T, opts ...testworld.Option) *world {
	t.Helper()
	t.Parallel()
	w := &world{World: testworld.New(t, opts...), t: t}
	w.Service = w.Runtime.Players
	out := w.PublishPage(testworld.Nobody(), "<!doctype html><title>one</title>")
	w.kim, w.project = w.CallerOf(out.Keys.Account), out.Project
	return w
}

// public gives a world the limits of a public instance.
func public(w *testworld.World) { w.Config.Public = true }

// visit returns a call of the player of a token, from the network of that number.
func (w *world) visit(token string, network ...byte) players.Visit {
	from := netip.AddrFrom4([4]byte{192, 0, 2, append(network, 1)[0]})
	if len(network) == 2 {
		from = netip.AddrFrom4([4]byte{198, network[0], network[1], 1})
	}
	return players.Visit{Project: w.project, Token: sandlot.DigestOf([]byte(token)), From: from}
}

// one returns nil if a call from any of four networks succeeds: two networks may share a cell of a limit.
func (w *world) one(call func(network byte) error) (err error) {
	for network := byte(10); network < 14; network++ {
		if err = call(network); err == nil {
			return nil
		}
	}
	return err
}

func (w *world) save(v players.Visit, slot, value string) error {
	_, err := w.Save(w.t.Context(), sandlot.Caller{}, v, slot, []byte(value))
	return err
}

func (w *world) load(v players.Visit, slot string) string {
	s, err := w.Load(w.t.Context(), sandlot.Caller{}, v, slot)
	if err != nil {
		return errorCode(err)
	}
	return string(s.JSON)
}

func errorCode(err error) string {
	var e *sandlot.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return err.Error()
}

func TestASaveIsLoadedAsItWasSaved(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	expect.Equal(t, "before", w.load(ada, "main"), "save_not_found")
	for _, value := range []string{
		`{"level": 3}`, `null`, `"a\u0000b"`, `"\ud800"`, ` [1e999, -0, 123456789012345678901234567890] `, `{"__proto__": {"x": 1}}`,
		strings.Repeat("[", 32) + strings.Repeat("]", 32), `"` + strings.Repeat("x", players.MaxSave-2) + `"`,
	} {
		expect.OK(t, w.save(ada, "main", value))
		expect.Equal(t, "value", w.load(ada, "main"), value)
	}
	expect.OK(t, w.DeleteSave(t.Context(), sandlot.Caller{}, ada, "main"))
	expect.Equal(t, "after", w.load(ada, "main"), "save_not_found")
}

func TestNothingThatAPlayerSendsIsAFault(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	for what, c := range map[string]struct {
		slot, value string
		want        sandlot.Code
	}{
		"no value":                {"main", "", sandlot.CodeInvalidJSON},
		"no JSON":                 {"main", "{level: 3}", sandlot.CodeInvalidJSON},
		"NaN":                     {"main", "NaN", sandlot.CodeInvalidJSON},
		"Infinity":                {"main", "[Infinity]", sandlot.CodeInvalidJSON},
		"two values":              {"main", "1 2", sandlot.CodeInvalidJSON},
		"a raw zero":              {"main", "\"a\x00b\"", sandlot.CodeInvalidJSON},
		"invalid UTF-8":           {"main", "\"\xff\"", sandlot.CodeInvalidJSON},
		"a name twice":            {"main", `[{"a":{"b":1},"a":2}]`, sandlot.CodeInvalidJSON},
		"a name twice, escaped":   {"main", `{"a":1,"\u0061":2}`, sandlot.CodeInvalidJSON},
		"33 deep":                 {"main", strings.Repeat("[", 33) + strings.Repeat("]", 33), sandlot.CodeInvalidJSON},
		"33 deep, of objects":     {"main", strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), sandlot.CodeInvalidJSON},
		"much deeper":             {"main", strings.Repeat("[", 100_000), sandlot.CodeInvalidJSON},
		"a byte too many":         {"main", `"` + strings.Repeat("x", players.MaxSave-1) + `"`, sandlot.CodeContentTooLarge},
		"10 MB":                   {"main", strings.Repeat("x", 10<<20), sandlot.CodeContentTooLarge},
		"no slot":                 {"", "1", sandlot.CodeInvalidField},
		"a slot that is too long": {strings.Repeat("x", 65), "1", sandlot.CodeInvalidField},
		"a slot with a zero":      {"a\x00", "1", sandlot.CodeInvalidField},
		"a slot with a slash":     {"a/b", "1", sandlot.CodeInvalidField},
	} {
		err := w.save(ada, c.slot, c.value)
		expect.Is(t, what, err, c.want)
		var e *sandlot.Error
		if !errors.As(err, &e) || e.Fix.Note == "" || e.Field == "" {
			t.Errorf("%s: %v has no field or no hint", what, err)
		}
	}
	for what, key := range map[string]string{
		"no key": "", "a zero": "a\x00", "a line": "a\nb", "invalid UTF-8": "\xff", "too long": strings.Repeat("ü", players.MaxKey+1),
	} {
		_, err := w.Share(t.Context(), sandlot.Caller{}, ada, key, []byte("1"))
		expect.Is(t, "Share of "+what, err, sandlot.CodeInvalidField)
		_, err = w.LoadShared(t.Context(), sandlot.Caller{}, ada, key)
		expect.Is(t, "LoadShared of "+what, err, sandlot.CodeInvalidField)
		expect.Is(t, "DeleteShared of "+what, w.DeleteShared(t.Context(), sandlot.Caller{}, ada, key), sandlot.CodeInvalidField)
		if key != "" {
			list, err := w.SharedKeys(t.Context(), sandlot.Caller{}, ada, key)
			expect.OK(t, err)
			expect.Equal(t, "keys of "+what, len(list), 0)
		}
	}
	_, err := w.Share(t.Context(), sandlot.Caller{}, ada, strings.Repeat("ü", players.MaxKey), []byte(`"`+strings.Repeat("x", players.MaxShared)))
	expect.Is(t, "a large shared value", err, sandlot.CodeContentTooLarge)
	for _, code := range []string{"", "acorn", "acorn-acorn-acorn-acorn-acorn", strings.Repeat("acorn ", 1<<20), "\x00\xff", "acorn acorn acorn acorn"} {
		_, err := w.Resume(t.Context(), sandlot.Caller{}, ada, code)
		expect.Is(t, "an unknown code", err, sandlot.CodeInvalidCode)
	}
	p, err := w.Rename(t.Context(), sandlot.Caller{}, ada, "\x00\xff<script>"+strings.Repeat("x", 10<<20))
	expect.OK(t, err)
	expect.Equal(t, "a name of 10 MB", p.Name, "<script>xxxxxxxxxxxx")
}

func TestAVisitAloneStoresNoPlayer(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	hello := func() players.Player {
		t.Helper()
		p, err := w.Hello(t.Context(), sandlot.Caller{}, ada)
		expect.OK(t, err)
		return p
	}
	written := w.Written()
	if p := hello(); p.ID != "" || p.Since == "" || w.Written() != written {
		t.Errorf("%+v", p)
	}
	_, err := w.Rename(t.Context(), sandlot.Caller{}, ada, " Ada\n")
	expect.OK(t, err)
	p := hello()
	if len(p.ID) != 10 || p.Name != "Ada" {
		t.Errorf("%+v", p)
	}
	_, err = w.Hello(t.Context(), sandlot.Caller{}, players.Visit{Project: w.project})
	expect.Is(t, "without a token", err, sandlot.CodePlayerRequired)
}

func TestTheStampOfAStay(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	p, err := w.Hello(t.Context(), sandlot.Caller{}, ada)
	expect.OK(t, err)
	for what, c := range map[string]struct {
		v     players.Visit
		stamp string
		after time.Duration
		want  time.Duration
	}{
		"its own":             {ada, p.Since, 7 * time.Second, 7 * time.Second},
		"a day":               {ada, p.Since, 24 * time.Hour, 24 * time.Hour},
		"over a day":          {ada, p.Since, 24*time.Hour + time.Second, 0},
		"of another player":   {w.visit("bob"), p.Since, time.Minute, 0},
		"of another project":  {players.Visit{Project: sandlot.Project{ID: "other"}, Token: ada.Token}, p.Since, time.Minute, 0},
		"before its time":     {ada, p.Since, -time.Minute, 0},
		"none":                {ada, "", time.Minute, 0},
		"another time":        {ada, "1" + p.Since, time.Minute, 0},
		"a time without seal": {ada, strings.Split(p.Since, ".")[0] + ".", time.Minute, 0},
	} {
		expect.Equal(t, what, players.Stayed(w.Vault(), c.v, c.stamp, w.Now().Add(c.after)), c.want)
	}
}

func TestACodeBringsAPlayerToAnotherDevice(t *testing.T) {
	w := newWorld(t)
	desk, phone := w.visit("desk"), w.visit("phone")
	expect.OK(t, w.save(desk, "main", `"of the desk"`))
	expect.OK(t, w.save(phone, "main", `"of the phone"`))
	first, err := w.Code(t.Context(), sandlot.Caller{}, desk)
	expect.OK(t, err)
	code, err := w.Code(t.Context(), sandlot.Caller{}, desk)
	expect.OK(t, err)
	_, err = w.Resume(t.Context(), sandlot.Caller{}, phone, first)
	expect.Is(t, "the previous code", err, sandlot.CodeInvalidCode)
	for range 2 {
		_, err = w.Resume(t.Context(), sandlot.Caller{}, phone, strings.ToUpper(strings.ReplaceAll(code, "-", "  ")))
		expect.OK(t, err)
	}
	expect.Equal(t, "the phone", w.load(phone, "main"), `"of the desk"`)
	expect.OK(t, w.save(phone, "main", `"of both"`))
	expect.Equal(t, "the desk", w.load(desk, "main"), `"of both"`)
	for table, rows := range w.Rows() {
		if strings.Contains(strings.Join(rows, " "), code) {
			t.Errorf("the code is in the table %s", table)
		}
	}
}

func TestCodesAreNotFoundByTrying(t *testing.T) {
	w := newWorld(t, public)
	code, err := w.Code(t.Context(), sandlot.Caller{}, w.visit("ada"))
	expect.OK(t, err)
	tries := 0
	try := func(v players.Visit) error {
		_, err := w.Resume(t.Context(), sandlot.Caller{}, v, "acorn acorn acorn acorn")
		tries++
		return err
	}
	for err = try(w.visit("bob")); errors.Is(err, sandlot.CodeInvalidCode); err = try(w.visit("bob" + strconv.Itoa(tries))) {
	}
	expect.Is(t, "of one network", err, sandlot.CodeRateLimited)
	expect.Equal(t, "tries of one network", tries, 61)
	expect.OK(t, w.one(func(network byte) error { // another network still resumes
		_, err := w.Resume(t.Context(), sandlot.Caller{}, w.visit("carl", network), code)
		return err
	}))
	wrong := 60
	for i := range 3500 {
		if errors.Is(try(w.visit("bob", byte(i/256), byte(i))), sandlot.CodeInvalidCode) {
			wrong++
		}
	}
	expect.Equal(t, "wrong codes of many networks", wrong, 3000)
	_, err = w.Resume(t.Context(), sandlot.Caller{}, w.visit("dora", 3), code)
	expect.Is(t, "the right code after them", err, sandlot.CodeRateLimited)
}

func TestWritesOfAPlayerAreLimited(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	n, err := 0, error(nil)
	for ; n < 1000 && err == nil; n++ {
		err = w.save(ada, "main", "1")
	}
	expect.Is(t, "too many", err, sandlot.CodeRateLimited)
	expect.Equal(t, "at once", n, 121)
	var e *sandlot.Error
	if !errors.As(err, &e) || e.RetryAfter <= 0 || e.RetryAfter > 10*time.Second {
		t.Errorf("retry after: %+v", e)
	}
	expect.OK(t, w.save(w.visit("bob"), "main", "1"))
	ada.Exempt = true
	expect.OK(t, w.save(ada, "main", "2"))
	ada.Exempt = false
	w.Clock.Move(time.Hour)
	for n, err = 0, nil; n < 1000 && err == nil; n++ {
		w.Clock.Move(time.Second)
		err = w.save(ada, "main", "1")
	}
	expect.Equal(t, "at one write a second", n > 140 && n < 150, true)
}

func TestNewPlayersOfANetworkAreLimited(t *testing.T) {
	w := newWorld(t, public)
	n, err := 0, error(nil)
	for ; n < 1000 && err == nil; n++ {
		err = w.save(w.visit("player"+strconv.Itoa(n)), "main", "1")
	}
	expect.Is(t, "too many", err, sandlot.CodeRateLimited)
	expect.Equal(t, "at once", n, 101)
	expect.OK(t, w.save(w.visit("player0"), "main", "2"))
	expect.OK(t, w.one(func(network byte) error { return w.save(w.visit("other", network), "main", "1") }))
}

func TestTheOwnerTurnsItOff(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	expect.OK(t, w.save(ada, "main", "1"))
	set := func(word string) {
		_, err := w.Publish.Amend(t.Context(), w.kim, string(w.project.ID), publish.AmendInput{Runtime: &word})
		expect.OK(t, err)
		ada.Project, err = w.Publish.Reader.Current(t.Context(), sandlot.Caller{}, w.project.ID)
		expect.OK(t, err)
	}
	writes := map[string]func() error{
		"Save":         func() error { return w.save(ada, "main", "2") },
		"DeleteSave":   func() error { return w.DeleteSave(t.Context(), sandlot.Caller{}, ada, "main") },
		"Share":        func() error { _, err := w.Share(t.Context(), sandlot.Caller{}, ada, "key", []byte("1")); return err },
		"DeleteShared": func() error { return w.DeleteShared(t.Context(), sandlot.Caller{}, ada, "key") },
		"Rename":       func() error { _, err := w.Rename(t.Context(), sandlot.Caller{}, ada, "Ada"); return err },
		"Code":         func() error { _, err := w.Code(t.Context(), sandlot.Caller{}, ada); return err },
		"Resume": func() error {
			_, err := w.Resume(t.Context(), sandlot.Caller{}, ada, "acorn acorn acorn acorn")
			return err
		},
	}
	for _, word := range []string{"read", "off"} {
		set(word)
		for what, write := range writes {
			expect.Is(t, what+" while it is "+word, write(), sandlot.CodeRuntimeOff)
		}
	}
	expect.Equal(t, "read while it is off", w.load(ada, "main"), "runtime_off")
	_, err := w.Hello(t.Context(), sandlot.Caller{}, ada)
	expect.Is(t, "Hello while it is off", err, sandlot.CodeRuntimeOff)
	set("read")
	w.Clock.Move(24 * time.Hour)
	written := w.Written()
	expect.Equal(t, "read while it is read-only", w.load(ada, "main"), "1")
	expect.Equal(t, "writes of a read", w.Written(), written)
	set("on")
	expect.OK(t, w.save(ada, "main", "2"))
}

func TestTheOwnerSeesTheUsage(t *testing.T) {
	w := newWorld(t)
	warned := func() string {
		list, err := w.Warn(t.Context(), w.kim, w.project.ID)
		expect.OK(t, err)
		if len(list) == 0 {
			return ""
		}
		return list[0].Code
	}
	usage := func() players.Usage {
		u, err := w.Usage(t.Context(), w.kim, string(w.project.ID))
		expect.OK(t, err)
		return u
	}
	expect.Equal(t, "at first", usage(), players.Usage{Most: players.MaxBytes})
	expect.OK(t, w.save(w.visit("ada"), "main", "1"))
	expect.Equal(t, "of one player", usage(), players.Usage{Players: 1, Bytes: players.Step, Most: players.MaxBytes})
	expect.Equal(t, "warned", warned(), "")
	w.Service.Most = 100 << 10 // the page and a charge of 64 KiB leave less than another
	expect.OK(t, w.save(w.visit("ada"), "large", `"`+strings.Repeat("x", 58<<10)+`"`))
	expect.Is(t, "over the quota", w.save(w.visit("bob"), "large", `"`+strings.Repeat("x", 58<<10)+`"`), sandlot.CodeQuotaExceeded)
	expect.Equal(t, "near the bound", warned(), "")
	w.Service.Most = 70 << 10
	expect.Equal(t, "at the bound", warned(), "players_full")
	list, err := w.Warn(t.Context(), w.OwnerOf(w.kim.Account()), "another")
	expect.OK(t, err)
	expect.Equal(t, "of another project", len(list), 0)
}

// crowded is a store with n players of each project.
type crowded struct {
	players.Store
	n int64
}

func (c crowded) Totals(ctx context.Context, account sandlot.AccountID) (players.Totals, error) {
	t, err := c.Store.Totals(ctx, account)
	for id, sum := range t.Projects {
		sum.Players = c.n
		t.Projects[id] = sum
	}
	return t, err
}

// TestTheOwnerIsWarnedOfTooManyPlayers: they may have no more than a name, and no bytes.
func TestTheOwnerIsWarnedOfTooManyPlayers(t *testing.T) {
	w := newWorld(t)
	_, err := w.Rename(t.Context(), sandlot.Caller{}, w.visit("ada"), "Ada")
	expect.OK(t, err)
	kept := w.Service.Store
	for n, warnings := range map[int64]int{players.MaxPlayers*8/10 - 1: 0, players.MaxPlayers * 8 / 10: 1} {
		w.Service.Store = crowded{kept, n}
		list, err := w.Warn(t.Context(), w.kim, w.project.ID)
		expect.OK(t, err)
		expect.Equal(t, fmt.Sprint("warnings of ", n), len(list), warnings)
	}
}

func TestTheOwnerRemovesAPlayer(t *testing.T) {
	w := newWorld(t)
	ada := w.visit("ada")
	p, err := w.Rename(t.Context(), sandlot.Caller{}, ada, "Rude")
	expect.OK(t, err)
	expect.OK(t, w.save(ada, "main", "1"))
	expect.OK(t, w.RemovePlayer(t.Context(), w.kim, string(w.project.ID), p.ID, true))
	p, err = w.Rename(t.Context(), sandlot.Caller{}, ada, "Rude again")
	expect.OK(t, err)
	expect.Equal(t, "name of a refused player", p.Name, "")
	expect.Equal(t, "its save", w.load(ada, "main"), "save_not_found")
	expect.OK(t, w.RemovePlayer(t.Context(), w.kim, string(w.project.ID), p.ID, false))
	expect.Is(t, "again", w.RemovePlayer(t.Context(), w.kim, string(w.project.ID), p.ID, false), sandlot.CodeNotFound)
}
