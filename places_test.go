package sandlot_test

import (
	"net/url"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func placesAt(t *testing.T, base, content string, pathForm bool) sandlot.Places {
	t.Helper()
	u, err := url.Parse(base)
	expect.OK(t, err)
	return sandlot.Places{Base: u, Content: content, PathForm: pathForm}
}

const testID = "space-cats-0a1b2c"

func TestAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		places   sandlot.Places
		suffix   string
		expected sandlot.Addresses
	}{
		{
			"each project has its own origin", placesAt(t, "https://example.com", "play.example.net", false), "0123456789",
			sandlot.Addresses{URL: "https://" + testID + ".play.example.net/", Page: "https://example.com/p/" + testID, Version: "https://" + testID + "--v7-0123456789.play.example.net/"},
		},
		{
			"without a suffix there is no version address", placesAt(t, "https://example.com", "play.example.net", false), "",
			sandlot.Addresses{URL: "https://" + testID + ".play.example.net/", Page: "https://example.com/p/" + testID},
		},
		{
			"with the path form, and a port", placesAt(t, "http://localhost:8080", "localhost:8080", true), "0123456789",
			sandlot.Addresses{URL: "http://" + testID + ".localhost:8080/", Path: "http://localhost:8080/~/" + testID + "/", Page: "http://localhost:8080/p/" + testID, Version: "http://" + testID + "--v7-0123456789.localhost:8080/"},
		},
		{
			"content host none: the path form is the url, and versions have no address", placesAt(t, "http://10.0.0.1", "", false), "0123456789",
			sandlot.Addresses{URL: "http://10.0.0.1/~/" + testID + "/", Path: "http://10.0.0.1/~/" + testID + "/", Page: "http://10.0.0.1/p/" + testID},
		},
		{
			"a base with a path", placesAt(t, "https://example.com/games", "", false), "",
			sandlot.Addresses{URL: "https://example.com/games/~/" + testID + "/", Path: "https://example.com/games/~/" + testID + "/", Page: "https://example.com/games/p/" + testID},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := tt.places.Project(testID, 7, tt.suffix)
			expect.Same(t, "place", at, tt.expected)
			for _, link := range []string{at.URL, at.Path, at.Page} {
				if got := tt.places.ProjectID(link); link != "" && got != testID {
					t.Errorf("%s is taken for project %q", link, got)
				}
			}
		})
	}
}

func TestAProjectsAddressIsAcceptedWhereverItsIDIs(t *testing.T) {
	t.Parallel()
	local, none := placesAt(t, "http://localhost:8080", "localhost:8080", true), placesAt(t, "https://example.com/games", "", false)
	tests := []struct {
		name   string
		places sandlot.Places
		ref    string
		want   sandlot.ProjectID
	}{
		{"the id", local, testID, testID},
		{"blanks around", local, " " + testID + "\n", testID},
		{"the url without the slash", local, "http://" + testID + ".localhost:8080", testID},
		{"the url of a file", local, "http://" + testID + ".localhost:8080/index.html?x=1#y", testID},
		{"the url in capitals", local, "HTTP://" + testID + ".LOCALHOST:8080/", testID},
		{"the url with another scheme", local, "https://" + testID + ".localhost:8080/", testID},
		{"the path form with a file", local, "http://localhost:8080/~/" + testID + "/a/b.js", testID},
		{"the path form without the slash", local, "http://localhost:8080/~/" + testID, testID},
		{"the page in capitals", local, "http://LOCALHOST:8080/p/" + testID, testID},
		{"the page below a base with a path", none, "https://example.com/games/p/" + testID, testID},
		{"a page above the base's path", none, "https://example.com/p/" + testID, "https://example.com/p/" + testID},
		{"another host", local, "http://" + testID + ".evil.example/", "http://" + testID + ".evil.example/"},
		{"another port", local, "http://" + testID + ".localhost:9/", "http://" + testID + ".localhost:9/"},
		{"a host that only ends alike", local, "http://xlocalhost:8080/p/" + testID, "http://xlocalhost:8080/p/" + testID},
		{"the address of a version", local, "http://" + testID + "--v7-0123456789.localhost:8080/", testID},
		{"what only looks like a version's", local, "http://" + testID + "--v7-short.localhost:8080/", testID + "--v7-short"},
		{"no content host takes no label", none, "https://" + testID + "./", "https://" + testID + "./"},
		{"nothing", local, "", ""},
		{"a path", local, "../x", "../x"},
		{"no url at all", local, "http://[::1", "http://[::1"},
		{"another page", local, "http://localhost:8080/about", "http://localhost:8080/about"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.places.ProjectID(tt.ref); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRegressionM42OneReaderOfAddresses: an address that a person pastes has more forms than the service's links, and
// names the project whose host it is.
func TestRegressionM42OneReaderOfAddresses(t *testing.T) {
	t.Parallel()
	here, nowhere := placesAt(t, "https://sandlot.example", "play.example", false), sandlot.Places{}
	for ref, want := range map[string]sandlot.ProjectID{
		testID: testID, "http://" + testID + ".play.example:8443/%zz?x": testID, "hxxps://" + testID + "[.]play[.]example": testID, testID + "--v7-0123456789.play.example/x": testID,
		"https://" + testID + ".its-old-host.example/p/other-abc123": testID, "https://sandlot.example/p/" + testID + "/card.png": testID, "sandlot.example/embed/" + testID: testID,
		"HXXPS[:]//" + strings.ToUpper(testID) + "(DOT)Play{.}Example[/]login": testID, testID + ".xn--mnchen-3ya.example/": testID, testID + ".münchen.example": testID,
		"HTTPS://Sandlot.Example/P/" + strings.ToUpper(testID) + "?a=1#b": testID, testID + "。play。example": testID,
		"ada": "ada", "https://elsewhere.example/login": "https://elsewhere.example/login",
	} {
		if got := here.ProjectIn(ref); got != want {
			t.Errorf("%s here is %q", ref, got)
		}
		if got := nowhere.ProjectIn(ref); got != want {
			t.Errorf("%s without a place is %q", ref, got)
		}
	}
	if got := here.ProjectID("https://" + testID + ".its-old-host.example/"); got == testID {
		t.Error("a call reaches the project of another host")
	}
}
