package names

import "testing"

func TestRegressionM11PlaceholdersAreKnownFromAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"me@example.com": true, "Me@mail.example.org": true, "a@b.test": true, "a@example": true, "a@x.invalid": true, "user@gmail.com": true, "your.email@gmail.com": true,
		"your_name+x@corp.io": true, "test@test.com": true, "ada@test.com": true, "test@gmail.com": true, "you@yourdomain.com": true,
		"ada@example.com": true, "ada@example.net": true, "ada@example.org": true, "ada@x.example": true, "ada@x.y.test": true, "ada@x.invalid": true,
		"user@example.de": true, "me@example.co.uk": true, "your-email@example.io": true, "your-email@ada.dev": true, "user@ada.dev": true,
		"ada@gmail.com": false, "ada@an.example.de": false, "ada@examples.de": false, "ada@test.dev": false, "ada@myexample.com": false, "test@ada.dev": false, "me@ada.dev": false, "ada@contest.com": false, "a@tests.org": false, "users@ada.dev": false,
	} {
		if got := PlaceholderEmail(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
