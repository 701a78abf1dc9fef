//go:build unix

package listen

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestParseUnix(t *testing.T) {
	for text, want := range map[string]string{
		"unix:/run/x.sock": "/run/x.sock", "unix:x": "x", "127.0.0.1:80": "", ":80": "", "": "", "unixx:80": "",
		"unix:" + strings.Repeat("x", unixMost): strings.Repeat("x", unixMost),
	} {
		at, err := ParseUnix(text)
		if err != nil || (at == nil) != (want == "") || at != nil && (at.Name != want || Text(at) != text) {
			t.Errorf("%q is %v, %v", text, at, err)
		}
	}
	for text, says := range map[string]string{
		"unix:": "names no path", "unix:" + strings.Repeat("x", unixMost+1): "a path of 108 bytes, and a Unix socket can have 107: choose a shorter one",
	} {
		if at, err := ParseUnix(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is %v, %v", text, at, err)
		}
	}
}

func TestUnix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	at := &net.UnixAddr{Name: path, Net: "unix"}
	t.Run("the service's user and group may connect", func(t *testing.T) {
		l, err := Unix(at)
		expect.OK(t, err)
		defer l.Close()
		info, err := os.Stat(path)
		expect.OK(t, err)
		expect.Equal(t, "mode", info.Mode().Perm(), UnixMode)
	})
	t.Run("closing removes the socket", func(t *testing.T) {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("it is there: %v", err)
		}
	})
	t.Run("the socket of a living server is refused", func(t *testing.T) {
		living, err := Unix(at)
		expect.OK(t, err)
		defer living.Close()
		if _, err := Unix(at); err == nil || err.Error() != "another server listens on it" {
			t.Errorf("it says %v", err)
		}
	})
	t.Run("a dead socket is replaced", func(t *testing.T) {
		dead, err := net.ListenUnix("unix", at)
		expect.OK(t, err)
		dead.SetUnlinkOnClose(false)
		dead.Close()
		l, err := Unix(at)
		expect.OK(t, err)
		l.Close()
	})
	t.Run("another file is refused, and stays", func(t *testing.T) {
		expect.OK(t, os.WriteFile(path, []byte("mine"), 0o600))
		if _, err := Unix(at); err == nil || err.Error() != "there is another file with that name" {
			t.Errorf("it says %v", err)
		}
		text, err := os.ReadFile(path)
		expect.OK(t, err)
		expect.Equal(t, "the file", string(text), "mine")
	})
}
