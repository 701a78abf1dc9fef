package s3

import (
	"errors"
	"fmt"
	"net/url"
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
