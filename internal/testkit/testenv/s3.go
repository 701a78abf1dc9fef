package testenv

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// s3Env names the S3-compatible server that scripts/test has started, as http://KEY:SECRET@HOST:PORT.
const s3Env = "SANDLOT_TEST_S3"

// s3Wait ends a request about a bucket that hangs.
const s3Wait = time.Minute

// A Bucket is one on an S3-compatible server that names it in the path.
type Bucket struct {
	Endpoint string // http://HOST:PORT
	Name     string
	Key      string
	Secret   string
	Region   string
}

// S3 returns an empty bucket of the test's own, which is emptied and removed at the end of the test. It ends the test as Skip does where
// there is no server.
func S3(tb testing.TB) Bucket {
	tb.Helper()
	server, err := url.Parse(serverURL(tb, s3Env, "an S3-compatible server"))
	if err != nil {
		tb.Fatal(err)
	}
	secret, _ := server.User.Password()
	b := Bucket{
		Endpoint: server.Scheme + "://" + server.Host, Name: "test-" + strings.ToLower(rand.Text()),
		Key: server.User.Username(), Secret: secret, Region: "us-east-1",
	}
	if err := b.do("PUT", "", nil, nil); err != nil {
		tb.Fatalf("make a bucket: %v", err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(b.abortUploads(), b.empty(), b.do("DELETE", "", nil, nil)); err != nil {
			tb.Errorf("remove a bucket: %v", err)
		}
	})
	return b
}

func (b Bucket) empty() error {
	for {
		var list struct{ Contents []struct{ Key string } }
		if err := b.do("GET", "", url.Values{"list-type": {"2"}}, &list); err != nil || len(list.Contents) == 0 {
			return err
		}
		for _, object := range list.Contents {
			if err := b.do("DELETE", object.Key, nil, nil); err != nil {
				return err
			}
		}
	}
}

func (b Bucket) abortUploads() error {
	for {
		var list struct {
			Upload []struct {
				Key string
				ID  string `xml:"UploadId"`
			}
		}
		if err := b.do("GET", "", url.Values{"uploads": {""}}, &list); err != nil || len(list.Upload) == 0 {
			return err
		}
		for _, upload := range list.Upload {
			if err := b.do("DELETE", upload.Key, url.Values{"uploadId": {upload.ID}}, nil); err != nil {
				return err
			}
		}
	}
}

// do asks for an object of the bucket, or for the bucket itself, and reads the answer into it.
func (b Bucket) do(method, object string, query url.Values, answer any) error {
	path := "/" + b.Name
	if object != "" {
		path += "/" + object
	}
	r, err := http.NewRequest(method, b.Endpoint+s3Escape(path)+"?"+s3Query(query), http.NoBody)
	if err != nil {
		return err
	}
	b.sign(r, time.Now())
	client := http.Client{Timeout: s3Wait, Transport: &http.Transport{DisableKeepAlives: true}}
	answered, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answered.Body.Close()
	body, err := io.ReadAll(answered.Body)
	if err == nil && answered.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, r.URL, answered.Status, body)
	}
	if err == nil && answer != nil {
		err = xml.Unmarshal(body, answer)
	}
	return err
}

// sign adds the signature of Amazon's version 4, which leaves the body out.
func (b Bucket) sign(r *http.Request, now time.Time) {
	const body, headers = "UNSIGNED-PAYLOAD", "host;x-amz-content-sha256;x-amz-date"
	instant := now.UTC().Format("20060102T150405Z")
	day := instant[:8]
	scope := day + "/" + b.Region + "/s3/aws4_request"
	canonical := strings.Join([]string{
		r.Method, r.URL.EscapedPath(), r.URL.RawQuery, "host:" + r.URL.Host, "x-amz-content-sha256:" + body, "x-amz-date:" + instant,
		"", headers, body,
	}, "\n")
	digest := sha256.Sum256([]byte(canonical))
	text := "AWS4-HMAC-SHA256\n" + instant + "\n" + scope + "\n" + hex.EncodeToString(digest[:])
	key := []byte("AWS4" + b.Secret)
	for _, part := range []string{day, b.Region, "s3", "aws4_request", text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	r.Header.Set("X-Amz-Content-Sha256", body)
	r.Header.Set("X-Amz-Date", instant)
	r.Header.Set("Authorization",
		fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%x", b.Key, scope, headers, key))
}

// s3Query is the query as it is signed: in order, and with no plus for a space.
func s3Query(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

// s3Escape escapes a path as it is signed.
func s3Escape(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
