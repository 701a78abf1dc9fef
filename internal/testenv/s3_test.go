package testenv

import (
	"net/url"
	"testing"

	"sandlot/internal/expect"
)

func TestS3(t *testing.T) {
	used := S3(t)
	t.Run("is an empty bucket of the test's own", func(t *testing.T) {
		used = S3(t)
		if other := S3(t); other.Name == used.Name {
			t.Errorf("%s again", other.Name)
		}
		expect.Equal(t, "objects", objects(t, used), 0)
		for _, key := range []string{"a", "deep/er/b", "with space+plus%&=~é"} {
			expect.OK(t, used.do("PUT", key, nil, nil))
		}
		expect.OK(t, used.do("POST", "begun", url.Values{"uploads": {""}}, nil))
		expect.Equal(t, "objects", objects(t, used), 3)
	})
	t.Run("is removed at the end of the test, with what is in it", func(t *testing.T) {
		err := used.do("GET", "", url.Values{"list-type": {"2"}}, nil)
		if err == nil {
			t.Fatal("the bucket is still there")
		}
		expect.Contains(t, "error", err.Error(), "NoSuchBucket")
	})
	t.Run("a wrong secret is refused", func(t *testing.T) {
		wrong := S3(t)
		wrong.Secret += "x"
		if err := wrong.do("PUT", "a", nil, nil); err == nil {
			t.Error("the server does not look at signatures")
		}
	})
}

func objects(t *testing.T, b Bucket) int {
	t.Helper()
	var list struct{ Contents []struct{ Key string } }
	expect.OK(t, b.do("GET", "", url.Values{"list-type": {"2"}}, &list))
	return len(list.Contents)
}
