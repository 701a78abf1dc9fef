package names_test

import (
	"testing"

	"sandlot/internal/format/names"
)

func TestLetters(t *testing.T) {
	for text, want := range map[string]string{
		"project_id": "projectid", "Project-ID": "projectid", "project\u2011id": "projectid", "ｐｒｏｊｅｃｔ＿ｉｄ": "projectid", "\u0440roj\u0435\u0441t_id\u200b": "projectid",
		"pröject[id]": "projectid", "sha256": "sha256", "": "", "-_.": "", "名前": "名前",
	} {
		if got := names.Letters(text); got != want {
			t.Errorf("Letters(%q) is %q, want %q", text, got, want)
		}
	}
}
