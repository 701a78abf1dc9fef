// Package foreign holds the API to its OpenAPI document with other people's programs: openapi-typescript and openapi-fetch make a
// client of the document that the real service serves, which then calls every operation. It is tests alone.
package foreign

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// limit is many times what the compiler takes.
const limit = 2 * time.Minute

func TestAForeignClientCallsEveryOperation(t *testing.T) {
	testenv.Unraced(t)
	packages := testenv.NodePackages(t)
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	dir := t.TempDir()
	for _, name := range []string{"package.json", "tsconfig.json", "client.ts"} {
		text, err := os.ReadFile(name)
		expect.OK(t, err)
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	expect.OK(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	program := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(ctx, "node", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "NO_COLOR=1", "CI=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("node %s: %v\n%s", args, err, out)
		}
	}
	program("node_modules/openapi-typescript/bin/cli.js", service.URL()+"/openapi.yaml", "-o", "api.d.ts")
	program("node_modules/typescript/bin/tsc", "--project", ".")
	token, err := exec.CommandContext(ctx, testenv.Binary(t), "admin", "reporters", "add", "cert", "--data", service.Data()).Output()
	expect.OK(t, err)
	program("client.js", service.URL(), strings.TrimSpace(string(token)))
}
