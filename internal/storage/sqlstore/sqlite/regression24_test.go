package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegression24LooksForTheLogCostNothingWhileItIsEmpty(t *testing.T) {
	if logAge > time.Hour {
		t.Errorf("a log is kept for %v", logAge)
	}
	synctest.Test(t, func(t *testing.T) {
		k := &logKeeper{path: filepath.Join(testenv.MemoryDir(t), "none"), next: time.Now().Add(logAge)}
		k.max.Store(logMax)
		k.age.Store(int64(logAge))
		expect.OK(t, os.WriteFile(k.path, nil, 0o600))
		testenv.Pass(2 * logAge)
		k.look() // would ask a database that is not there
	})
}
