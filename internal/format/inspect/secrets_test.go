package inspect

import (
	"strings"
	"testing"
)

func TestRegressionM13KeysOfOtherServicesAreFoundByTheirShape(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("aB3", 40)
	for text, want := range map[string]string{
		"a\nkey = 'sk-ant-api03-" + x + "'":       "a key of Anthropic",
		"\nsk-proj-" + x:                          "a key of OpenAI",
		"\n\"AKIA" + "IOSFODNN7EXAMPLE\"":         "an access key of AWS",
		"\nghp_" + x[:36]:                         "a token of GitHub",
		"\nAIza" + x[:35]:                         "a key of Google",
		"\n-----BEGIN RSA " + "PRIVATE KEY-----":  "a private key",
		"sk-button sk-navigation-long-class-name": "",
		"task-" + x[:40]:                          "",
		"hf_short AKIAshort":                      "",
		strings.Repeat("ghp_", 100_000):           "",
	} {
		what, line := FindSecret([]byte(text))
		if what != want || want != "" && line != 2 {
			t.Errorf("%.40q: %q on line %d, want %q", text, what, line, want)
		}
	}
}
