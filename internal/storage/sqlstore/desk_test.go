package sqlstore

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAnItemHasNetworksAndVerdicts on both engines: of records that other rooms make.
func TestAnItemHasNetworksAndVerdicts(t *testing.T) {
	t.Parallel()
	itemHasNetworks(t, mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db")))
}

func TestAnItemHasNetworksAndVerdictsOnPostgres(t *testing.T) {
	t.Parallel()
	itemHasNetworks(t, newPostgres(t))
}

func itemHasNetworks(t *testing.T, db *DB) {
	t.Helper()
	p, q := mustProject(t, db, 1), mustProject(t, db, 2)
	for i, network := range []string{"a", "a", "b", ""} {
		mustExec(t, db, "INSERT INTO reports (number, form, project, reason, details, contact, at, network) VALUES (?, ?, ?, 'malware', '', '', ?, ?)",
			fmt.Sprint("R-", i), []byte{byte(i)}, string(p.ID), i+10, []byte(network))
	}
	mustExec(t, db, "INSERT INTO verdicts (project, version, answer, reason, at) VALUES (1, 1, 'hold', 'a login', 5)")
	for account, network := range map[int]string{1: "n", 2: "n"} {
		mustExec(t, db, "INSERT INTO publishers (account, network, wide, at) VALUES (?, ?, ?, 1)", account, []byte(network), []byte("w"))
	}
	list, err := db.Operate().Desk().Queue(t.Context(), 0, 9)
	expect.OK(t, err)
	expect.Equal(t, "items", len(list), 1)
	i := list[0]
	expect.Same(t, "item", []any{i.Project.ID, i.Reports, i.Networks, i.Waits, i.Since.UnixMicro(), i.Same.Network},
		[]any{p.ID, 4, 2, []string{desk.WaitsReports, desk.WaitsVerdict}, int64(5), 1})
	c, err := db.Operate().Desk().Case(t.Context(), p.ID)
	expect.OK(t, err)
	expect.Same(t, "case", []any{c.Verdict, c.SameAs["network"]}, []any{"hold: a login", []string{string(q.ID)}})
	a := desk.Act{At: time.Now(), Allow: func(desk.Moderator, []desk.Standing) error { return nil }}
	made, err := db.Operate().Desk().Decide(t.Context(), a, desk.Order{Action: desk.Dismiss, Targets: []desk.Target{{Project: p.ID, State: i.State}}})
	expect.OK(t, err)
	list, err = db.Operate().Desk().Queue(t.Context(), 0, 9)
	expect.OK(t, err)
	expect.Equal(t, "items that are decided about", len(list), 0)
	expect.OK(t, db.Operate().Desk().Undo(t.Context(), a, made[0].ID))
	list, err = db.Operate().Desk().Queue(t.Context(), 0, 9)
	expect.OK(t, err)
	expect.Same(t, "what waits after undo", list[0].Waits, []string{desk.WaitsVerdict})
}

// useDesk makes all calls of a moderator but for those that list.
func useDesk(t *testing.T, db *DB, p sandlot.Project) {
	t.Helper()
	ctx, store := t.Context(), db.Operate().Desk()
	a := desk.Act{At: time.Now(), Account: p.Account, Allow: func(desk.Moderator, []desk.Standing) error { return nil }}
	for _, action := range []desk.Action{desk.Hold, desk.TakeDown, desk.Dismiss, desk.TakeDownAccount} {
		o := desk.Order{Action: action, Block: action == desk.TakeDown, Targets: []desk.Target{{Project: p.ID}}}
		made, err := store.Decide(ctx, a, o)
		expect.OK(t, err)
		_, err = db.Mail().Decision(ctx, made[0].ID, sandlot.Digest{byte(made[0].ID)})
		expect.OK(t, err)
		_, err = db.Mail().Outcome(ctx, made[0].ID, "ann@example.com")
		expect.Is(t, "outcome", err, sandlot.ErrNotFound)
		if action == desk.Hold || action == desk.TakeDownAccount {
			expect.OK(t, store.Undo(ctx, a, made[0].ID))
		}
	}
	expect.OK(t, store.AddNote(ctx, a, p.ID, "x"))
	expect.OK(t, second(store.Shown(ctx, p.ID)))
	expect.OK(t, second(store.ShownFile(ctx, p.ID, p.Primary)))
	expect.Is(t, "contested", second(store.Contested(ctx, sandlot.Digest{9})), sandlot.ErrNotFound)
	expect.Is(t, "object", store.Object(ctx, sandlot.Digest{9}, "x", time.Now()), sandlot.ErrNotFound)
}

// TestTheQueueReadsWhatWaitsAlone: 10,000 open reports are read from an index in some milliseconds, and nothing else.
func TestTheQueueReadsWhatWaitsAlone(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	waits := []string{"reports_open", "projects_held", "verdicts_waiting", "decisions_objected"}
	queries := []string{selectWaiting, selectItems + "p.num = 1", sameHash, sameAccount, sameNetwork}
	for _, query := range queries {
		for _, line := range plan(t, db, query) {
			scans := strings.HasPrefix(line, "SCAN ") && !slices.Contains([]string{"SCAN w", "SCAN r", "SCAN s"}, line)
			for _, index := range waits {
				scans = scans && !strings.Contains(line, index)
			}
			if scans || strings.HasPrefix(line, "SCAN reports") && !strings.Contains(line, "reports_open") {
				t.Errorf("%s\n\tof %s", line, query)
			}
		}
	}
}
