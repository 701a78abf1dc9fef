package deploy

import (
	"os/exec"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestTheSettingsOfANodeAreTaken as they are in the file, with the secrets that lie beside it.
func TestTheSettingsOfANodeAreTaken(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), testenv.Binary(t), "config", "check", "--config", "../../deploy/nodes/sandlot.yaml",
		"--data", t.TempDir(), "--database-url", "postgres://sandlot:secret@10.0.0.20/sandlot",
		"--smtp-url", "smtps://user:secret@mail.sandlot-tests.org:465")
	cmd.Env = append(cmd.Environ(), "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret")
	out, err := cmd.CombinedOutput()
	expect.OK(t, err, string(out))
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "WARN") {
			t.Error(line)
		}
	}
}
