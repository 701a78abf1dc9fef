package main

import "slices"

// A mutation is one small edit after which tests must fail.
type mutation struct {
	name     string
	file     string
	old, new string // old stands in the file exactly once
	tests    string // the arguments of go test that must fail
}

// mutations are what the promises rest on, a line of code each. A row whose old
// text is gone is an error, so the table follows the code.
func mutations() []mutation {
	return slices.Concat(durability(), access(), sessions(), cached(), admissions(), messages(), integrity(), agents(), operated(), players(), front(), regressions())
}

// Tests that notice.
const (
	blobTests    = "./internal/storage/blob/..."
	storeTests   = "./internal/storage/sqlstore/..."
	accountTests = "./internal/domain/account"
	publishTests = "./internal/domain/publish"
	inspectTests = "./internal/format/inspect"
	galleryTests = "./internal/domain/gallery"
	operateTests = "./internal/domain/operate"
	said         = "-run ^TestPublishContract$/^Changes/ ./internal/storage/sqlstore"
	given        = "-run ^Test(Publish|Gallery|Operate|Trial|Account)Contract$ ./internal/storage/sqlstore"
	apiTests     = "./internal/transport/api"
)

func durability() []mutation {
	const (
		put    = "internal/storage/blob/put.go"
		disk   = "internal/storage/blob/disk.go"
		writer = "internal/storage/sqlstore/sqlite/writer.go"
		pragma = "internal/storage/sqlstore/sqlite/connect.go"
		commit = "	if err := w.commit(); err != nil {\n"
	)
	return []mutation{
		{"no sync of a blob's file", put, "err = classify(f.Sync())", "err = nil", blobTests},
		{"no sync of a blob's folder", put, "d.syncDir(path[:2])", "error(nil)", blobTests},
		{"no sync of the folder of folders", disk, `d.fs.SyncDir(".")`, "error(nil)", blobTests},
		{"a failed close of a blob is passed over", put, "		err = classify(cerr)\n", "		_ = cerr\n", blobTests},
		{"synchronous = NORMAL", pragma, `{"FULL"}`, `{"NORMAL"}`, storeTests},
		{"acknowledged before the commit", writer, commit, "	answer(batch, nil)\n" + commit, storeTests},
		{"writing goes on after a failed sync", writer, "if !lostSync(err) {", "if true || !lostSync(err) {", storeTests},
	}
}

func access() []mutation {
	const (
		caller = "caller.go"
		query  = "internal/storage/sqlstore/projects.go"
		keys   = "internal/storage/sqlstore/accounts.go"
		read   = "internal/domain/publish/read.go"
		who    = "-run ^TestWhoIsLetInToProjects$ " + publishTests
	)
	return []mutation{
		{"anybody operates", "internal/domain/operate/service.go", "return sandlot.Authorize(by, sandlot.ActOperate, nil)", "return nil", operateTests},
		{"a step passes over a changed blocklist", "internal/storage/sqlstore/blocks.go", "	if generation == 0 {", "	if generation >= 0 {", given},
		{"networks stay when the address is verified", "internal/storage/sqlstore/jobs.go", "append([]engine.Statement{dropPublishers(v.Account)}, sameBlocks(t, checked)...)...", "sameBlocks(t, checked)...", given},
		{"anybody reads the audit log", "internal/domain/operate/list.go", "	if err := operator(by); err != nil {\n		return nil, err\n	}\n	return s.store.Log(", "	return s.store.Log(", operateTests},
		{"the operator is nobody to a publish", caller, "case act == ActPublish && by.kind != callerOperator:", "case act == ActPublish:", who},
		{"any session has any project", caller, "case p != nil && p.Account != by.Account():", "case false:", who},
		{"a session changes a suspended account", caller, "case by.key.Suspended && changes:", "case false:", who},
		{"a session changes what was taken down", caller, "case p != nil && p.Suspended && changes:", "case false:", who},
		{"another's key is anybody's to revoke", "internal/storage/sqlstore/keyring.go", "WHERE id = ? AND account = ?\", micros(at), id, account)", "WHERE id = ? AND ? > 0\", micros(at), id, account)", who},
		{"keys are shown without a login", "internal/domain/publish/keyring.go", "next int64, err error) {\n	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil)", "next int64, err error) {\n	if err := sandlot.Authorize(by, sandlot.ActLook, nil)", who},
		{"an overview is shown without a login", "internal/domain/gallery/page.go", "sandlot.ActSeeOwn", "sandlot.ActLook", "-run ^TestWhoIsLetInToTheGallery$ " + galleryTests},
		{"any account may edit any project", caller, "by.key.Account != p.Account || ", "", apiTests},
		{"a project key covers its account", caller, "|| by.Scoped() && by.key.Project != p.ID", "", apiTests},
		{"a project key may publish", caller, "act == ActPublish && by.Scoped()", "false", apiTests},
		{"nobody needs a key", caller, "case by.kind != callerKey:", "case false:", apiTests},
		{"a suspended account may publish", caller, "by.key.Suspended && (act == ActPublish || act == ActImport || act == ActEdit || act == ActSettle || act == ActDeleteProject)", "false", apiTests},
		{"a session makes a project in a suspended account", "internal/storage/sqlstore/projects.go", "case o.Suspended:", "case o.Suspended && false:", "-run ^TestWhoIs " + publishTests},
		{"what was taken down may be changed", caller, "case (act == ActEdit || act == ActSettle) && p.Suspended:", "case false:", publishTests},
		{"files are shown to anybody", read, "Owner: sandlot.Authorize(by, sandlot.ActReadFiles, &p) == nil", "Owner: true", apiTests},
		{"an account's list has all projects", query, "p.account = ? AND p.seq < ?", "p.account <> -? AND p.seq < ?", storeTests},
		{"a revoked key finishes its call", keys, "WHERE k.revoked_at IS NULL AND k.id = ?", "WHERE k.id = ?", storeTests},
		{"an unverified address replaces a verified one", keys, "case verified:", "case verified && false:", "-run ^TestRegression35 " + publishTests},
		{"a revoked key works", keys, " AND k.revoked_at IS NULL", "", storeTests},
		{"any account invites", caller, "by.me.Role == OperatorRole && ", "", "-run ^TestOnlyOperatorsInvite$ " + operateTests},
		{"an invitation opens two accounts", "internal/storage/sqlstore/invitations.go", "WHERE token = ? AND used_at = 0 AND ", "WHERE token = ? AND ", storeTests},
		{"an answer of a provider logs any browser in", "internal/domain/account/openid.go", "!ok || subtle.", "!ok || false && subtle.", "-run Provider ./internal/transport/web"},
		{"an address that a provider does not verify enters", "internal/domain/account/openid.go", "return p.EmailVerified && slices", "return slices", "-run Vouched ./internal/transport/web"},
	}
}

func sessions() []mutation {
	const (
		sessions = "internal/storage/sqlstore/logins.go"
		logins   = "internal/storage/sqlstore/logins.go"
		contract = "-run ^Test(Account|Publish)Contract$/^(Session|EndSession|EndSessions|ProveLogin|Login|LoginOfToken)$ ./internal/storage/sqlstore"
		who      = "-run ^TestWhoIsLetInToAnAccount$ " + accountTests
	)
	return []mutation{
		{"session: one that has ended goes on", sessions, "s.hash = ? AND s.expires_at > ?", "s.hash = ? AND ? > 0", contract},
		{"session: an address that is taken back leaves who took it logged in", "internal/storage/sqlstore/recovery.go", `"DELETE FROM sessions WHERE account = ?", m.Account`, `"DELETE FROM sessions WHERE account = -?", m.Account`, "-run ^TestAccountContract$ ./internal/storage/sqlstore"},
		{"session: a login leaves the session before it", logins, `"DELETE FROM sessions WHERE account = ? AND id = ?", had.Account`, `"DELETE FROM sessions WHERE account = -? AND id = ?", had.Account`, "-run ^TestAccountContract$ ./internal/storage/sqlstore"},
		{"session: anybody ends it", sessions, `"DELETE FROM sessions WHERE account = ? AND id = ?", account`, `"DELETE FROM sessions WHERE account + ? > 0 AND id = ?", account`, who},
		{"session: those of all accounts end together", sessions, "DELETE FROM sessions WHERE account = ? AND id <> ?", "DELETE FROM sessions WHERE account + ? > 0 AND id <> ?", who},
		{"session: a login is proved in another browser", logins, "WHERE token = ? AND browser = ? AND expires_at > ?", "WHERE token = ? AND length(?) > 0 AND expires_at > ?", contract},
		{"session: a login is proved when it has ended", logins, "WHERE token = ? AND browser = ? AND expires_at > ?", "WHERE token = ? AND browser = ? AND ? > 0", contract},
	}
}

// cached are the promises of heads.Cache, and of the lists of files.
func cached() []mutation {
	const (
		heads = "internal/domain/heads/heads.go"
		of    = "-run (Head|Confirm|DeletedProjectIsNotServed|ChangeByAnotherProcess) ./internal/domain/heads"
	)
	return []mutation{
		{"cached heads: a look-up that began before a change puts back what it saw", heads, "if h.gen[shard(p.ID)] != gen {", "if false {", of},
		{"cached heads: one is served however old", heads, "if now-time.Duration(known.confirmed.Load()) > hold {", "if h.age(known) > hold && false {", of},
		{"cached heads: a confirmation counts from its answer", heads, "known.confirmed.Store(int64(at))\n		}", "known.confirmed.Store(int64(h.since()))\n		}", of},
		{"cached heads: none is served while the database cannot be asked", heads, "		hold = HoldAlone\n", "", of},
		{"cached heads: an error of the database is an answer", heads, "errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.CodeProjectNotFound)", "!errors.Is(err, sandlot.ErrUnavailable)", of},
		{"cached heads: those of an account that changed stay", heads, "if known.Account == c.Account {", "if known.Account != c.Account {", of},
		{"the bytes of a step that is running are anybody's", "internal/domain/publish/contents_held.go", "	s.move(blobs, handed)\n", "", "-run ^TestStaging$ " + publishTests},
		{"a part's bytes are not guarded", "internal/storage/sqlstore/uploads.go", "blobs = append(blobs, part.Blob)", "_ = part.Blob", "-run ^TestRegression03 " + publishTests},
		{"a list of files is gone while the database cannot be asked", "internal/transport/play/cache.go", "if err != nil && known {", "if err != nil && known && false {", "-run ^TestAListIsServedWhileItCannotBeReadAgain$ ./internal/transport/play"},
	}
}

func admissions() []mutation {
	const (
		grant   = "internal/domain/admission/grant.go"
		guess   = "internal/domain/admission/guess.go"
		ofAdm   = "./internal/domain/admission"
		ofWeb   = "-run ^(TestExpensiveOperationsHaveALimit|TestEveryRouteHasAnOperation)$ ./internal/transport/web"
		ofPlay  = "-run ^TestHeartbeatsHaveALimit$ ./internal/transport/play"
		ofAdmit = "-run ^(TestRefusalsOfAdmission|TestEveryRouteHasAnOperation)$ ./internal/transport/api"
	)
	return []mutation{
		{"admission: a route without an operation is let in", grant, "if !op.Known() {\n", "if false {\n", ofAdm},
		{"admission: the API does not ask", "internal/transport/api/auth.go", "op := c.operation()", "op := admission.Look", ofAdmit},
		{"admission: a route of the API costs nothing", "operations.go", "Cost: \"signup\"", "Cost: \"look\"", ofAdmit},
		{"admission: the website does not ask", "internal/transport/web/visit.go", "v.admit(r.operation)", "v.admit(admission.Look)", ofWeb},
		{"admission: a search costs nothing", "internal/transport/web/home.go", "v.grant.Also(admission.Search)", "v.grant.Also(admission.Look)", ofWeb},
		{"admission: heartbeats cost nothing", "internal/transport/play/own.go", `{"heartbeat", admission.Heartbeat,`, `{"heartbeat", admission.Look,`, ofPlay},
		{"admission: wrong keys do not count", guess, "	l.guessed(from, secret, right && err == nil)\n", "	_ = right\n", ofAdm},
		{"admission: a message with a publish is free", "internal/transport/intake/receive.go", "if f.has(\"email\") {", "if false {", ofAdmit},
		{"admission: a slot is not given back", grant, "	delete(g.l.bodies, g)\n", "", ofAdm},
	}
}

func messages() []mutation {
	const (
		notMe   = "internal/domain/account/notme.go"
		stops   = "internal/storage/sqlstore/reports.go"
		notMeOf = "-run ^TestNotMe$ ./internal/domain/account"
		shares  = "internal/domain/account/shares.go"
		share   = "-run ^TestRegression05 ./internal/domain/account"
		claim   = "-run ^TestRegression07 ./internal/domain/account"
		slow    = "-run ^TestRegression45 ./internal/storage/mail"
		claims  = "UPDATE accounts SET email = '', mailbox = '' WHERE verified = 0 AND \"+ofMailbox"
	)
	return []mutation{
		{"a message goes where none is wanted", notMe, "	return err == nil, err\n", "	return false, err\n", notMeOf},
		{"a claim outlives that no message is wanted", stops, claims, "UPDATE accounts SET email = '', mailbox = '' WHERE verified = 2 AND \"+ofMailbox", notMeOf},
		{"an owner loses the address by a message about another's claim", stops, claims, "UPDATE accounts SET email = '', mailbox = '' WHERE \"+ofMailbox", notMeOf},
		{"a stop of messages with logins does not end by itself", notMe, "stop.Until = now.Add(loginPause)", "_ = loginPause", notMeOf},
		{"mail: one stranger uses up the logins of all", shares, `ShareOf(j.Address, loginsByOne, "logins by %x", j.Asker.Network)`, `ShareOf(j.Address, 1000, "logins by %x", j.Asker.Network)`, share},
		{"mail: strangers use up the logins of a browser that was logged in", shares, "AskedKnown:\n		return []Share{all, asked}", "AskedKnown:\n		return []Share{all, asked, unproved}", share},
		{"mail: claims use up the logins of strangers", shares, `of(loginsByStranger, "logins")`, `of(loginsByStranger, "claims")`, share},
		{"another's language is anybody's to set", "internal/domain/account/owner.go", "SetLang(ctx context.Context, by sandlot.Caller, lang string) error {\n	if err := sandlot.Authorize(by, sandlot.ActOwn, nil)", "SetLang(ctx context.Context, by sandlot.Caller, lang string) error {\n	if err := sandlot.Authorize(by, sandlot.ActLook, nil)", "-run ^TestWhoIsLetInToAnAccount$ " + accountTests},
		{"who was suspended cannot log out", "internal/domain/account/session.go", "id int64) error {\n	if err := sandlot.Authorize(by, sandlot.ActDelete, nil)", "id int64) error {\n	if err := sandlot.Authorize(by, sandlot.ActOwn, nil)", "-run ^TestWhoIsLetInToAnAccount$ " + accountTests},
		{"a step that failed in doubt leaves what is cached", "internal/domain/heads/heads.go", "if !errors.Is(err, sandlot.ErrNoEffect) {", "if err == nil {", "-run ^TestWhatThisNodeChangesIsToldToOthers$ ./internal/domain/heads"},
		{"a step does not return what it changed", "internal/storage/sqlstore/stores.go", "changed = x.changed", "_ = x.changed", said},
		{"an edit does not return its project", "internal/storage/sqlstore/projects.go", "\t\tt.changed = changed(id)\n\t\tp, err = t.edit(", "\t\tp, err = t.edit(", said},
		{"other details do not return their project", "internal/storage/sqlstore/manage.go", "\t\tt.changed = changed(id)\n", "", said},
		{"an erasure does not return its project", "internal/storage/sqlstore/removals.go", "\t\tt.changed = changed(id)\n", "", said},
		{"a trim does not return its projects", "internal/storage/sqlstore/removals.go", "s.changed = changed(p.id)", "_ = p.id", said},
		{"a deletion does not return its project", "internal/storage/sqlstore/trash.go", "\"delete project\", store.db.onProject(ctx, id, func(t *tx) error {\n\t\tt.changed = changed(id)\n", "\"delete project\", store.db.onProject(ctx, id, func(t *tx) error {\n", said},
		{"what is taken back is not returned", "internal/storage/sqlstore/trash.go", "\"take project back\", store.db.onProject(ctx, id, func(t *tx) error {\n\t\tt.changed = changed(id)\n", "\"take project back\", store.db.onProject(ctx, id, func(t *tx) error {\n", said},
		{"a renaming does not return its account", "internal/storage/sqlstore/owner.go", "\t\tt.changed.Account = id\n", "", said},
		{"an account whose projects are taken over is not returned", "internal/storage/sqlstore/owner.go", "\t\tt.changed.Account = from\n", "", said},
		{"a verification does not return its account", "internal/storage/sqlstore/jobs.go", "\t\tt.changed.Account = v.Account\n", "", said},
		{"another address does not return its account", "internal/storage/sqlstore/recovery.go", "\tt.changed.Account = m.Account\n", "", said},
		{"a suspension does not return its subject", "internal/storage/sqlstore/admin.go", "string) error {\n\tt.changed = s.Changed()\n", "string) error {\n", said},
		{"a removal does not return its subject", "internal/storage/sqlstore/admin.go", "\t\tt.changed = s.Changed()\n", "", said},
		{"a variant's bytes are not guarded", "internal/storage/sqlstore/variants.go", "\t\tblobs[i] = v.Blob\n", "\t\t_, _ = i, v\n", given},
		{"a picture's bytes are not guarded", "internal/storage/sqlstore/covers.go", "return slices.Collect(maps.Values(n.Sizes))", "return slices.Collect(maps.Values(n.Sizes))[:0]", given},
		{"mail: a word of any mailbox makes a known browser", "internal/domain/account/known.go", "string(word)+names.EmailKey(address)", "string(word)", share},
		{"mail: other messages take the places of logins", "internal/domain/account/dispatch.go", "r.total-r.logins >= most-most/4", "false && most > 0", slow},
		{"mail: a slow domain takes all places", "internal/domain/account/dispatch.go", "case n < mailsPerDomain:", "case n < 100*mailsPerDomain:", slow},
		{"mail: an address that was refused stays", "internal/storage/sqlstore/jobs.go", "UPDATE accounts SET email = '', mailbox = '' WHERE id = ? AND email = ? AND verified = 0", "UPDATE accounts SET email = '' WHERE id = ? AND email = ? AND verified = 2", claim},
		{"mail: keys from before a verification stay", "internal/storage/sqlstore/keyring.go", "created_at < (SELECT", "created_at > (SELECT", claim},
		{"to look at the link of a message stops them", "internal/transport/web/mail_links.go", "m.notMe(m.account.NotMe, false)", "m.notMe(m.account.StopMail, false)", "-run NotMe ./internal/transport/web"},
	}
}

func integrity() []mutation {
	const (
		verify  = "internal/storage/blob/verify.go"
		stage   = "internal/domain/publish/contents.go"
		uploads = "internal/storage/sqlstore/uploads.go"
		sweep   = "internal/storage/sqlstore/sweep.go"
		calls   = "internal/domain/publish/idempotency.go"
		used    = "EXISTS (SELECT 1 FROM files f WHERE f.blob = b.id)"
	)
	return []mutation{
		{"the collector does not ask whether the clock is right", "internal/domain/operate/collect.go", "may := c.Ages == nil\n", "may := true\n", operateTests},
		{"a blob's hash is not compared", verify, "sum != b.SHA256 || ", "false && sum != b.SHA256 || ", blobTests},
		{"a range does not check its MiBs", verify, "if !p.OK(b.SHA256) {", "if false && !p.OK(b.SHA256) {", blobTests},
		{"a MiB that is known is read again", verify, "if d.trust.has(b.Ref, proven, one) {", "if false && d.trust.has(b.Ref, proven, one) {", blobTests},
		{"one MiB that was checked stands for the others", "internal/storage/blob/trust.go", "s.mebis[i/64]&(1<<(i%64)) == 0", "s.mebis[i/64] == 0", blobTests},
		{"what comes from a store is not compared", "internal/storage/blob/cache/stream.go", "return p.OK(b.SHA256)", "return true", blobTests},
		{"the cache has no bound", "internal/base/recent/recent.go", "m.weight > m.most", "false", "./internal/base/recent"},
		{"files are recorded without checkpoints", "internal/storage/sqlstore/blobs.go", `b.Checkpoints != ""`, "false", publishTests},
		{"a content's hash is not compared", stage, " || sandlot.DigestOf(data) != b.SHA256", "", publishTests},
		{"a declared hash is not compared", "internal/domain/publish/checks.go", `d.SHA256 != "" && `, "false && ", publishTests},
		{"a job is claimed that another process has", "internal/storage/sqlstore/jobs.go", "(leased_until <= ?5 OR leased_until > ?6)", "(1 OR leased_until <= ?5 OR leased_until > ?6)", storeTests},
		{"a lease of a wrong clock holds a job", "internal/storage/sqlstore/upkeep.go", "l.length + skew", "l.length + 100000*skew", storeTests},
		{"whoever lost a job gives it back", "internal/storage/sqlstore/jobs.go", "leased_until = 0 WHERE id = ? AND leased_until = ?", "leased_until = 0 WHERE id = ? AND (1 OR leased_until = ?)", storeTests},
		{"whoever lost a file gives it back", "internal/storage/sqlstore/variants.go", `" AND leased_until = ?"`, `" AND (1 OR leased_until = ?)"`, storeTests},
		{"a file is claimed that another process makes variants of", "internal/storage/sqlstore/variants.go", "AND (leased_until <= ? OR", "AND (1 OR leased_until <= ? OR", storeTests},
		{"a change of details is not counted", "internal/storage/sqlstore/manage.go", "changed = changed + 1, ", "", storeTests},
		{"a change of an account is not counted", "internal/storage/sqlstore/owner.go", "changed = changed + 1, ", "", storeTests},
		{"an edit does not look what it changes", "internal/storage/sqlstore/projects.go", "p.Version != at.Expect", "false", storeTests},
		{"an upload is used more than once", uploads, "generation = ? AND done_project IS NULL`+t.dialect.Locked", "generation <> -?`+t.dialect.Locked", storeTests},
		{"a completed upload tells its keys to anybody", "internal/domain/publish/upload_call.go", "return n == done.Part && call.hash() == done.SHA256", "_ = n\n	return true", publishTests},
		{"a request sent again happens again", calls, "	rec, keys, err := c.findAnswer(ctx, r)\n", "	rec, keys, err := IdempotencyRecord{}, Minted{}, errNoRecord\n", publishTests + " " + apiTests},
		{"another request gets the answer of the first", calls, "rec.Request != r.asked", "false", publishTests + " " + apiTests},
		{"an Idempotency-Key is anybody's", calls, `return "key " + r.by.Key().Hash.String()`, `return "key"`, publishTests + " " + apiTests},
		{"an Idempotency-Key without a key is everybody's", calls, `return "network " + r.by.From.Network`, `return "network"`, "-run ^TestRegression11 " + publishTests},
		{"a call made from another network is made again", calls, "r.elsewhere = c.vault.Keyed(", "_ = c.vault.Keyed(", publishTests},
		{"an upload_id without a key is everybody's", "internal/domain/publish/uploads.go", `owner = "network " + by.From.Network`, `owner = "network"`, "-run ^TestRegression11 " + publishTests},
		{"open uploads are outside of the quota", "internal/storage/sqlstore/quota.go", "WHERE account = a.id AND expires_at", "WHERE account = -a.id AND expires_at", "-run ^TestRegression03 " + publishTests},
		{"open uploads of a network are outside of its limit", "internal/storage/sqlstore/quota.go", "has.bytes > all.times*q.Bytes", "false && has.bytes > all.times*q.Bytes", "-run ^TestRegression03 " + publishTests},
		{"an answer is recorded twice", "internal/storage/sqlstore/idempotency.go", "	WHERE idempotency.expires_at <= ?11`", "	WHERE idempotency.expires_at <= ?11 OR 1`", storeTests},
		{"a record of an answer is not part of the step", "internal/storage/sqlstore/idempotency.go", "		err := t.must(sandlot.ErrAlreadyDone, insertRecord,", "		if o != nil {\n			return nil\n		}\n		err := t.must(sandlot.ErrAlreadyDone, insertRecord,", storeTests},
		{"blobs are stored in a folder that was moved away", "internal/storage/blob/disk.go", "d.place = place", "_ = place", "-run ^TestRegression09 " + blobTests},
		{"a batch of plays counts twice after another node's", "internal/storage/sqlstore/days.go", "WHERE counters.batch < excluded.batch", "WHERE 1 = 1", storeTests},
		{"a part is refused because another node accepted one", "internal/domain/publish/uploads.go", "uploadTries, uploadPause = 50,", "uploadTries, uploadPause = 1,", "-run ^TestPartsOf " + publishTests},
		{"contents are recorded once for each file that has them", "internal/storage/sqlstore/blobs.go", "else if !found {", "else if !found || found {", storeTests},
		{"a file is dropped that has another name", "internal/storage/sqlstore/files.go", "if !names[f.name] {", "if false {", storeTests},
		{"all small files of a call are in their records", "internal/domain/publish/contents.go", "> mostRecorded {", "< 0 {", "-run ^TestTheRecordsOfACall " + publishTests},
		{"a version is recorded without its primary file", "internal/storage/sqlstore/manage.go", "return sandlot.ErrNoPrimary", "return nil", storeTests},
		{"bytes are deleted of a step that may have happened", "internal/domain/publish/contents_held.go", "to := doubtful", "to := staged", "-run ^TestRegression32 " + publishTests},
		{"the collector does not wait a day", "internal/domain/operate/collect.go", "c.Strays(ctx, now.Add(-Grace))", "c.Strays(ctx, now)", operateTests},
		{"each call that waits for a trial looks for itself", "internal/domain/trial/await.go", "	if w.look == nil {", "	if true {", "./internal/domain/trial"},
		{"a stop waits for calls that wait for a trial", "internal/domain/trial/await.go", "c.State.pending() && s.status.able()", "c.State.pending()", "./internal/domain/trial"},
		{"the collector takes what is published", sweep, used, "0", storeTests},
	}
}

// operated are the promises to those who install and restart.
func operated() []mutation {
	const (
		health  = "cmd/sandlot/health.go"
		stop    = "-run ^TestStop$ ./cmd/sandlot"
		healthy = "-run ^TestHealth$ ./cmd/sandlot"
	)
	return []mutation{
		{"reports: they hold a project of an account that is verified for long", "internal/storage/sqlstore/reporthold.go", "AND (a.verified = 0 OR coalesce", "AND (a.verified >= 0 OR coalesce", "-run ^TestReportsOfThreeNetworks ./internal/domain/operate"},
		{"reports: a network is the same in every project", "internal/domain/operate/report.go", `s.vault.Keyed("report network "+string(p.ID), `, `s.vault.Keyed("report network ", `, "-run ^TestTheNetworkOfAReport ./internal/domain/operate"},
		{"reports: a program gets an answer", "internal/domain/operate/mailed.go", "|| m.Automatic ||", "||", "-run ^TestMailIsAnswered ./internal/domain/operate"},
		{"judge: another word is a verdict", "internal/domain/operate/judge/verdict.go", "	case Pass, Hold, Refuse:\n", "	default:\n", "-run ^TestWhatAJudgeAnswers$ ./internal/domain/operate/judge"},
		{"judge: what a command leaves behind goes on", "internal/storage/hook/command.go", "	endRest(cmd)\n", "", "./internal/storage/hook"},
		{"judge: a verdict holds nothing", "internal/storage/sqlstore/verdicts.go", "return hold(t, num, sandlot.HeldJudge, at)", "return nil", "-run ^TestJudgeContract$ ./internal/storage/sqlstore"},
		{"operate: a handshake for an unknown name gets a certificate", "internal/transport/certificate/certificate.go", "	return \"\", false\n", "	return h.Base(), true\n", "-run ^TestHandshakes ./internal/transport/certificate"},
		{"operate: a drain keeps connections", "cmd/sandlot/record.go", "if r.ending != nil && r.ending() {", "if r.ending != nil && r.ending() && false {", stop},
		{"operate: a drain keeps connections to projects", "internal/transport/play/front/answer.go", "if a.last && ", "if false && ", stop},
		{"operate: the package starts without a base-url", "deploy/debian/sandlot.service", "test $$? -ne 4'", "true'", "-run ^TestThePackage$ ./deploy/debian"},
		{"operate: health judges the certificate of its own machine", health, "unverified(clientOf(at.Network(), at.String()))", "clientOf(at.Network(), at.String())", healthy},
	}
}
