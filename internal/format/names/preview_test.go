package names_test

import (
	"testing"

	"sandlot/internal/format/names"
)

func TestNoPreviewIsAProjectOrAVersion(t *testing.T) {
	const random = "0123456789abcdefghjk"
	for label, want := range map[string]bool{
		"preview--" + random: true, "preview-" + random: false, "preview--" + random[1:]: false, "preview--" + random + "0": false,
		"preview--v1-" + random[:17]: false, "preview--ABCDEFGHJK0123456789": false, "preview--v2345678-012345678": false,
		"preview-abc123": false, "preview-abc123--v1-0123456789": false, "": false,
	} {
		if got := names.ValidPreview(label); got != want {
			t.Errorf("%q: %v", label, got)
		}
		_, _, _, taken := names.ParseLabel(label)
		if want && (taken || names.ValidProjectID(label)) {
			t.Errorf("%q could be a project's", label)
		}
	}
	const version = "preview--v23456789abcdefghjk" // random characters may begin as a version does
	if _, _, _, taken := names.ParseLabel(version + "0"); taken {
		t.Errorf("%q could be a version's", version)
	}
}
