package browser

import (
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestWhatABrowserReadsIsNoFolderOfTheService: neither one that lies in what is shown, nor around it, nor leads there.
func TestWhatABrowserReadsIsNoFolderOfTheService(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "data")
	expect.OK(t, os.Symlink("/usr/share", link))
	for folder, want := range map[string]bool{
		"/usr/share": true, "/usr/share/sandlot/data": true, "/usr": true, "/": true, "/lib/sandlot": true, link: true, link + "/not-there/yet": true,
		"/usr/sharedata": false, "/usr/local/sandlot": false, "/opt/sandlot": false, "/srv/sandlot": false, "/var/lib/sandlot": false, "/etc/sandlot": false,
		filepath.Dir(link): false, "data": false,
	} {
		expect.Equal(t, "that something of "+folder+" can be read", Shows(folder), want)
	}
}
