package publish

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"
	"testing/iotest"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// upload is what it takes to read the answer of an upload again.
func upload(by sandlot.Caller, id string, sum sandlot.Digest) sandlot.Seal {
	return sandlot.Seal{By: by, What: uploadAnswer, Secret: id, Of: sum}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	s := sandlot.NewVault(bytes.Repeat([]byte{1}, 32), rand.Reader)
	mine, other := sandlot.Secret(testKey(t, sandlot.AccountKey)), sandlot.Secret(testKey(t, sandlot.AccountKey))
	keys := Minted{Account: sandlot.Secret(testKey(t, sandlot.AccountKey)), Project: sandlot.Secret(testKey(t, sandlot.ProjectKey))}
	by, id, sum := sandlot.Identified(sandlot.Sender{}, sandlot.Credential{Secret: mine}), "an-upload", sandlot.DigestOf([]byte("bytes"))
	answer, err := sealKeys(s, upload(by, id, sum), keys)
	expect.OK(t, err)
	changed := func(i int) []byte { b := bytes.Clone(answer); b[i] ^= 1; return b }
	tests := []struct {
		name string
		s    *sandlot.Vault
		by   sandlot.Caller
		id   string
		done UploadDone
		ok   bool
	}{
		{"the same key, upload_id and bytes open it", s, by, id, UploadDone{SHA256: sum, Answer: answer}, true},
		{"another key does not", s, sandlot.Identified(sandlot.Sender{}, sandlot.Credential{Secret: other}), id, UploadDone{SHA256: sum, Answer: answer}, false},
		{"no key does not", s, sandlot.Caller{}, id, UploadDone{SHA256: sum, Answer: answer}, false},
		{"another upload_id does not", s, by, id + "x", UploadDone{SHA256: sum, Answer: answer}, false},
		{"other bytes do not", s, by, id, UploadDone{SHA256: sandlot.DigestOf([]byte("others")), Answer: answer}, false},
		{"another installation does not", sandlot.NewVault(make([]byte, 32), nil), by, id, UploadDone{SHA256: sum, Answer: answer}, false},
		{"a changed answer does not", s, by, id, UploadDone{SHA256: sum, Answer: changed(len(answer) - 1)}, false},
		{"a changed nonce does not", s, by, id, UploadDone{SHA256: sum, Answer: changed(0)}, false},
		{"a cut answer does not", s, by, id, UploadDone{SHA256: sum, Answer: answer[:11]}, false},
		{"an empty answer does not", s, by, id, UploadDone{SHA256: sum}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := unsealKeys(tt.s, upload(tt.by, tt.id, tt.done.SHA256), tt.done.Answer)
			if tt.ok && (err != nil || got != keys) {
				t.Errorf("got other keys, or %v", err)
			}
			if !tt.ok && (err == nil || got != Minted{}) {
				t.Errorf("it opened")
			}
		})
	}
	t.Run("what opens the answer of an upload opens none of another purpose", func(t *testing.T) {
		other := upload(by, id, sum)
		other.What = "idempotent answer"
		if got, err := unsealKeys(s, other, answer); err == nil || got != (Minted{}) {
			t.Error("it opened")
		}
	})
	t.Run("nothing of the keys can be seen in it", func(t *testing.T) {
		if bytes.Contains(answer, []byte(keys.Account[4:12])) || bytes.Contains(answer, []byte(keys.Project[4:12])) {
			t.Error("the keys are in clear")
		}
	})
	t.Run("the same keys are never sealed alike twice", func(t *testing.T) {
		if again, err := sealKeys(s, upload(by, id, sum), keys); err != nil || bytes.Equal(again, answer) {
			t.Errorf("sealed alike, or %v", err)
		}
	})
	t.Run("without randomness nothing is sealed", func(t *testing.T) {
		broken := errors.New("broken")
		dry := sandlot.NewVault(bytes.Repeat([]byte{1}, 32), iotest.ErrReader(broken))
		if _, err := sealKeys(dry, upload(by, id, sum), keys); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

func TestKeyed(t *testing.T) {
	t.Parallel()
	a, b := sandlot.NewVault([]byte("a"), nil), sandlot.NewVault([]byte("b"), nil)
	same := a.Keyed("upload", "x")
	if same != a.Keyed("upload", "x") {
		t.Error("the same text has two digests")
	}
	for name, other := range map[string]sandlot.Digest{
		"another purpose": a.Keyed("uploads of", "x"), "another text": a.Keyed("upload", "y"), "another installation": b.Keyed("upload", "x"), "no secret": sandlot.DigestOf([]byte("upload\x00x")),
	} {
		if other == same {
			t.Errorf("%s gives the same digest", name)
		}
	}
}
