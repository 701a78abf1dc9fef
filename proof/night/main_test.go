package night

import (
	"context"
	"fmt"
	"os"
	"testing"

	"sandlot/internal/domain/trial/browser"
)

// TestMain also runs this program as the worker of the play-tester, as the server does.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "playtest-worker" {
		if err := browser.Work(context.Background(), os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
