package s3

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestParseURL(t *testing.T) {
	for raw, want := range map[string]Config{
		"s3://bucket":                          {Bucket: "bucket"},
		"s3://bucket/":                         {Bucket: "bucket"},
		"s3://bucket/a/b-c.d_e/":               {Bucket: "bucket", Prefix: "a/b-c.d_e"},
		"s3://my.bucket-1?region=eu-central-1": {Bucket: "my.bucket-1", Region: "eu-central-1"},
		"s3://bucket/p?endpoint=https://s3.example.com&region=auto&path-style=false": {Bucket: "bucket", Prefix: "p", Endpoint: "https://s3.example.com", Region: "auto"},
		"s3://bucket?endpoint=http://127.0.0.1:9000/":                                {Bucket: "bucket", Endpoint: "http://127.0.0.1:9000", PathStyle: true},
		"s3://bucket?endpoint=https%3A%2F%2Fs3.example.com%2Fstorage":                {Bucket: "bucket", Endpoint: "https://s3.example.com/storage", PathStyle: true},
		"s3://bucket?path-style=true":                                                {Bucket: "bucket", PathStyle: true},
	} {
		got, err := ParseURL(raw)
		expect.OK(t, err, raw)
		expect.Equal(t, raw, got, want)
		again, err := ParseURL(got.String())
		expect.OK(t, err, got.String())
		expect.Equal(t, got.String(), again, want)
	}
}

func TestABadURLIsToldByItsPartAndWithoutSecrets(t *testing.T) {
	const secret = "hunter2Secret"
	for raw, says := range map[string]string{
		"":                                    "must begin with s3://",
		"bucket":                              "must begin with s3://",
		"https://s3.example.com/" + secret:    "must begin with s3://",
		"S3://bucket":                         "must begin with s3://",
		"s3://":                               "the bucket must have",
		"s3:///prefix":                        "the bucket must have",
		"s3://ab":                             "the bucket must have",
		"s3://bucket:" + secret:               "the bucket must have",
		"s3://buck et":                        "the bucket must have",
		"s3://-bucket":                        "the bucket must have",
		"s3://key:" + secret + "@bucket":      "AWS_SECRET_ACCESS_KEY_FILE",
		"s3://key:" + secret + "/x@bucket/p":  "AWS_SECRET_ACCESS_KEY_FILE",
		"s3://" + secret + "@bucket?region=r": "AWS_SECRET_ACCESS_KEY_FILE",
		"s3://bucket//p":                      "the prefix",
		"s3://bucket/../p":                    "the prefix",
		"s3://bucket/.p":                      "the prefix",
		"s3://bucket/a%20b":                   "the prefix",
		"s3://bucket/ä":                       "the prefix",
		"s3://bucket/" + strings.Repeat("x", 600):        "the prefix",
		"s3://bucket#" + secret:                          "part behind #",
		"s3://bucket?region=a#" + secret:                 "part behind #",
		"s3://bucket?region=%zz" + secret:                "cannot be read",
		"s3://bucket?region=":                            "region must be",
		"s3://bucket?region=eu west":                     "region must be",
		"s3://bucket?region=a&region=b":                  "region is there 2 times",
		"s3://bucket?path-style=yes":                     "path-style must be true or false",
		"s3://bucket?path-style":                         "path-style must be true or false",
		"s3://bucket?endpoint=" + secret:                 "endpoint must be a URL",
		"s3://bucket?endpoint=":                          "endpoint must be a URL",
		"s3://bucket?endpoint=ftp://x":                   "endpoint must be a URL",
		"s3://bucket?endpoint=http://:9000":              "endpoint must be a URL",
		"s3://bucket?endpoint=http://x:" + secret:        "endpoint must be a URL",
		"s3://bucket?endpoint=http://k:" + secret + "@x": "endpoint: keys do not belong",
		"s3://bucket?endpoint=http://x%3Fkey=" + secret:  "endpoint can have no ?",
		"s3://bucket?endpoint=http://x%23" + secret:      "endpoint can have no ?",
		"s3://bucket?access-key=" + secret:               "knows only",
		"s3://bucket?pathstyle=true":                     "knows only",
		"s3://bucket?" + secret + "&" + secret:           "knows only",
	} {
		c, err := ParseURL(raw)
		if err == nil {
			t.Errorf("%s: no error, but %+v", raw, c)
			continue
		}
		expect.Contains(t, raw, err.Error(), says)
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v tells the secret", raw, err)
		}
	}
}

func TestReadAccess(t *testing.T) {
	dir := t.TempDir()
	file := func(name, held string) string {
		path := filepath.Join(dir, name)
		expect.OK(t, os.WriteFile(path, []byte(held), 0o600))
		return path
	}
	key, secret, empty, two := file("key", "AKID\n"), file("secret", "hunter2\r\n"), file("empty", " \n"), file("two", "hunter2\nhunter3\n")
	large := file("large", strings.Repeat("hunter2", 10_000))
	for _, c := range []struct {
		env  []string
		want Access
		says string
	}{
		{nil, Access{}, ""},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=hunter2", "AWS_REGION=eu-central-1"}, Access{Key: "a", Secret: "hunter2", Region: "eu-central-1"}, ""},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=hunter2", "AWS_SESSION_TOKEN=t", "AWS_DEFAULT_REGION=r"}, Access{Key: "a", Secret: "hunter2", Session: "t", Region: "r"}, ""},
		{[]string{"AWS_ACCESS_KEY_ID_FILE=" + key, "AWS_SECRET_ACCESS_KEY_FILE=" + secret}, Access{Key: "AKID", Secret: "hunter2"}, ""},
		{[]string{"AWS_ACCESS_KEY_ID=a"}, Access{}, "AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY"},
		{[]string{"AWS_SECRET_ACCESS_KEY=hunter2"}, Access{}, "AWS_SECRET_ACCESS_KEY is set without AWS_ACCESS_KEY_ID"},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=hunter2", "AWS_SECRET_ACCESS_KEY_FILE=" + secret}, Access{}, "are both set"},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY_FILE=" + dir + "/none"}, Access{}, "no such file"},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY_FILE=" + dir}, Access{}, "is a directory"},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY_FILE=" + empty}, Access{}, "must have one line"},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY_FILE=" + two}, Access{}, "must have one line"},
		{[]string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY_FILE=" + large}, Access{}, "at most 64 KiB"},
		{[]string{"AWS_REGION=hunter2 "}, Access{}, "AWS_REGION must be"},
	} {
		got, err := ReadAccess(func(name string) (string, bool) {
			for _, v := range c.env {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value, true
				}
			}
			return "", false
		})
		if c.says == "" {
			expect.OK(t, err, c.env)
		} else if err == nil {
			t.Errorf("%q: no error", c.env)
			continue
		} else {
			expect.Contains(t, "error", err.Error(), c.says)
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("%v tells the secret", err)
			}
		}
		if got != c.want {
			t.Errorf("%q: something else was read", c.env)
		}
		if text := fmt.Sprintf("%v %+v %#v %s", got, got, got, got); strings.Contains(text, "hunter") {
			t.Errorf("printed: %s", text)
		}
	}
}
