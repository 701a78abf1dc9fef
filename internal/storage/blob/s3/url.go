package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// Config is the address of the bucket. It holds no secret.
type Config struct {
	Bucket    string
	Prefix    string // the beginning of all keys, without a slash at either end; empty for none
	Endpoint  string // http or https; empty for AWS
	Region    string // empty: the environment's
	PathStyle bool   // the bucket stands in the path, not before the endpoint's name
}

var (
	bucketForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)
	prefixForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)
	regionForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}$`)
)

// ParseURL reads s3://BUCKET[/PREFIX]?endpoint=URL&region=R&path-style=true. All after the bucket may be left out.
// Without path-style the bucket stands in the path if there is an endpoint, as most stores beside AWS need it. An error
// names the part that is wrong, and never its text: somebody may have put a secret in its place.
func ParseURL(raw string) (Config, error) {
	c, err := parse(raw)
	if err != nil {
		return Config{}, fmt.Errorf("the URL of the bucket: %w", err)
	}
	return c, nil
}

func parse(raw string) (c Config, err error) {
	place, query, _ := strings.Cut(raw, "?")
	if strings.Contains(place, "@") {
		return c, errors.New("keys do not belong into it: put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, " +
			"or name files in AWS_ACCESS_KEY_ID_FILE and AWS_SECRET_ACCESS_KEY_FILE")
	}
	rest, ok := strings.CutPrefix(place, "s3://")
	if !ok {
		return c, errors.New("it must begin with s3://, as in s3://BUCKET/PREFIX?endpoint=https://s3.example.com")
	}
	if strings.Contains(raw, "#") {
		return c, errors.New("it cannot have a part behind #")
	}
	c.Bucket, c.Prefix, _ = strings.Cut(rest, "/")
	c.Prefix = strings.TrimSuffix(c.Prefix, "/")
	if !bucketForm.MatchString(c.Bucket) {
		return c, errors.New("the bucket must have 3 to 63 letters, digits, dots and dashes")
	}
	if c.Prefix != "" && (!prefixForm.MatchString(c.Prefix) || len(c.Prefix) > 512) {
		return c, errors.New("the prefix behind the bucket may have letters, digits, dots, dashes and single slashes, " +
			"at most 512, and no part of it begins with a dot")
	}
	return c, c.parameters(query)
}

func (c *Config) parameters(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what stands behind ? cannot be read: write it as endpoint=URL&region=REGION&path-style=true")
	}
	for name, all := range values {
		if name != "endpoint" && name != "region" && name != "path-style" {
			return errors.New("behind ? it knows only endpoint, region and path-style")
		}
		if len(all) > 1 {
			return fmt.Errorf("%s is there %d times", name, len(all))
		}
	}
	style := values.Get("path-style")
	c.Endpoint, c.Region = strings.TrimSuffix(values.Get("endpoint"), "/"), values.Get("region")
	c.PathStyle = style == "true" || style == "" && c.Endpoint != ""
	switch {
	case values.Has("region") && !regionForm.MatchString(c.Region):
		return errors.New("region must be a name such as eu-central-1")
	case values.Has("path-style") && style != "true" && style != "false":
		return errors.New("path-style must be true or false")
	case values.Has("endpoint"):
		return checkEndpoint(values.Get("endpoint"))
	}
	return nil
}

func checkEndpoint(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("endpoint must be a URL such as https://s3.example.com or http://127.0.0.1:9000")
	case u.User != nil:
		return errors.New("endpoint: keys do not belong into it: put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("endpoint can have no ? or # of its own")
	}
	return nil
}

// String returns the URL, as ParseURL reads it.
func (c Config) String() string {
	u := "s3://" + c.Bucket
	if c.Prefix != "" {
		u += "/" + c.Prefix
	}
	v := url.Values{}
	if c.Endpoint != "" {
		v.Set("endpoint", c.Endpoint)
	}
	if c.PathStyle != (c.Endpoint != "") {
		v.Set("path-style", fmt.Sprint(c.PathStyle))
	}
	if c.Region != "" {
		v.Set("region", c.Region)
	}
	if len(v) > 0 {
		u += "?" + v.Encode()
	}
	return u
}

// Access holds the credentials of the store. Printed, it shows nothing.
type Access struct {
	Key, Secret, Session string // empty: the sources of the SDK, such as its files and the machine's role
	Region               string // empty: that of the URL
}

// String returns a text without secrets.
func (a Access) String() string { return "(keys of a bucket)" }

// GoString returns the same text.
func (a Access) GoString() string { return a.String() }

// mostSecret is the largest file of a secret, in bytes.
const mostSecret = 64 << 10

// ReadAccess reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION (or AWS_DEFAULT_REGION),
// or the files named by the same variables with _FILE at the end. One of the first two without the other is an error,
// and so is a variable beside its file. An error holds no value.
func ReadAccess(lookup func(string) (string, bool)) (a Access, err error) {
	for name, to := range map[string]*string{
		"AWS_ACCESS_KEY_ID": &a.Key, "AWS_SECRET_ACCESS_KEY": &a.Secret, "AWS_SESSION_TOKEN": &a.Session, "AWS_REGION": &a.Region,
	} {
		if *to, err = variable(lookup, name); err != nil {
			return Access{}, err
		}
	}
	if a.Region == "" {
		a.Region, _ = lookup("AWS_DEFAULT_REGION")
	}
	switch {
	case a.Key != "" && a.Secret == "":
		return Access{}, errors.New("AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY")
	case a.Key == "" && a.Secret != "":
		return Access{}, errors.New("AWS_SECRET_ACCESS_KEY is set without AWS_ACCESS_KEY_ID")
	case a.Region != "" && !regionForm.MatchString(a.Region):
		return Access{}, errors.New("AWS_REGION must be a name such as eu-central-1")
	}
	return a, nil
}

// variable returns the value of a variable, or the content of its file.
func variable(lookup func(string) (string, bool), name string) (string, error) {
	value, _ := lookup(name)
	path, _ := lookup(name + "_FILE")
	switch {
	case path == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("%s and %s_FILE are both set: unset one", name, name)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	defer f.Close()
	held, err := io.ReadAll(io.LimitReader(f, mostSecret+1))
	value = string(bytes.TrimSpace(held))
	if err == nil && (len(held) > mostSecret || value == "" || strings.ContainsAny(value, "\r\n")) {
		err = fmt.Errorf("%s must have one line, of at most 64 KiB", path)
	}
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return value, nil
}
