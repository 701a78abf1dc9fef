package check_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/check"
	"sandlot/internal/testkit/expect"
)

func TestHostsNamesWhereAPageSendsAndLeads(t *testing.T) {
	text := `<form action="https://Collect.example/x.php"><a href='//lead.example:8443/'>` +
		`<meta http-equiv=refresh content="0;url=http://user:pw@next.example">` + "\n// not.an.address\n" +
		`fetch("https:\/\/call.example\/in"); new WebSocket("wss://live.example")` +
		`<svg xmlns="http://www.w3.org/2000/svg"> https://collect.example/again`
	expect.Equal(t, "hosts", strings.Join(check.Hosts([]byte(text), 9), " "), "collect.example lead.example next.example call.example live.example")
	expect.Equal(t, "at most", strings.Join(check.Hosts([]byte(text), 2), " "), "collect.example lead.example")
}
