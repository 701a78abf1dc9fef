package testenv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/expect"
)

func TestEventually(t *testing.T) {
	t.Run("returns when it is so, and asks no more", func(t *testing.T) {
		asked := 0
		Eventually(t, time.Minute, "the third question", func() bool { asked++; return asked == 3 })
		if asked != 3 {
			t.Errorf("asked %d times", asked)
		}
	})
	t.Run("what is so already costs no time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			Eventually(t, time.Minute, "nothing", func() bool { return true })
			expect.Equal(t, "it took", time.Since(started), 0)
		})
	})
	t.Run("asks seldom what takes long, and ends the test with the reason", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			asked, started := 0, time.Now()
			got := outcome(t, t.Name(), func(tb testing.TB) {
				Eventually(tb, time.Minute, "the snow to fall", func() bool { asked++; return false })
			})
			if want := "failed: waited 1m0s in vain: the snow to fall"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if passed := time.Since(started); passed < time.Minute || passed > time.Minute+longestPause {
				t.Errorf("it waited %v", passed)
			}
			if asked > 1300 {
				t.Errorf("asked %d times", asked)
			}
		})
	})
}

func TestPoll(t *testing.T) {
	t.Run("asks a last time when the time is over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			if !Poll(time.Second, func() bool { return time.Since(started) >= time.Second }) {
				t.Error("what became so in time was not seen")
			}
		})
	})
	t.Run("tells that the time is over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if Poll(time.Second, func() bool { return false }) {
				t.Error("it became so")
			}
		})
	})
}

func TestPass(t *testing.T) {
	t.Run("lets the time of a bubble pass", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			Pass(24 * time.Hour)
			if passed := time.Since(started); passed != 24*time.Hour {
				t.Errorf("%v passed", passed)
			}
		})
	})
	t.Run("panics outside of a bubble", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("it slept")
			}
		}()
		Pass(0)
	})
}

func TestWait(t *testing.T) {
	t.Run("lets the time pass", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			Wait(t, time.Hour, "the file must be an hour old")
			expect.Equal(t, "it waited", time.Since(started), time.Hour)
		})
	})
	t.Run("without a reason the test ends", func(t *testing.T) {
		if got, want := outcome(t, t.Name(), func(tb testing.TB) { Wait(tb, 0, "") }), "failed: a test must say why it waits"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestMemoryDir(t *testing.T) {
	t.Run("goes with its test", func(t *testing.T) {
		var dir string
		t.Run("inner", func(t *testing.T) {
			dir = MemoryDir(t)
			if !exists(t, dir) {
				t.Error("there is no folder")
			}
		})
		if exists(t, dir) {
			t.Error("the folder is still there")
		}
	})
	t.Run("lies where the gate can remove it", func(t *testing.T) {
		parent := t.TempDir()
		t.Setenv(memoryEnv, parent)
		if dir := MemoryDir(t); filepath.Dir(dir) != parent {
			t.Errorf("it is %s", dir)
		}
	})
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}
