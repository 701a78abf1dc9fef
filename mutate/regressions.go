package main

// regressions takes out what mends each row of docs/regressions.md, so that the tests
// of that number are known to fail without it. The other lists have some of them.
func regressions() []mutation {
	of := func(number, packages string) string { return "-run Regression" + number + "[A-Z] " + packages }
	const main = "./cmd/sandlot"
	return []mutation{
		{"regression 01: looks for what quarantine blocks have no budget", "internal/publish/quarantine.go", "			budget -= lookCost\n", "			budget++\n", of("01", publishTests)},
		{"regression 01: a search for keys begins anew behind each", "internal/publish/findkey.go", "at = afterWord(text, at+keySize) - len(\"sla_\")", "at += keySize", of("01", publishTests)},
		{"regression 02: what is decoded costs nothing", "internal/brake/cost.go", "return m.p.charge(m.n)", "return nil", of("02", main)},
		{"regression 04: no body makes way", "internal/brake/way.go", "if (slow || n > own+1) &&", "if false && (slow || n > own+1) &&", of("04", main)},
		{"regression 06: a network adds as many plays as it likes", "internal/publish/popularity.go", "; next[i] > none {", "; next[i] < 0 {", of("06", publishTests)},
		{"regression 08: a network holds as many connections as it likes", "internal/brake/slots.go", "if s.held.full(of) {", "if false && s.held.full(of) {", of("08", main)},
		{"regression 09: a second server starts where the lock was removed", "cmd/sandlot/lock.go", "if err = flock(l.dir); errors.Is", "if err = nil; errors.Is", of("09", main)},
		{"regression 10: whom a proxy does not tell is the proxy", "internal/brake/address.go", "return netip.Addr{}, false", "return peer, true", of("10", main)},
		{"regression 12: what is percent-encoded is no key", "internal/publish/redact.go", "if plain := unescaped(s); plain != s {", "if plain := s; plain != s {", of("12", publishTests+" "+main)},
		{"regression 13: a near miss of project_id is passed over", "internal/api/choose.go", "if right := f.missed(p, field); right != \"\" {", "if right := f.missed(p, field); right == \"?\" {", of("13", apiTests)},
		{"regression 14: null is a value", "internal/api/fields.go", "return ok && field.Kind != content.Null", "_ = field\n	return ok", of("14", apiTests)},
		{"regression 15: nobody is told of quarantine", "internal/publish/quarantine.go", "	if !s.Quarantined(p) {\n", "	if !s.Quarantined(p) || true {\n", of("15", publishTests)},
		{"regression 16: storage always seems to work", "internal/play/storage.go", "catch{storage=false}", "catch{}", of("16", main)},
		{"regression 17: everything may be a page", "internal/publish/lookslike.go", "	if opening.Match(text) {\n", "	if opening.Match(text) || true {\n", of("17", publishTests)},
		{"regression 18: large files get no variants", "internal/squeeze/squeeze.go", "|| f.Blob.Size < minSize {", "|| f.Blob.Size < minSize || f.Blob.Size > large {", of("18", "./internal/squeeze")},
		{"regression 18: a round never ends", "internal/squeeze/squeeze.go", "if done >= large {", "if done < 0 {", of("18", "./internal/squeeze")},
		{"regression 19: a file that is too large is not cut into parts", "internal/api/hint.go", "case e.Code == publish.CodeContentTooLarge && takesFile(op):", "case false:", of("19", apiTests)},
		{"regression 20: a filename that begins with ./ is refused", "internal/names/read.go", "plain = relativeName(plain)", "_ = relativeName(plain)", of("20", apiTests)},
		{"regression 21: a project without an icon has none", "internal/play/icon.go", "		f = v.ownIcon\n", "		v.notFound()\n		return\n", of("21", "./internal/play")},
		{"regression 31: a billion and one is one", "internal/web/plural.go", "int(min(n, million+n%million))", "int(n%1_000_000_000)", of("31", "./internal/web")},
		{"regression 27: nothing of unverified accounts is listed on a local instance", "internal/publish/service.go", "ListUnverified(ctx, !s.Public)", "ListUnverified(ctx, false)", of("27", publishTests)},
		{"regression 31: Chromium is not told in its own word where lines begin", "internal/web/static/css/00-base.css", "text-align: -webkit-match-parent; ", "", of("31", "./internal/web")},
		{"regression 29: no page says what a form did", "internal/web/visit.go", "	v.hear()\n", "", of("29", "./internal/web")},
		{"regression 33: a request may take a week", "cmd/sandlot/lifetime.go", "const requestLife = 6 * time.Hour", "const requestLife = 7 * 24 * time.Hour", of("33", main)},
		{"regression 33: what is staged is not known by its name", "internal/publish/collect.go", "c.Staged != nil && c.Staged(ref)", "c.Staged == nil && c.Staged(ref)", of("33", publishTests)},
		{"regression 34: the parts of an upload are read beside it", "internal/sqlstore/uploads.go", "			parts, err = all(ctx, q, scanPart, selectParts, num)\n", "			_, err = one(ctx, db, scanValue[int64], \"SELECT 1\")\n			parts, err = all(ctx, db, scanPart, selectParts, num)\n", of("34", storeTests)},
		{"regression 36: a blob that cannot be deleted ends the round", "internal/publish/collect.go", "			failed.add(fmt.Errorf(\"delete blob: %w\", err))\n			continue\n", "			failed.add(fmt.Errorf(\"delete blob: %w\", err))\n			break\n", of("36", publishTests)},
		{"regression 37: an erased version cannot be told again", "internal/publish/again.go", "ok && errors.Is(err, ErrNotFound) {", "ok && err == nil && errors.Is(err, ErrNotFound) {", of("37", publishTests)},
		{"regression 38: a clock that jumps is trusted", "internal/publish/ages.go", "case begun.Sub(g.begun).Abs() > clockJump:", "case begun.Sub(g.begun).Abs() < 0:", of("38", publishTests)},
		{"regression 39: counts are locked while they are written", "internal/publish/counters.go", "		err := write(counts)\n", "		c.mu.Lock()\n		err := write(counts)\n		c.mu.Unlock()\n", of("39", publishTests)},
		{"regression 40: nobody looks what ended an upload", "internal/publish/complete.go", "if errors.Is(err, ErrUploadMoved) {\n", "if errors.Is(err, ErrUploadMoved) && false {\n", of("40", publishTests)},
		{"regression 41: an answer lists all parts", "internal/publish/parts.go", "const listed = 100", "const listed = MaxParts", of("41", publishTests)},
		{"regression 41: variants are made of a draft", "internal/sqlstore/variants.go", " AND f.since <= p.version LIMIT 1", " LIMIT 1", of("41", storeTests)},
		{"regression 41: a backup has a draft in it", "internal/sqlstore/copy.go", "		err = leaveDrafts(ctx, path)\n", "", of("41", storeTests)},
		{"regression 42: a million is said as a thousand is", "internal/web/plural.go", "if n != 0 && n%million == 0 &&", "if n < 0 && n%million == 0 &&", of("42", "./internal/web")},
		{"regression 43: the largest limit of the memory counts", "cmd/sandlot/memorylimit.go", "limit.bytes < least.bytes", "limit.bytes > least.bytes", of("43", main)},
		{"regression 44: unused pages are no room", "cmd/sandlot/disk.go", "used - min(used, d.unused())", "used", of("44", main)},
		{"regression 41: a version is erased in one step", "internal/sqlstore/erase.go", "const eraseStep = 100", "const eraseStep = 1 << 30", of("41", storeTests)},
		{"regression 41: a sweep forgets all in one step", "internal/sqlstore/sweep.go", "const sweepStep = 50", "const sweepStep = 500", of("41", storeTests)},
		{"regression 24: what is deleted stays in the database's pages", "internal/sqlstore/connect.go", `"secure_delete", set: "1", want: "1"`, `"secure_delete", set: "0", want: "0"`, of("24", storeTests)},
		{"regression 46: time that the process slept is its clients'", "cmd/sandlot/sleep.go", "c.slept += gap", "_ = gap", of("46", main)},
		{"regression 46: a frozen file system is not asked for marks", "internal/sqlstore/freeze_linux.go", "&& frozen.is(indexOf(file)) {", "&& false && frozen.is(indexOf(file)) {", of("46", main)},
		{"regression 46: a frozen file system is not asked after a sync", "internal/sqlstore/freeze_linux.go", "	ask(int(at[sqlite3.TunixFile](file).Fh))\n", "", of("46", storeTests)},
	}
}
