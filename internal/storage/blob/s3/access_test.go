package s3

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// alone removes the keys that the machine itself may have.
func alone(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	return dir
}

func TestKeysComeFromTheSourcesOfTheSDKWhereNoneAreGiven(t *testing.T) {
	dir := alone(t)
	b := newBucket(t)
	_, err := open(t.Context(), b.config(), Access{}, Options{Instance: instance}, quick)
	expect.Is(t, "without any", err, sandlot.ErrUnavailable)
	expect.Contains(t, "without any", err.Error(), "there are no keys for the bucket: set AWS_ACCESS_KEY_ID")

	held := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", b.Key, b.Secret)
	expect.OK(t, os.WriteFile(filepath.Join(dir, "credentials"), []byte(held), 0o600))
	s, err := open(t.Context(), b.config(), Access{}, Options{Instance: instance}, quick)
	expect.OK(t, err, "with a file of the SDK")
	defer s.Close()
	put(t, s, []byte("x"))
	s.config.Bucket = "no-such-bucket-here"
	_, err = s.Put(t.Context(), s.Name(), strings.NewReader("x"))
	refused(t, b, "an error", err, sandlot.ErrUnavailable, "does not exist")
	if text := s.hideKeys("key " + b.Key + ", secret " + b.Secret); text != "key (hidden), secret (hidden)" {
		t.Error(text)
	}
}
