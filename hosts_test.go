package sandlot_test

import (
	"net/url"
	"testing"

	"sandlot"
)

func TestHostsSayWhoseOriginAHostIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, content, host string
		owner               sandlot.Owner
		label               string
	}{
		{"https://play.example", "games.example", "play.example", sandlot.Website, ""},
		{"https://play.example", "games.example", "PLAY.example.:8443", sandlot.Website, ""},
		{"https://play.example", "games.example", "Marbles.games.example:8443", sandlot.OwnOrigin, "marbles"},
		{"https://play.example", "games.example", "a.b.games.example", sandlot.OwnOrigin, "a.b"},
		{"https://play.example", "games.example", "games.example", sandlot.ContentApex, ""},
		{"https://play.example", "games.example", "evilgames.example", sandlot.NoOwner, ""},
		{"https://play.example", "games.example", "", sandlot.NoOwner, ""},
		{"https://play.games.example", "games.example", "play.games.example", sandlot.Website, ""},
		{"https://games.example", "games.example", "games.example", sandlot.Website, ""},
		{"http://localhost:8080", "localhost:8080", "marbles.localhost", sandlot.OwnOrigin, "marbles"},
		{"http://[::1]:8080", "", "[::1]:9090", sandlot.Website, ""},
		{"http://192.0.2.1", "", "marbles.192.0.2.1", sandlot.NoOwner, ""},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		owner, label := sandlot.Places{Base: base, Content: c.content}.Hosts().Of(c.host)
		if owner != c.owner || label != c.label {
			t.Errorf("%s of %s and %s: %d, %q", c.host, c.base, c.content, owner, label)
		}
	}
}
