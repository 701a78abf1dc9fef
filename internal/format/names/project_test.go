package names

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var projectForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-[0-9a-hjkmnp-tv-z]{6}$`)

func TestProjectID(t *testing.T) {
	tests := []struct{ name, title, want string }{
		{"slug of the title", "My Game", "my-game-000000"},
		{"punctuation is one hyphen", "Snake: Part 2!!!", "snake-part-2-000000"},
		{"apostrophes join", "Zoë's Cat’s Game", "zoes-cats-game-000000"},
		{"underscores are no part of a host name", "a_b", "a-b-000000"},
		{"double hyphens", "a--b --", "a-b-000000"},
		{"punycode", "xn--abc", "xn-abc-000000"},
		{"a name of the service has a tail like any other", "www", "www-000000"},
		{"digits", "2048", "2048-000000"},
		{"cut between words", "the very long and winding road to the castle", "the-very-long-and-winding-road-to-000000"},
		{"cut inside a long word", strings.Repeat("a", 500), strings.Repeat("a", 33) + "-000000"},
		{"cut inside the long word after a short one", "a " + strings.Repeat("b", 500), "a-" + strings.Repeat("b", 31) + "-000000"},
		{"Japanese", "ゲーム", adjectives[0] + "-" + nouns[0] + "-000000"},
		{"emoji", "🎮👾", adjectives[0] + "-" + nouns[0] + "-000000"},
		{"none", "", adjectives[0] + "-" + nouns[0] + "-000000"},
		{"only hyphens", "--", adjectives[0] + "-" + nouns[0] + "-000000"},
		{"a part in Japanese", "ゲーム 2048", "2048-000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ProjectID(tt.title, smallest); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			checkProjectID(t, ProjectID(tt.title, largest))
		})
	}
	t.Run("always valid", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			title := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a -_xnゲ🎮'é"))), rapid.SampledFrom(reserved)).Draw(rt, "title")
			checkProjectID(rt, ProjectID(title, seeded(rapid.Uint64().Draw(rt, "seed"))))
		})
	})
}

// checkProjectID fails unless id is valid by the contract.
func checkProjectID(t rapid.TB, id string) {
	t.Helper()
	if !ValidProjectID(id) || !projectForm.MatchString(id) || len(id) > 40 || strings.Contains(id, "--") || strings.HasPrefix(id, "xn--") {
		t.Errorf("%q is no project id", id)
	}
	if got, n, suffix, ok := ParseLabel(id); got != id || n != 0 || suffix != "" || !ok {
		t.Errorf("ParseLabel(%q) = %q, %d, %q, %v", id, got, n, suffix, ok)
	}
}

func TestValidProjectID(t *testing.T) {
	for _, id := range []string{"a-000000", "my-game-7k2m9q", "2048-zzzzzz", strings.Repeat("a", 33) + "-000000"} {
		if !ValidProjectID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	refused := []string{
		"", "www", "api", "xn--abc", "xn--abc-000000", "my-game", "-000000", "-a-000000", "a--000000", "a-b--000000", "a-00000", "a-0000000",
		"a-00000i", "a-00000l", "a-00000o", "a-00000u", "A-000000", "a-00000A", "a_b-000000", "a.b-000000", "é-000000", "a-٠٠٠٠٠٠",
		"../x", "a/b-000000", "a-000000\n", " a-000000", strings.Repeat("a", 34) + "-000000", strings.Repeat("a", 10_000) + "-000000",
	}
	for _, id := range refused {
		if ValidProjectID(id) {
			t.Errorf("row 55/%.60q is accepted", id)
		}
		if label := VersionLabel(id, 1, "0123456789"); label != "" {
			t.Errorf("VersionLabel(%.60q) = %q", id, label)
		}
	}
}

func TestVersionLabel(t *testing.T) {
	const id, secret = "my-game-7k2m9q", "0123456789"
	longest := strings.Repeat("a", 33) + "-000000"
	tests := []struct {
		name, id string
		n        int
		suffix   string
		want     string
	}{
		{"the newest", id, 0, "", id},
		{"one version", id, 12, secret, id + "--v12-" + secret},
		{"the longest fits in 63 characters", longest, 999_999_999, secret, longest + "--v999999999-" + secret},
		{"a version whose label would not fit", id, 1_000_000_000, secret, ""},
		{"a negative version", id, -1, secret, ""},
		{"the newest has no suffix", id, 0, secret, ""},
		{"a version needs one", id, 1, "", ""},
		{"of ten characters", id, 1, "012345678", ""},
		{"of the alphabet", id, 1, "012345678i", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := VersionLabel(tt.id, tt.n, tt.suffix); got != tt.want || len(got) > 63 {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseLabel(t *testing.T) {
	for _, label := range []string{
		"", "www", "xn--abc", "xn--v1-0123456789", "my-game", "a-000000--v0-0123456789", "a-000000--v01-0123456789", "a-000000--v+1-0123456789",
		"a-000000--v-1-0123456789", "a-000000--v1", "a-000000--v1-", "a-000000--v1-012345678", "a-000000--v1-01234567890", "a-000000--v1-012345678I",
		"A-000000--v1-0123456789", "a-000000--V1-0123456789", "a-000000--v1--0123456789", "a-000000--v1-0123456789-", "a-000000--v1-0123456789--v1-0123456789",
		"a-000000--w1-0123456789", "a-000000---v1-0123456789", "a-000000--v1000000000-0123456789", "a-000000--v99999999999999999999-0123456789", "a-000000.",
	} {
		if id, n, suffix, ok := ParseLabel(label); ok || id != "" || n != 0 || suffix != "" {
			t.Errorf("ParseLabel(%q) = %q, %d, %q, %v; want none", label, id, n, suffix, ok)
		}
	}
	t.Run("gives back what made the label", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			r := seeded(rapid.Uint64().Draw(rt, "seed"))
			id, n, suffix := ProjectID(rapid.String().Draw(rt, "title"), r), rapid.IntRange(1, 999_999_999).Draw(rt, "n"), Random(10, r)
			gotID, gotN, gotSuffix, ok := ParseLabel(VersionLabel(id, n, suffix))
			if !ok || gotID != id || gotN != n || gotSuffix != suffix {
				rt.Errorf("%q, %d, %q came back as %q, %d, %q, %v", id, n, suffix, gotID, gotN, gotSuffix, ok)
			}
		})
	})
}
