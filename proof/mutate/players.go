package main

// players are the promises to players: their identity, their data, and its separation from other pages.
func players() []mutation {
	const (
		token = "internal/domain/players/token.go"
		doors = "internal/transport/play/doors/exchange.go"
		names = "internal/format/names/player.go"
		at    = "./internal/transport/play/doors"
	)
	return []mutation{
		{"players: a token is the same player in every project", token, `[]byte(string(project) + "\x00" + token)`, `[]byte(string(project[:0]) + "\x00" + token)`, at},
		{"players: a short text is a token", token, "{32,64}", "{1,64}", at},
		{"players: pages of other origins may call", doors, `at.Host != "" && at.Host == r.Host`, `at.Host != ""`, at},
		{"players: pages of other sites may call", doors, "site != \"same-origin\" && site != \"none\"", "site != \"same-origin\" && site == \"none\"", at},
		{"players: names keep what nobody sees", names, "kept = slices.DeleteFunc(kept, Hidden)", "_ = Hidden", "./internal/format/names"},
		{"players: anybody's stamp is a stay", "internal/domain/players/stay.go", "seal != sealOf(vault, v, at)", "seal == \"\"", "./internal/domain/players/..."},
		{"players: a score counts without a stay", "internal/domain/players/boards/place.go", "; left > 0 {", "; left > 2*time.Hour {", "./internal/domain/players/boards"},
		{"players: a door takes calls from anywhere", "internal/transport/play/doors/doors.go", "case !fromHere(r, c.Framed):", "case !fromHere(r, true) && c.Framed:", at},
		{"players: what they keep counts to no account", "internal/storage/sqlstore/saves.go", "if to == now.charged {", "if to >= 0 {", "-run ^Test(Players|Boards)Contract$ ./internal/storage/sqlstore"},
	}
}
