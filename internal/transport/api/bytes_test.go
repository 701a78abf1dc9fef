package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"sandlot/internal/testkit/expect"
)

func gz(s string) string { return named(s) }

// named is s as a gzip member whose header holds a file name that leads astray.
func named(s string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = "../../x"
	w.Write([]byte(s))
	w.Close()
	return out.String()
}

func url64(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }

func sum(s string) string {
	d := sha256.Sum256([]byte(s))
	return hex.EncodeToString(d[:])
}

func decoded(t *testing.T, text string) (v obj) {
	t.Helper()
	expect.OK(t, json.Unmarshal([]byte(text), &v))
	return v
}
