package publish

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
)

// sealed names what it takes to read minted keys again. What is stored is of no
// use without all of it.
type sealed struct {
	by     Caller // with the key as presented
	what   string // the purpose: none is opened with what another takes
	secret string // the upload_id, or the Idempotency-Key
	of     Digest // of the bytes, or of the request
}

// seal encrypts minted keys (HKDF, RFC 5869; AES-GCM), so that only a caller who
// sends the same again can read them.
func (s *Service) seal(k sealed, keys Minted) ([]byte, error) {
	plain, err := json.Marshal([2]string{keys.Account.Reveal(), keys.Project.Reveal()})
	if err != nil {
		return nil, fmt.Errorf("seal keys: %w", err)
	}
	return s.sealText(k, plain)
}

func (s *Service) sealText(k sealed, plain []byte) ([]byte, error) {
	gcm, err := s.sealer(k)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := io.ReadFull(s.random, nonce); err != nil {
		return nil, fmt.Errorf("draw nonce: %w", err)
	}
	return gcm.Seal(nonce, nonce, plain, nil), nil
}

// unseal is the way back. Another caller gets an error.
func (s *Service) unseal(k sealed, answer []byte) (Minted, error) {
	plain, err := s.unsealText(k, answer)
	if err != nil {
		return Minted{}, err
	}
	var keys [2]Secret
	err = json.Unmarshal(plain, &keys)
	return Minted{Account: keys[0], Project: keys[1]}, err
}

func (s *Service) unsealText(k sealed, answer []byte) ([]byte, error) {
	gcm, err := s.sealer(k)
	if err != nil {
		return nil, err
	}
	n := gcm.NonceSize()
	if len(answer) < n {
		return nil, fmt.Errorf("unseal: %d bytes are too few", len(answer))
	}
	plain, err := gcm.Open(nil, answer[:n], answer[n:], nil)
	if err != nil {
		return nil, fmt.Errorf("unseal: %w", err)
	}
	return plain, nil
}

func (s *Service) sealer(k sealed) (cipher.AEAD, error) {
	secret := bytes.Join([][]byte{s.secret, []byte(k.by.presented()), []byte(k.secret)}, []byte{0})
	key, err := hkdf.Key(sha256.New, secret, k.of[:], "sandlot "+k.what, 32)
	if err != nil {
		return nil, fmt.Errorf("derive sealing key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return cipher.NewGCM(block)
}

// keyed hashes text under the installation's secret, so that a short text such
// as an address cannot be found by trying.
func (s *Service) keyed(purpose, text string) Digest {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte(purpose + "\x00" + text))
	var d Digest
	mac.Sum(d[:0])
	return d
}
