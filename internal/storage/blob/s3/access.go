package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

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
