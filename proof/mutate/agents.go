package main

// agents are the promises to those who send many files, tickets and exports, restore, amend and delete.
func agents() []mutation {
	const (
		many     = "internal/domain/publish/many.go"
		adopt    = "internal/domain/publish/adopt.go"
		brought  = "internal/domain/transfer/stage.go"
		caller   = "caller.go"
		calls    = "internal/domain/publish/idempotency.go"
		trash    = "internal/storage/sqlstore/trash.go"
		names    = "internal/format/names/tree.go"
		tickets  = "-run Ticket " + apiTests
		imports  = "./internal/domain/transfer"
		trees    = "./internal/format/names"
		mcp      = "internal/transport/mcp/front.go"
		mcpTests = "./internal/transport/mcp"
		files    = "-run (Many|Tree|Dry|Restore|Amend|Update|BytesThat) " + publishTests
		edits    = "-run Edit " + publishTests
		grants   = "internal/storage/sqlstore/grants.go"
		oauth    = "./internal/domain/account/oauth"
		binned   = "-run ^TestPublishContract$/^(Trash|TakeBack|Sweep) ./internal/storage/sqlstore"
	)
	return []mutation{
		{"agents: replace keeps what was not sent", many, "case !sent && !replace && ", "case !sent && ", files},
		{"agents: an update drops what was not sent", many, "case !sent && !replace && ", "case false && ", files},
		{"agents: an edit of a text that stands twice is made", "internal/format/edit/edit.go", "if len(at) != 1 {", "if len(at) == 0 {", "./internal/format/edit"},
		{"agents: edits are made as far as they can be", "internal/domain/publish/amended.go", "		return nil, notEdited(p, bad)\n", "		return newTreeFile(name, Content{Blob: old.Blob}, Declared{}), nil\n", edits},
		{"agents: what is unchanged is stored again", many, "if old != nil && sameBytes(old.Blob, f.Blob) {", "if old != nil && sameBytes(old.Blob, f.Blob) && false {", files},
		{"agents: a dry run of a publish publishes", "internal/domain/publish/publish.go", "	if in.DryRun {\n		out, err = s.tryPublish(", "	if in.DryRun && false {\n		out, err = s.tryPublish(", files},
		{"agents: a dry run of an update updates", "internal/domain/publish/update.go", "	if in.DryRun {\n", "	if in.DryRun && false {\n", files},
		{"agents: a dry run of an import imports", adopt, "	if in.DryRun {\n		if _, err := s.unblocked", "	if in.DryRun && false {\n		if _, err := s.unblocked", imports},
		{"agents: an update of many files goes past another", many, "Expect: p.Version, Suffix: s.vault.Suffix(), By: by.Key().ID, Within: s.Quota,", "Expect: 0, Suffix: s.vault.Suffix(), By: by.Key().ID, Within: s.Quota,", files},
		{"agents: a restore leaves the page as it is", "internal/domain/publish/restore.go", "	c.Primary = v.Primary\n", "	_ = v\n", files},
		{"agents: a restore tells not what it restored", "internal/domain/publish/restore.go", "restored: in.Version, always", "restored: 0, always", files},
		{"agents: an amendment of the page forgets the words", "internal/domain/publish/manage.go", "details: c,", "", files},
		{"agents: an amendment takes two steps", "internal/domain/publish/manage.go", "err != nil || made || c.empty() {", "err != nil || made && false || c.empty() {", files},
		{"agents: any loopback address is a redirect of a program", "internal/domain/account/oauth/redirects.go", "return ok && here == there", "return ok && here != there+\"x\"", "-run Redirects ./internal/domain/account/oauth"},
		{"agents: a program's document is fetched from this machine", "internal/storage/foreign/foreign.go", " || !f.may(to.Addr())", " || !f.may(to.Addr()) && false", "./internal/storage/foreign"},
		{"agents: a program is let in by a login of yesterday", "internal/transport/web/consent.go", "	if v.me == nil || !v.fresh() {\n", "	if v.me == nil {\n", "-run LoginComesBack ./internal/transport/web"},
		{"agents: a terminal's code that is wrong is not counted", "internal/transport/web/connections.go", "asked, err = c.consents.service.DeviceConsent(v.r.Context(), v.by, code)\n		return err == nil, err", "asked, err = c.consents.service.DeviceConsent(v.r.Context(), v.by, code)\n		return true, nil", "-run Guesses ./internal/transport/web"},
		{"agents: a ticket is good for more than one call", calls, "		key = by.Ticket().ID() //", "		_ = by.Ticket().ID() //", tickets},
		{"agents: other bytes get the answer of a ticket that was used", calls, "		if r.by.Ticket() != nil {\n			return rec, Minted{}, ticketUsed(rec, c.places)\n		}\n", "", tickets},
		{"agents: a ticket opens the address of another", "internal/domain/publish/ticket/ticket.go", "	if t.ID() != id {\n", "	if t.ID() == \"\" {\n", tickets},
		{"agents: a ticket is as good as the key that asked for it", caller, "	return TicketElsewhere()\n}\n\n// TicketElsewhere", "	return nil\n}\n\n// TicketElsewhere", "./internal/domain/publish/ticket"},
		{"agents: a ticket that was used waits on", "internal/storage/sqlstore/idempotency.go", "SET used = 1, expires_at", "SET used = 0, expires_at", tickets},
		{"agents: a ticket is for ever", "internal/storage/sqlstore/idempotency.go", "WHERE hash = ? AND expires_at > ?`", "WHERE hash = ? AND ? > 0`", tickets},
		{"agents: bytes of a ticket are not held to what was told", "internal/transport/intake/inputs.go", "err = comparePacked(c.Told.Declared, f.packed)", "err = comparePacked(publish.Declared{}, f.packed)", tickets},
		{"agents: REST takes an edit_token", "internal/domain/account/identity/identity.go", "	if !presented.Tool {\n", "	if false {\n", "-run ^TestRESTRefusesAnEditToken$ " + apiTests},
		{"agents: an edit_token changes settings", caller, "(act == ActSettle || act == ActReadAccount)", "act == ActReadAccount", "-run ^TestAnEditTokenChanges " + apiTests},
		{"agents: a verified account's projects are taken", "internal/storage/sqlstore/connects.go", "	AND verified = 0 AND deleted_at IS NULL", "	AND deleted_at IS NULL", "-run ^TestAccountContract$/^Connect ./internal/storage/sqlstore"},
		{"agents: a taken account's edit_token goes on", "internal/storage/sqlstore/owner.go", "DELETE FROM keys WHERE account = ? AND edits = 1", "DELETE FROM keys WHERE account = -? AND edits = 1", "-run ^TestAccountContract$/^Connect ./internal/storage/sqlstore"},
		{"agents: oauth, a code that comes twice ends nothing", grants, `"hash = ?", g.Key.Hash[:])`, `"id < 0 AND hash = ?", g.Key.Hash[:])`, oauth},
		{"agents: oauth, a code is good without its challenge", "internal/domain/account/oauth/code.go", "[]string{clientID, redirect, challenge}", "[]string{clientID, redirect}", oauth},
		{"agents: oauth, a refresh token that comes again ends nothing", grants, `t.endGrants(r.At, "id = ?", k.ID)`, `t.endGrants(r.At, "id = -?", k.ID)`, oauth},
		{"agents: oauth, a refresh token that was replaced has no grace", grants, "Abs() >= oauth.RefreshGrace; again", "Abs() > 0; again", oauth},
		{"agents: oauth, a refresh token that was replaced works for ever", grants, "Abs() >= oauth.RefreshGrace; again", "Abs() < 0; again", oauth},
		{"agents: oauth, the form of a consent is good in another session", "internal/domain/account/oauth/authorize.go", `fmt.Sprintf("%d %q", session.ID, about)`, `fmt.Sprintf("%d %q", session.ID*0, about)`, oauth},
		{"agents: oauth, a grant gets keys that outlive it", "internal/domain/publish/publish.go", `case by.Key().Client != "":`, `case by.Key().Client == "x":`, oauth},
		{"agents: oauth, a device gets tokens twice", grants, `do("DELETE FROM devices WHERE code = ?", p.Code[:]))`, `do("DELETE FROM devices WHERE code = ? AND decided = 0", p.Code[:]))`, oauth},
		{"agents: a deleted project is kept for ever", trash, "before := micros(now.Add(-publish.TrashKept))", "before := micros(now.Add(-100 * publish.TrashKept))", binned},
		{"agents: a deleted project is gone at once", trash, "before := micros(now.Add(-publish.TrashKept))", "before := micros(now)", binned},
		{"agents: what is in the trash is read at its addresses", "internal/storage/sqlstore/projects.go", "	WHERE p.deleted_at IS NULL AND a.deleted_at IS NULL AND `\n)\n\ntype projectRow", "	WHERE (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM trash t WHERE t.project = p.num)) AND a.deleted_at IS NULL AND `\n)\n\ntype projectRow", binned},
		{"agents: files of what is in the trash are read", "internal/storage/sqlstore/files.go", "selectFiles     = filesAnd + ofProject + \"p.deleted_at IS NULL\"", "selectFiles     = filesAnd + ofProject + \"p.version > 0\"", binned},
		{"agents: a version of what is in the trash is read", "internal/storage/sqlstore/projects.go", "selectVersion+\" AND p.deleted_at IS NULL\"", "selectVersion+\" AND p.version > 0\"", binned},
		{"agents: a key of what is in the trash works", "internal/storage/sqlstore/accounts.go", "WHERE a.deleted_at IS NULL AND p.deleted_at IS NULL AND k.revoked_at IS NULL", "WHERE a.deleted_at IS NULL AND k.revoked_at IS NULL", binned},
		{"agents: what is in the trash is listed", "internal/storage/sqlstore/sqlite/migrations/0001_baseline.sql", "new.suspended_at IS NULL AND new.deleted_at IS NULL\n        AND (SELECT (verified = 1 OR (SELECT unverified FROM listing WHERE one = 1)) AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = new.account)\n    WHERE num = new.num;\nEND;\n", "new.suspended_at IS NULL\n        AND (SELECT (verified = 1 OR (SELECT unverified FROM listing WHERE one = 1)) AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = new.account)\n    WHERE num = new.num;\nEND;\n", binned},
		{"agents: an import takes the id that it says", adopt, "wished := by.IsOperator() && names", "wished := names", imports},
		{"agents: an import has dates in the future", brought, "if at.After(now) {", "if at.After(now) && false {", imports},
		{"agents: an import has dates before the web", brought, "	last := earliest\n", "	last := time.Time{}\n", imports},
		{"agents: an import does not compare bytes", "internal/domain/transfer/stage.go", "if c.SHA256 != f.sum {", "if false && c.SHA256 != f.sum {", imports},
		{"agents: an import that is sent again makes its projects again", adopt, "	req, err := s.idempotency.importRequest(by, in, in.Position)\n", "	req, err := (*request)(nil), error(nil)\n", imports},
		{"agents: another archive under an import's key makes its projects", "internal/domain/publish/idempotency.go", "case rec.Request != asked[rec.Key]:", "case rec.Request != rec.Request:", imports},
		{"agents: of an import all versions may have only what one call brings", "internal/domain/publish/tree.go", "	t.archive, t.size = true, 0\n", "	t.archive = true\n", imports},
		{"agents: a project that is not as its manifest says refuses all", "internal/domain/transfer/transfer.go", "if err = p.refused; err == nil {", "if err = p.refused; err != nil {\n			return out, err\n		} else {", imports},
		{"agents: what tools leave is published", names, "inFolder(name, foreignFolders)", "inFolder(name, nil)", trees},
		{"agents: what systems leave is published", names, "cmp.Or(what, foreignFiles[file], Secret(name))", "what", trees},
		{"agents: the folder around all stays", names, "	if Page(inside) == \"\" {\n		return \"\"\n	}\n	return folder", "	return \"\"", trees},
		{"agents: a folder without the page is taken off", names, "	if Page(inside) == \"\" {\n", "	if Page(inside) == \"?\" {\n", trees},
		{"agents: /mcp answers 401 without a key", mcp, "case account && by.Nobody():", "case by.Nobody():", "-run ^TestMCPNever " + mcpTests},
		{"agents: /mcp/account answers without a key", mcp, "case account && by.Nobody():", "case account && false:", "-run ^TestMCPAccount " + mcpTests},
		{"agents: a wrong token counts as none", mcp, "case err != nil:\n		f.deny(w, nil, account, err)", "case err != nil && account:\n		f.deny(w, nil, account, err)", "-run ^TestAWrongToken " + mcpTests},
		{"agents: a key follows a redirect", "internal/client/client/client.go", "	doer.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }\n", "", "./internal/client/cli"},
		{"agents: the folder's state holds a key", "internal/client/cli/publish.go", "URL: made.URL, Path: known.Path", "URL: made.URL + \"?\" + s.Key, Path: known.Path", "-run ^TestClientScripts$ ./cmd/sandlot"},
		{"agents: commands replace a token twice", "internal/client/cli/logins.go", "now.Key != k.Key && time.Until(now.Expires) > early", "false", "-run ^TestTwoCommandsReplaceATokenOnce$ ./internal/client/cli"},
		{"agents: an interrupt loses tokens", "internal/client/cli/logins.go", "l.refresh(context.WithoutCancel(ctx), ring", "l.refresh(ctx, ring", "-run ^TestAnInterruptLosesNoTokens$ ./internal/client/cli"},
	}
}
