package redis

import (
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Address{
		"redis://cache":                          {host: "cache", port: "6379"},
		"redis://cache/":                         {host: "cache", port: "6379"},
		"redis://10.0.0.7:7000/15":               {host: "10.0.0.7", port: "7000", database: 15},
		"rediss://cache.example":                 {tls: true, host: "cache.example", port: "6379"},
		"redis://[2001:db8::1]:7000":             {host: "2001:db8::1", port: "7000"},
		"redis://[2001:db8::1]":                  {host: "2001:db8::1", port: "6379"},
		"redis://:secret@cache":                  {host: "cache", port: "6379", password: "secret"},
		"rediss://sandlot:secret@cache:1/2":      {tls: true, host: "cache", port: "1", user: "sandlot", password: "secret", database: 2},
		"redis://sandlot:%2F%23%3F%40%25%3A@h/0": {host: "h", port: "6379", user: "sandlot", password: "/#?@%:"},
	} {
		got, err := ParseURL(text)
		expect.OK(t, err, text)
		if got != want {
			t.Errorf("%s: host %q, user %q, password %q, database %d", text, got.host, got.user, got.password, got.database)
		}
	}
}

func TestParseURLSaysWhatIsWrongWithoutThePassword(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "redis://",
		"cache:6379":                  "redis://",
		"hunter2":                     "redis://",
		"http://:hunter2@cache":       "redis://",
		"postgres://u:hunter2@db":     "redis://",
		"unix:///run/hunter2":         "redis://",
		"REDIS://cache":               "redis://",
		"redis:cache":                 "redis://",
		"redis://":                    "no host",
		"redis://:hunter2@":           "no host",
		"redis://:hunter2@:6379":      "no host",
		"redis:///1":                  "no host",
		"redis://hunter2@cache":       "no password",
		"redis://hunter2:@cache":      "no password",
		"redis://:@cache":             "no password",
		"redis://@cache":              "no password",
		"redis://cache:0":             "port",
		"redis://cache:65536":         "port",
		"redis://cache:hunter2":       "%2F for /",
		"redis://cache/hunter2":       "number of a database",
		"redis://cache/-1":            "number of a database",
		"redis://cache/1/2":           "number of a database",
		"redis://cache/01":            "number of a database",
		"redis://cache/1048577":       "number of a database",
		"redis://cache/1e3":           "number of a database",
		"redis://cache?db=1":          "%3F",
		"redis://cache/1?":            "%3F",
		"redis://cache#":              "%23",
		"redis://:hunter2#x@cache":    "%23",
		"redis://:hunter2/x@cache":    "%2F for /",
		"redis://:hunter2?x@cache":    "%3F",
		"redis://:hunter2%zz@cache":   "%25 for %",
		"redis://:hunter2 x@ca che":   "%2F for /",
		"redis://u:hunter2\x00@cache": "%2F for /",
	} {
		_, err := ParseURL(text)
		if err == nil {
			t.Errorf("%q was accepted", text)
			continue
		}
		expect.Contains(t, text, err.Error(), want)
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the password is in %q", text, err)
		}
	}
}

func TestAnAddressIsPrintedWithoutUserAndPassword(t *testing.T) {
	t.Parallel()
	at, err := ParseURL("rediss://sandlot:hunter2@cache/3")
	expect.OK(t, err)
	for _, how := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		expect.Equal(t, how, fmt.Sprintf(how, at), "rediss://cache:6379/3")
	}
	expect.Equal(t, "in a list", fmt.Sprint([]Address{at}), "[rediss://cache:6379/3]")
}
