package testenv

import (
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// s3Env names the S3-compatible server that scripts/test has started, as http://KEY:SECRET@HOST:PORT, and s3FolderEnv the
// folder in which it keeps its buckets: each is a folder there, and each object a file in it by its key.
const (
	s3Env       = "SANDLOT_TEST_S3"
	s3FolderEnv = "SANDLOT_TEST_S3_FOLDER"
)

// A Bucket is one on an S3-compatible server that names it in the path.
type Bucket struct {
	Endpoint string // http://HOST:PORT
	Name     string
	Key      string
	Secret   string
	Region   string
}

// S3 returns an empty bucket of the test's own, which is removed at the end of the test. It ends the test as Skip does
// where there is no server.
func S3(tb testing.TB) Bucket {
	tb.Helper()
	server, err := url.Parse(ServerURL(tb, s3Env, "an S3-compatible server"))
	if err != nil {
		tb.Fatal(err)
	}
	secret, _ := server.User.Password()
	b := Bucket{
		Endpoint: server.Scheme + "://" + server.Host, Name: "test-" + strings.ToLower(rand.Text()),
		Key: server.User.Username(), Secret: secret, Region: "us-east-1",
	}
	folder := filepath.Join(unkeyed(s3FolderEnv), b.Name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		tb.Fatalf("make a bucket: %v", err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			tb.Errorf("remove a bucket: %v", err)
		}
	})
	return b
}
