package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/sqlite"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestPlans uses every method once and then asks the database how it runs each
// statement that was prepared: none may read a whole table or index, whose cost
// would grow with the installation, and none may sort more than one project.
func TestPlans(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	useAll(t, db)
	var queries []string
	// The writer's statements are its own: to read them, be a step.
	expect.Is(t, "step", db.step(t.Context(), nil, func(tx *tx) error {
		queries = tx.Tx.(*sqlite.Tx).Queries(onSQLite(db))
		return nil
	}), nil)
	queries = append(queries, selectUpload, selectParts)
	explained := 0
	for _, q := range queries {
		if !planned(q) {
			continue
		}
		explained++
		for _, line := range plan(t, db, q) {
			if grows(line) || strings.Contains(line, "TEMP B-TREE") && !sortsProject(q) {
				t.Errorf("%s\n\tof %s", line, q)
			}
		}
	}
	if explained < 60 {
		t.Errorf("only %d statements were seen", explained)
	}
}

// TestAStepThatRemovesPlayersReadsNoOthers: of a project with 100,000 players it would hold up every writer, two thousand times.
func TestAStepThatRemovesPlayersReadsNoOthers(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	p, now := mustProject(t, db, 1), time.Now()
	expect.OK(t, db.Players().Save(t.Context(), players.Holder{Project: p.ID, Fresh: "a", Now: now}, "main", []byte("1"), 0))
	mustExec(t, db, "UPDATE projects SET deleted_at = 1 WHERE num = 1")
	mustExec(t, db, "INSERT INTO removals (project, at) VALUES (1, 1)")
	_, _, err := db.Upkeep().Sweep(t.Context(), now, now, 1000)
	expect.OK(t, err)
	var queries []string
	expect.OK(t, db.step(t.Context(), nil, func(tx *tx) error {
		queries = tx.Tx.(*sqlite.Tx).Queries(onSQLite(db))
		return nil
	}))
	removed := 0
	for _, q := range queries {
		if !strings.HasPrefix(q, "DELETE FROM") {
			continue
		}
		if strings.HasPrefix(q, "DELETE FROM saves") {
			removed++
		}
		for _, line := range plan(t, db, q) {
			if strings.Contains(line, "SEARCH players") && strings.HasSuffix(line, "(project=?)") {
				t.Errorf("%s\n\tof %s", line, q)
			}
		}
	}
	if removed == 0 {
		t.Error("the sweep has removed no saves")
	}
}

// TestWhatTrendsReadsTheDaysOfAWeekAlone: the statement sorts what was played, but reads no table for it.
func TestWhatTrendsReadsTheDaysOfAWeekAlone(t *testing.T) {
	t.Parallel()
	lines := plan(t, mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db")), selectTrending)
	if want := "SEARCH day_figures USING COVERING INDEX day_figures_day (day>?)"; !slices.Contains(lines, want) {
		t.Errorf("%q is not in the plan %q", want, lines)
	}
}

func useFaults(t *testing.T, db *DB, p sandlot.Project, now time.Time) {
	t.Helper()
	store, ctx := db.Faults(), t.Context()
	expect.OK(t, store.AddFaults(ctx, []faults.Counted{{Project: p.ID, Group: faults.Group{Version: 1, Count: 1, FirstAt: now, LastAt: now}}}))
	_, err := store.Faults(ctx, p.ID, 1)
	expect.OK(t, err)
	_, err = store.FaultsOf(ctx, p.ID, 1)
	expect.OK(t, err)
	expect.OK(t, store.AddMessage(ctx, p.ID, faults.NewMessage{Version: 1, Text: "x", At: now}, 5))
	_, err = store.Messages(ctx, p.ID, 0, 10)
	expect.OK(t, err)
	expect.OK(t, store.DeleteMessage(ctx, p.ID, 1))
}

// planned are the statements that look for rows and belong to no start.
func planned(query string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	return slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, word) &&
		!strings.Contains(query, "migrations") && !strings.Contains(query, "sqlite_schema") && !ofDeleted(query)
}

// ofDeleted are the queries that look through everything for what is left of a deleted
// account, once, and beside the writer: indexes for them would cost every publish.
func ofDeleted(query string) bool {
	return strings.Contains(query, "forgets WHERE email") || slices.ContainsFunc(remnants(sqlite.Dialect{}), func(r remnant) bool { return r.find == query })
}

// grows reports a step whose cost grows with the installation, or with the
// history of a project. The counter is a table of one row, days are those that
// were asked for, and a virtual table looks words up, or reads its argument.
func grows(line string) bool {
	if (strings.Contains(line, "SEARCH f ") || strings.Contains(line, "SEARCH files ")) && strings.HasSuffix(line, "(project=?)") {
		return true
	}
	return strings.Contains(line, "SCAN") && !strings.Contains(line, "VIRTUAL TABLE INDEX") && line != "SCAN counter" && line != "SCAN days" && !strings.Contains(line, "SUBQUERY")
}

// sortsProject are the queries that sort what they found: the files of one
// project, the variants of one file, and the faults of one version.
func sortsProject(query string) bool {
	return strings.Contains(query, "JOIN files f ON f.project = p.num") || strings.Contains(query, "FROM faults g") ||
		strings.Contains(query, "JOIN faults f ON f.project = p.num")
}

func plan(t *testing.T, db *DB, query string) []string {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	lines, err := all(t.Context(), db, func(r row) (string, error) {
		var id, parent, unused int
		var detail string
		err := r.Scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "EXPLAIN QUERY PLAN "+query, args...)
	expect.OK(t, err, query)
	return lines
}

// useAll calls every method, most of them in vain.
func useAll(t *testing.T, db *DB) {
	t.Helper()
	ctx, now := context.Background(), time.Now()
	na := benchAccount(2)
	a, err := db.Publish().CreateAccount(ctx, na)
	expect.Is(t, "create account", err, nil)
	p := mustProject(t, db, 1)
	for _, version := range []int{1, 2} {
		_, err = db.Publish().Files(ctx, p.ID, version)
		_ = err
		_, err = db.Publish().FilesWith(ctx, p.ID, version, "gzip")
		_ = err
	}
	u := publish.Upload{Key: benchSum("upload", 1), Account: a.ID, ExpiresAt: now.Add(time.Hour)}
	for range 3 {
		u.Generation, err = db.Publish().SaveUpload(ctx, u, &publish.Part{N: 1, Blob: sandlot.Blob{Inline: []byte("x")}}, publish.UploadQuota{Uploads: 9, Account: 1 << 30})
		expect.Is(t, "save upload", err, nil)
	}
	once := &publish.IdempotencyRecord{Key: benchSum("once", 1), ExpiresAt: now}
	at := publish.Edit{Expect: 1, Idempotency: once, Upload: &publish.Completion{Key: u.Key, Generation: u.Generation, ExpiresAt: now}}
	blob := sandlot.Blob{Ref: "a-blob", Size: 1}
	p, err = db.Publish().PutFile(ctx, p.ID, sandlot.File{Name: "a.js", Folded: "a.js", Blob: blob}, at)
	expect.Is(t, "put file", err, nil)
	files, err := db.Publish().Files(ctx, p.ID, 2)
	expect.Is(t, "files", err, nil)
	expect.Is(t, "again", func() error {
		_, err := db.Publish().PutFile(ctx, p.ID, sandlot.File{Name: "b.js", Folded: "b.js", Blob: files[0].Blob}, publish.Edit{Expect: 2})
		return err
	}(), nil)
	variants := []sandlot.Variant{{Encoding: "br", Blob: sandlot.Blob{Inline: []byte("x")}}}
	for range 2 {
		expect.Is(t, "put variants", db.Variants().PutVariants(ctx, files[0].Blob.ID, variants), nil)
	}
	_, err = db.Publish().DeleteFile(ctx, p.ID, "a.js", publish.Edit{Expect: 3})
	expect.Is(t, "delete file", err, nil)
	expect.Is(t, "set email", db.Publish().SetEmail(ctx, a.ID, "b@example.com", sandlot.Job{Kind: "verify"}), nil)
	_, err = db.Mail().AddVerification(ctx, account.Verification{Account: a.ID, Email: "b@example.com", ExpiresAt: now.Add(time.Hour)})
	expect.Is(t, "add verification", err, nil)
	jobs, err := db.Mail().ClaimJobs(ctx, now.Add(time.Hour), now.Add(2*time.Hour), account.Busy{}, 9)
	expect.Is(t, "claim jobs", err, nil)
	expect.Is(t, "count mail", db.Mail().CountMail(ctx, jobs[0].ID, []account.Share{{Most: 1}}, now, now), nil)
	expect.Is(t, "finish job", db.Mail().FinishJob(ctx, jobs[0], true, now), nil)
	expect.Is(t, "finish job without a message", db.Mail().FinishJob(ctx, jobs[2], false, now), nil)
	expect.Is(t, "retry job", db.Mail().RetryJob(ctx, jobs[1], now), nil)
	expect.Is(t, "touch keys", db.Credentials().TouchKeys(ctx, map[int64]time.Time{1: now}), nil)
	expect.Is(t, "add counts", second(db.Gallery().AddCounts(ctx, map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 1, Loads: []gallery.Load{{ID: 1, Source: "a.example"}}}})), nil)
	again, err := db.Gallery().AddCounts(ctx, map[sandlot.ProjectID]gallery.Counts{p.ID: {Loads: []gallery.Load{{ID: 1}}}})
	expect.Is(t, "add counts of a load that was counted", err, nil)
	expect.Equal(t, "loads that were counted", len(again), 1)
	_, err = db.Account().UseVerification(ctx, sandlot.Digest{}, now)
	expect.Is(t, "use verification", err, nil)
	_, err = db.Mail().AddVerification(ctx, account.Verification{Token: sandlot.Digest{7}, Account: a.ID, Email: "b@example.com", ExpiresAt: now.Add(time.Hour)})
	expect.Is(t, "add verification of a verified address", err, sandlot.ErrMoved)
	refuse(t, db, now)
	_, _, err = db.Upkeep().Sweep(ctx, now.Add(100*24*time.Hour), now.Add(time.Hour), 100)
	expect.Is(t, "sweep", err, nil)
	useBoards(t, db, p, now)
	useLogins(t, db, now)
	useStops(t, db, now)
	useOwned(t, db, a, p, now)
	useGrants(t, db, p, now)
	usePlayers(t, db, p, now)
	manage(t, db, p, now)
	_, err = db.Gallery().Like(ctx, p.ID, sandlot.Digest{}, true)
	expect.Is(t, "like", err, nil)
	_, err = db.Gallery().Like(ctx, p.ID, sandlot.Digest{}, true)
	expect.Is(t, "like again", err, nil)
	_, err = db.Gallery().Unlike(ctx, p.ID, benchSum("visitor", 1))
	expect.Is(t, "unlike", err, nil)
	useFaults(t, db, p, now)
	act(t, db, a, p)
	readAll(t, db, p, now)
	_, _, err = db.Upkeep().Trim(ctx, 1, now.Add(time.Hour), 0, 100) // last, for it forgets versions
	expect.Is(t, "trim", err, nil)
}

func useBoards(t *testing.T, db *DB, p sandlot.Project, now time.Time) {
	ctx, store := context.Background(), Boards{db, 4, 9}
	for i := range uint64(12) {
		in := boards.Placing{
			Holder: players.Holder{Project: p.ID, Token: benchSum("player", i), Fresh: fmt.Sprint("player", i), Now: now},
			Board:  "main", Score: float64(i), Name: "a", Admit: func(boards.Board) error { return nil },
		}
		for range 2 {
			expect.Is(t, "place", second(store.Place(ctx, in)), nil)
		}
		expect.Is(t, "top", second(store.Top(ctx, boards.Reading{Project: p.ID, Board: "main", Token: in.Token, Limit: 5, Around: true})), nil)
	}
	expect.Is(t, "boards", second(store.Boards(ctx, p.ID)), nil)
	expect.Is(t, "moved", second(store.Moved(ctx, now, 9)), nil)
	expect.Is(t, "rows", store.Rows(ctx, p.ID, "main", 9, func(boards.Row) error { return nil }), nil)
	expect.Is(t, "bring", store.Bring(ctx, p.ID, boards.Board{Name: "new"}, []boards.Row{{Player: "player0"}, {Player: "b"}}, 0), nil)
	low := 6.0
	expect.Is(t, "amend", second(store.Amend(ctx, p.ID, "main", boards.Change{Min: &low, RemovePlayers: []string{"player9"}}, now)), nil)
	expect.OK(t, db.step(ctx, nil, func(x *tx) error { return unplace(x, playerRow{num: 2, project: 1}) }))
	expect.Is(t, "reset", second(store.Amend(ctx, p.ID, "main", boards.Change{Reset: true}, now)), nil)
	expect.Is(t, "delete", store.Delete(ctx, p.ID, "main"), nil)
	_, _, err := db.Upkeep().Sweep(ctx, now.Add(100*24*time.Hour), now.Add(-time.Hour), 1000)
	expect.Is(t, "sweep", err, nil)
}

func refuse(t *testing.T, db *DB, now time.Time) {
	ctx := context.Background()
	a, err := db.Publish().CreateAccount(ctx, publish.NewAccount{Handles: []string{"refuser"}, Email: "c@example.com", Key: sandlot.Key{Hash: sandlot.Digest{7}}})
	expect.Is(t, "create account", err, nil)
	_, err = db.Mail().AddVerification(ctx, account.Verification{Token: sandlot.Digest{7}, Account: a.ID, Email: "c@example.com", ExpiresAt: now.Add(time.Hour)})
	expect.Is(t, "add verification", err, nil)
	_, err = db.Account().RefuseVerification(ctx, sandlot.Digest{7}, now)
	expect.Is(t, "refuse verification", err, nil)
	_, _, err = db.Publish().OldKeys(ctx, a.ID)
	expect.Is(t, "old keys", err, nil)
	expect.Is(t, "replace old keys", db.Publish().ReplaceOldKeys(ctx, a.ID, sandlot.Key{Hash: sandlot.Digest{8}}, publish.IdempotencyRecord{Key: sandlot.Digest{8}}), nil)
}

func useLogins(t *testing.T, db *DB, now time.Time) {
	ctx := context.Background()
	id, err := db.Account().AddLogin(ctx, account.Login{Email: "b@example.com", ExpiresAt: now.Add(time.Hour)}, sandlot.Job{})
	expect.Is(t, "add login", err, nil)
	_, err = db.Account().Login(ctx, sandlot.Digest{}, now)
	expect.Is(t, "login", err, nil)
	_, err = db.Account().LoginOfToken(ctx, sandlot.Digest{}, now)
	expect.Is(t, "login of token", err, sandlot.ErrNotFound)
	_, err = db.Mail().WriteLogin(ctx, id, account.LoginMessage{ExpiresAt: now.Add(time.Hour)}, now)
	expect.Is(t, "write login", err, nil)
	_, err = db.Mail().Claimant(ctx, id, now)
	expect.Is(t, "claimant", ignore(err), nil)
	_, err = db.Account().CountProjects(ctx, 1)
	expect.Is(t, "count projects", ignore(err), nil)
	expect.Is(t, "prove login", db.Account().ProveLogin(ctx, sandlot.Digest{1}, sandlot.Digest{}, now), sandlot.ErrNotFound)
	_, err = db.Account().TryLogin(ctx, id, sandlot.Digest{1}, 5, now)
	expect.Is(t, "try login", err, nil)
	_, err = db.Account().AccountsOf(ctx, "", 9)
	expect.Is(t, "accounts of", err, nil)
	_, err = db.Account().TryLogin(ctx, id, sandlot.Digest{}, 5, now)
	expect.Is(t, "try login with its code", err, nil)
	_, err = db.Account().LogIn(ctx, id, sandlot.Digest{9}, sandlot.Session{Account: 1}, sandlot.Session{})
	expect.Is(t, "log in", err, nil)
}

func useStops(t *testing.T, db *DB, now time.Time) {
	ctx := context.Background()
	stop := sandlot.Stop{Kind: sandlot.StopClaims, At: now, Until: now.Add(time.Hour)}
	expect.Is(t, "stop", db.Account().StopMail(ctx, stop, "b@example.com"), nil)
	_, err := db.Account().StopOf(ctx, sandlot.Digest{}, sandlot.StopClaims, now)
	expect.Is(t, "stop of", err, nil)
	expect.Is(t, "lift", db.Account().LiftStop(ctx, sandlot.Digest{}, sandlot.StopClaims), nil)
	expect.Is(t, "stop again", db.Account().StopMail(ctx, stop, "b@example.com"), nil)
	expect.Is(t, "lift all", db.Operate().LiftStops(ctx, sandlot.Digest{}, sandlot.LogEntry{}), nil)
}

// useOwned does what owners do.
func useOwned(t *testing.T, db *DB, a sandlot.Account, p sandlot.Project, now time.Time) {
	ctx, soon := context.Background(), now.Add(time.Hour)
	expect.Is(t, "rename", db.Account().Rename(ctx, a.ID, "renamed", now, now, 9), nil)
	expect.Is(t, "set language", db.Account().SetLang(ctx, a.ID, "fr"), nil)
	m := account.EmailMove{Account: a.ID, Email: "c@example.com", ExpiresAt: soon}
	expect.Is(t, "propose", db.Account().ProposeEmail(ctx, m, sandlot.Job{Address: "c"}, now, 9), nil)
	_, err := db.Account().ProposedEmail(ctx, a.ID, now)
	expect.Is(t, "proposed", err, nil)
	expect.Is(t, "withdraw", db.Account().WithdrawEmail(ctx, 0), nil)
	_, err = db.Mail().AddEmailLink(ctx, sandlot.Digest{3}, m, now)
	expect.Is(t, "add link", err, nil)
	_, err = db.Account().EmailLink(ctx, sandlot.Digest{3}, false, now)
	expect.Is(t, "link", err, nil)
	_, err = db.Account().TakeEmail(ctx, sandlot.Digest{3}, now, soon, sandlot.Job{})
	expect.Is(t, "take", err, nil)
	_, err = db.Account().TakeEmailBack(ctx, sandlot.Digest{3}, now)
	expect.Is(t, "take back", err, sandlot.ErrNotFound)
	k := sandlot.Key{Hash: benchSum("minted", 1), Project: p.ID}
	expect.Is(t, "mint", db.Publish().MintKey(ctx, p.Account, k, 9, publish.IdempotencyRecord{Key: sandlot.Digest{4}}), nil)
	list, err := db.Publish().Keys(ctx, p.Account, 0, 9)
	expect.Is(t, "keys", err, nil)
	expect.Is(t, "revoke", db.Publish().RevokeKey(ctx, p.Account, list[0].ID, now), nil)
	expect.Is(t, "rotate", db.Publish().RotateKey(ctx, a.ID, sandlot.Key{Hash: benchSum("rotated", 1)}, publish.IdempotencyRecord{Key: sandlot.Digest{5}}), nil)
}

func useGrants(t *testing.T, db *DB, p sandlot.Project, now time.Time) {
	ctx, soon := context.Background(), now.Add(time.Hour)
	k := sandlot.Key{Hash: sandlot.Digest{30}, Account: p.Account, Project: p.ID, Client: "client"}
	pair := oauth.Pair{Access: oauth.Token{Hash: sandlot.Digest{31}, ExpiresAt: soon}, Fresh: oauth.Token{Hash: sandlot.Digest{32}, ExpiresAt: soon}}
	_, err := db.Account().AddGrant(ctx, oauth.Grant{Key: k, Pair: pair})
	expect.Is(t, "add grant", err, nil)
	_, err = db.Credentials().KeyByToken(ctx, sandlot.Digest{31}, now)
	expect.Is(t, "key by token", err, nil)
	pair.Access.Hash, pair.Fresh.Hash = sandlot.Digest{33}, sandlot.Digest{34}
	_, _, err = db.Account().Renew(ctx, oauth.Renewal{Old: sandlot.Digest{32}, Client: "client", At: now, Pair: pair})
	expect.Is(t, "renew", err, nil)
	expect.Is(t, "end grant", db.Account().EndGrant(ctx, k.Hash, now), nil)
	expect.Is(t, "end grant of token", db.Account().EndGrantOf(ctx, sandlot.Digest{31}, "client", now), nil)
	for i := range byte(2) {
		w := oauth.Waiting{Code: sandlot.Digest{40, i}, UserCode: sandlot.Digest{41, i}, Client: oauth.Client{ID: "client"}, ExpiresAt: soon}
		expect.Is(t, "add device", db.Account().AddDevice(ctx, w), nil)
		_, err = db.Account().Device(ctx, w.UserCode, now)
		expect.Is(t, "device", err, nil)
		_, _, err = db.Account().Poll(ctx, oauth.Poll{Code: w.Code, Client: "client", At: now})
		expect.Is(t, "poll", err, nil)
		k.Hash = w.Code
		expect.Is(t, "decide", db.Account().Decide(ctx, w.UserCode, &k, now), nil)
	}
	pair.Access.Hash, pair.Fresh.Hash = sandlot.Digest{35}, sandlot.Digest{36}
	_, _, err = db.Account().Poll(ctx, oauth.Poll{Code: sandlot.Digest{40}, Client: "client", At: now.Add(time.Minute), Pair: pair})
	expect.Is(t, "poll a decided one", err, nil)
	_, _, err = db.Upkeep().Sweep(ctx, now.Add(2*time.Hour), now, 100)
	expect.Is(t, "sweep grants", err, nil)
}

// usePlayers makes all calls of players, and removes players.
func usePlayers(t *testing.T, db *DB, p sandlot.Project, now time.Time) {
	ctx, store := context.Background(), db.Players()
	h := players.Holder{Project: p.ID, Token: sandlot.Digest{50}, Fresh: "player", Now: now.Add(-players.Kept)}
	expect.Is(t, "save", store.Save(ctx, h, "main", []byte("1"), 0), nil)
	h.Now = now
	expect.Is(t, "save more", store.Save(ctx, h, "main", bytes.Repeat([]byte("1"), 70_000), 1<<40), nil)
	_, _, err := store.Load(ctx, p.ID, h.Token, "main")
	expect.Is(t, "load", err, nil)
	expect.Is(t, "saves", second(store.Saves(ctx, p.ID, h.Token)), nil)
	expect.Is(t, "player", second(store.Player(ctx, p.ID, h.Token)), nil)
	expect.Is(t, "seen", store.Seen(ctx, h), nil)
	expect.Is(t, "rename player", second(store.Rename(ctx, h, "Ada")), nil)
	expect.Is(t, "code", store.SetCode(ctx, h, sandlot.Digest{51}), nil)
	expect.Is(t, "resume", second(store.Resume(ctx, h, sandlot.Digest{51})), nil)
	expect.Is(t, "share", store.Share(ctx, h, "key", []byte("1"), 1<<40), nil)
	expect.Is(t, "load shared", second(store.LoadShared(ctx, p.ID, "key")), nil)
	expect.Is(t, "shared keys", second(store.SharedKeys(ctx, p.ID, "k")), nil)
	var lines []players.Line
	expect.Is(t, "lines", store.Lines(ctx, p.ID, func(x players.Line) error {
		lines = append(lines, x)
		return nil
	}), nil)
	expect.Is(t, "bring", store.Bring(ctx, p.ID, append(lines, players.Line{Player: "brought", Slot: "main", Value: []byte("1")}), 1<<40), nil)
	expect.Is(t, "remove what was brought", store.Remove(ctx, p.ID, "brought", false), nil)
	expect.Is(t, "delete shared", store.DeleteShared(ctx, h, "key"), nil)
	expect.Is(t, "delete save", store.DeleteSave(ctx, h, "main"), nil)
	expect.Is(t, "totals", second(store.Totals(ctx, p.Account)), nil)
	expect.Is(t, "refuse", store.Remove(ctx, p.ID, "player", true), nil)
	expect.Is(t, "remove", store.Remove(ctx, p.ID, "player", false), nil)
	h.Now = now.Add(-2 * players.Kept)
	expect.Is(t, "save long ago", store.Save(ctx, h, "main", []byte("1"), 0), nil)
	_, _, err = db.Upkeep().Sweep(ctx, now, now, 100)
	expect.Is(t, "sweep players", err, nil)
}

// manage does what owners do with a project.
func manage(t *testing.T, db *DB, p sandlot.Project, now time.Time) {
	ctx := context.Background()
	expect.Is(t, "set details", db.Publish().SetDetails(ctx, p.ID, publish.Details{Title: "t", Tags: "cats"}.Change()), nil)
	_, err := db.Publish().Details(ctx, p.ID)
	expect.Is(t, "details", err, nil)
	p, err = db.Publish().Project(ctx, p.ID)
	expect.Is(t, "project", err, nil)
	_, err = db.Publish().Rearrange(ctx, p.ID, publish.Change{Put: []sandlot.File{{Name: "c.js", Folded: "c.js", Blob: sandlot.Blob{Inline: []byte("x")}}}}, publish.Edit{Expect: p.Version})
	expect.Is(t, "rearrange", err, nil)
	large := publish.Change{Put: make([]sandlot.File, 61)} // as many as statements for many rows and for one
	for i := range large.Put {
		large.Put[i] = sandlot.File{Name: fmt.Sprint(i), Folded: fmt.Sprint(i), Blob: sandlot.Blob{Inline: []byte("x")}}
	}
	refused := large
	refused.Drop = []sandlot.File{{Name: p.Primary, Folded: p.Primary}}
	_, err = db.Publish().Rearrange(ctx, p.ID, refused, publish.Edit{Expect: p.Version + 1})
	expect.Is(t, "rearrange many files, in vain", err, sandlot.ErrNoPrimary)
	_, err = db.Publish().Rearrange(ctx, p.ID, large, publish.Edit{Expect: p.Version + 1})
	expect.Is(t, "rearrange many files", err, nil)
	_, err = db.Publish().Versions(ctx, p.ID, 0, 9)
	expect.Is(t, "versions", err, nil)
	expect.Is(t, "erase", db.Publish().EraseVersion(ctx, p.ID, 2, now), nil)
}

// act does what an operator does; lists, which are for people, are not here.
func act(t *testing.T, db *DB, a sandlot.Account, p sandlot.Project) {
	ctx := context.Background()
	for _, s := range []sandlot.Subject{{Account: p.Account}, {Project: p.ID}} {
		expect.Is(t, "suspend", db.Operate().Suspend(ctx, s, sandlot.LogEntry{}), nil)
		expect.Is(t, "reinstate", db.Operate().Reinstate(ctx, s, sandlot.LogEntry{}), nil)
	}
	_, err := db.Operate().AddKey(ctx, a.ID, sandlot.Key{Hash: benchSum("new key", 1)}, true, sandlot.LogEntry{Target: "@a"})
	expect.Is(t, "add key", err, nil)
	useDesk(t, db, p)
	gone := mustProject(t, db, 3)
	expect.Is(t, "remove project", db.Operate().Remove(ctx, sandlot.Subject{Project: gone.ID}, sandlot.LogEntry{}), nil)
	expect.Is(t, "remove account", db.Operate().Remove(ctx, sandlot.Subject{Account: gone.Account}, sandlot.LogEntry{}), nil)
	_, _, err = db.Upkeep().Sweep(ctx, time.Now(), time.Now().Add(time.Hour), 100)
	expect.Is(t, "sweep what was removed", err, nil)
}

func readAll(t *testing.T, db *DB, p sandlot.Project, now time.Time) {
	ctx := context.Background()
	for name, read := range map[string]func() error{
		"key":         func() error { _, err := db.Credentials().KeyByHash(ctx, benchSum("project key", 1)); return err },
		"projects":    func() error { _, err := db.Publish().Projects(ctx, p.Account, 0, 10); return err },
		"version":     func() error { _, err := db.Publish().Version(ctx, p.ID, 1); return err },
		"content":     func() error { _, err := db.Publish().Content(ctx, 1); return err },
		"checkpoints": func() error { _, err := db.Publish().Checkpoints(ctx, 1); return err },
		"unsqueezed":  func() error { _, err := db.Variants().Unsqueezed(ctx, nil, 10); return err },
		"unknown":     func() error { _, err := db.Upkeep().Unknown(ctx, []sandlot.BlobRef{"x"}); return err },
		"secret":      func() error { _, err := db.Publish().Secret(ctx, "x", []byte("y")); return err },
		"upload of token": func() error {
			_, err := db.Credentials().UploadOfToken(ctx, benchSum("token", 1), now)
			return ignore(err)
		},
		"upload": func() error { _, err := db.Publish().Upload(ctx, benchSum("upload", 1), 1, now); return ignore(err) },
		"parts": func() error {
			_, err := db.Publish().UploadParts(ctx, benchSum("upload", 1), 1)
			if errors.Is(err, sandlot.ErrUploadMoved) {
				return nil
			}
			return err
		},
		"ping":               func() error { return db.Ping(ctx) },
		"handle":             func() error { _, err := db.Operate().AccountByHandle(ctx, benchName("owner", 1)); return ignore(err) },
		"detail":             func() error { _, err := db.Operate().ProjectDetail(ctx, p.ID); return err },
		"plays by day":       func() error { _, err := db.Gallery().PlaysByDay(ctx, []sandlot.ProjectID{p.ID}, now, now); return err },
		"figures by day":     func() error { _, err := db.Gallery().FiguresByDay(ctx, p.ID, now, now); return err },
		"figures by version": func() error { _, err := db.Gallery().FiguresByVersion(ctx, p.ID, 9); return err },
		"listed":             func() error { _, err := db.Gallery().Listed(ctx, gallery.ListedQuery{Limit: 9}); return err },
		"given":              func() error { _, err := db.Account().HandleGiven(ctx, "a"); return err },
		"waiting":            func() error { _, err := db.Gallery().Waiting(ctx, 9); return err },
		"rule":               func() error { return db.Gallery().ListUnverified(ctx, false) },
		"profile": func() error {
			_, err := db.Gallery().Listed(ctx, gallery.ListedQuery{Account: 1, Limit: 9})
			return err
		},
		"listed of numbers": func() error {
			_, err := db.Gallery().Listed(ctx, gallery.ListedQuery{Numbers: []int64{1}, Limit: 9})
			return err
		},
		"named":    func() error { _, err := db.Gallery().Named(ctx, 1, 9); return err },
		"relisted": func() error { _, err := db.Gallery().Relisted(ctx, 1, 9); return err },
		"listed of a tag": func() error {
			_, err := db.Gallery().Listed(ctx, gallery.ListedQuery{Tag: "cats", Limit: 9})
			return err
		},
		"listed of":  func() error { _, err := db.Gallery().ListedOf(ctx, []sandlot.ProjectID{p.ID}); return err },
		"old handle": func() error { _, err := db.Gallery().AccountOfHandle(ctx, benchName("owner", 1)); return ignore(err) },
		"liked":      func() error { _, err := db.Gallery().Liked(ctx, p.ID, sandlot.Digest{}); return err },
		"log":        func() error { _, err := db.Operate().Log(ctx, operate.LogQuery{Limit: 9}); return err },
		"log of":     func() error { _, err := db.Operate().Log(ctx, operate.LogQuery{Target: "@a", Limit: 9}); return err },
		"changes":    func() error { _, err := db.Publish().Changes(ctx, []sandlot.ProjectID{"none"}); return err },
	} {
		expect.Is(t, name, read(), nil)
	}
	_, err := db.Publish().IdempotencyRecord(ctx, sandlot.Digest{}, now)
	expect.Is(t, "once", err, sandlot.ErrNotFound)
	_, err = db.Account().Verification(ctx, sandlot.Digest{}, now)
	expect.Is(t, "verification", err, sandlot.ErrNotFound)
}

// ignore keeps every error but the one of a record that is not there.
func ignore(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}
