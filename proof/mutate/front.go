package main

// front are the promises of the front line: holds, the blocklist, decisions about reported projects, the judge.
func front() []mutation {
	const (
		screen  = "internal/domain/publish/screen.go"
		desk    = "internal/domain/operate/desk/service.go"
		undo    = "internal/storage/sqlstore/deskundo.go"
		weekend = "internal/domain/operate/weekend.go"
		runner  = "internal/domain/operate/judge/runner.go"
		ofDesk  = "./internal/domain/operate/desk"
	)
	return []mutation{
		{"front: a held project is there for strangers", screen, "case p.Held.Rule != sandlot.NotHeld && sandlot.Authorize(", "case false && sandlot.Authorize(", "-run ^TestAHeldProject " + publishTests},
		{"front: reports of two networks hold a project", weekend, "HoldNetworks   = 3 ", "HoldNetworks   = 2 ", "-run ^TestReportsOfThree " + operateTests},
		{"front: moderators decide about themselves and operators", desk, "	for _, t := range targets {\n		switch {\n", "	for _, t := range targets[:0] {\n		switch {\n", ofDesk},
		{"front: a right that ended decides", desk, "	case m.Role == sandlot.NoRole || m.Suspended:\n", "	case m.Suspended:\n", ofDesk},
		{"front: a silent judge holds what it should pass", runner, "v = Verdict{r.Fails, oneLine(", "v = Verdict{Hold, oneLine(", "-run ^TestAJudgeWithout ./internal/domain/operate/judge"},
		{"front: an objection comes twice", undo, "d.undone_at = 0 AND d.objected_at = 0", "d.undone_at = 0", "-run ^TestDeskContract$/^Contested ./internal/storage/sqlstore"},
	}
}
