package blocks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestValuesAreReadInTheFormOfTheirKind(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("aB", 32)
	own := []string{"play.example.com", "mail.example.org"}
	for _, c := range []struct {
		kind, text, want string
		risk             bool
	}{
		{Hash, " " + hash, strings.ToLower(hash), false},
		{Hash, hash[1:], "", false},
		{Text, "zz" + hash[2:], "", false},
		{Domain, "@Spam.Example", "spam.example", false},
		{Domain, "*.spam.example", "spam.example", false},
		{Domain, "bücher.example", "xn--bcher-kva.example", false},
		{Domain, "example", "", false},
		{Domain, "not a domain", "", false},
		{Domain, "example.com", "example.com", true},
		{Domain, "mail.example.org", "mail.example.org", true},
		{Domain, "le.com", "le.com", false},
		{Domain, "mail.play.example.com", "mail.play.example.com", false},
		{Mailbox, "kim", "", false},
		{Network, "203.0.113.7", "203.0.113.7/32", false},
		{Network, "203.0.113.7/24", "203.0.113.0/24", false},
		{Network, "2001:db8:1:2::7", "2001:db8:1:2::/64", false},
		{Network, "2001:db8:1:2::7/128", "", false},
		{Network, "::ffff:203.0.113.7", "203.0.113.7/32", false},
		{Network, "203.0.113.0/33", "", false},
		{Network, "203.0.113", "", false},
		{Network, "fe80::1%eth0", "", false},
		{Network, "0.0.0.0/0", "0.0.0.0/0", true},
		{Network, "::/0", "::/0", true},
		{Network, "203.0.0.0/7", "202.0.0.0/7", true},
		{Network, "203.0.0.0/8", "203.0.0.0/8", false},
		{Network, "2001::/15", "2000::/15", true},
		{Network, "2001::/16", "2001::/16", false},
		{Network, "127.0.0.1", "127.0.0.1/32", true},
		{Network, "::1", "::/64", true},
		{Network, "172.16.0.0/11", "172.0.0.0/11", true},
		{Network, "fd00::/64", "fd00::/64", true},
		{Word, "RÖBLOX", "roblox", false},
		{Word, "free robux", "", false},
		{Word, "...", "", false},
		{Word, "tax", "tax", true},
		{Word, "税金", "税金", true},
		{"colour", "red", "", false},
	} {
		t.Run(c.kind+" "+c.text, func(t *testing.T) {
			value, risk, err := parse(c.kind, c.text, own)
			expect.Equal(t, "is refused", err != nil, c.want == "")
			expect.Equal(t, "value", value, c.want)
			expect.Equal(t, "has a risk", risk != "", c.risk)
		})
	}
	one, _, err := parse(Mailbox, "Kim+game@example.com", nil)
	expect.OK(t, err)
	other, _, err := parse(Mailbox, "kim@example.com", nil)
	expect.OK(t, err)
	expect.Equal(t, "a mailbox in two spellings", one, other)
	if strings.Contains(one, "kim") || len(one) != 64 {
		t.Errorf("a mailbox is kept as %s", one)
	}
}

func TestAListIsReadLineByLine(t *testing.T) {
	t.Parallel()
	read := func(kind, text string) ([]byte, int, error) {
		return (&Service{Own: []string{"play.example.com"}}).pack(kind, strings.NewReader(text), false)
	}
	body, lines, err := read(Word, "\ufeff# words\nZebra\r\n\n  casino \nzebra\n")
	expect.OK(t, err)
	expect.Equal(t, "its bytes", len(body), 2*len(key{}))
	expect.Equal(t, "their number", lines, 2)
	for text, want := range map[string]int{
		"casino\nfree robux\n":                             2,
		"# comment\n\ncasino\n\x00\xff\x01\n":              4,
		"casino\n" + strings.Repeat("x", 2*maxLine) + "\n": 2,
		"casino\nrob\n":                                    2,
	} {
		_, _, err := read(Word, text)
		var at LineError
		if !errors.As(err, &at) || at.Line != want {
			t.Errorf("%.20q: %v, want line %d", text, err, want)
		}
	}
	_, _, err = read(Domain, "spam.example\nexample.com\n")
	expect.Contains(t, "the own domain", fmt.Sprint(err), "line 2: play.example.com is a name of this instance: confirm it with --yes")
	_, _, err = read(Word, "# nothing\n")
	expect.Contains(t, "no values", fmt.Sprint(err), "no values")
	_, _, err = read(Publisher, strings.Repeat("ab", 32))
	expect.Contains(t, "hashes of networks", fmt.Sprint(err), "--network-of")
}

func TestATableFindsWhatItsListsAndEntriesHave(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	generation := int64(3)
	list := func(kind string, until time.Time, values ...string) List {
		generation++
		body, lines, err := new(Service).pack(kind, strings.NewReader(strings.Join(values, "\n")), true)
		expect.OK(t, err)
		return List{Name: kind, Kind: kind, Lines: lines, Until: until, Body: body, Generation: generation}
	}
	var hashes []string
	for i := range 100 {
		hashes = append(hashes, fmt.Sprintf("%064x", i*i))
	}
	table := newTable(Loaded{
		Generation: 7,
		Entries: []Entry{
			{Kind: Domain, Value: "spam.example"},
			{Kind: Network, Value: "203.0.113.0/24"},
			{Kind: Network, Value: "2001:db8::/32", Until: now.Add(time.Hour)},
		},
		Lists: []List{
			list(Hash, time.Time{}, hashes...), list(Word, now.Add(time.Hour), "casino", "zebra"),
			list(Network, time.Time{}, "198.51.100.0/25", "198.51.100.200"),
		},
	})
	found := func(kind, text string, at time.Time) bool {
		value, _, err := parse(kind, text, nil)
		expect.OK(t, err)
		return table.has(kind, value, at)
	}
	for _, h := range hashes {
		expect.Equal(t, h, found(Hash, h, now), true)
	}
	expect.Equal(t, "another hash", found(Hash, fmt.Sprintf("%064x", 2), now), false)
	expect.Equal(t, "a hash as text", found(Text, hashes[3], now), false)
	expect.Equal(t, "a word", found(Word, "Zebra", now), true)
	expect.Equal(t, "a word at its end", found(Word, "zebra", now.Add(time.Hour)), false)
	for address, want := range map[string]string{
		"a@spam.example": Domain, "a@mail.SPAM.example": Domain, "a@notspam.example": "", "a@example": "", "": "",
	} {
		expect.Equal(t, address, moment{table, now}.address(address), want)
	}
	expect.Equal(t, "counts", fmt.Sprint(table.counts), "map[domain:1 hash:100 network:4 word:2]")
}
