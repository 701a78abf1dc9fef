package names

import "testing"

func TestRegressionM11PlaceholdersAreKnownFromAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"me@example.com": true, "Me@mail.example.org": true, "a@b.test": true, "a@example": true, "a@x.invalid": true, "user@gmail.com": true, "your.email@gmail.com": true,
		"your_name+x@corp.io": true, "test@test.com": true, "ada@test.com": true, "test@gmail.com": true, "you@yourdomain.com": true,
		"ada@gmail.com": false, "ada@myexample.com": false, "test@ada.dev": false, "me@ada.dev": false, "ada@contest.com": false, "a@tests.org": false, "users@ada.dev": false,
	} {
		if got := PlaceholderEmail(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
