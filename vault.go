package sandlot

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"net/netip"

	"sandlot/internal/format/names"
)

// A SecretStore keeps the installation's secrets, under the same promises as a Store.
type SecretStore interface {
	// Secret returns the installation's secret of that name: fresh on the first call, and the same ever after.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}

// A Vault hashes and encrypts under the installation's secret, which is the same on every node and after every restart,
// and draws random text. Every room opens it with OpenVault. The secret lies in the store, so it hides nothing from a
// reader of the whole store. It may be used concurrently.
type Vault struct {
	secret []byte
	random io.Reader
}

// OpenVault reads the installation's secret from the store, and fails if the store does. The first time, it draws 32
// bytes for the secret from random; afterwards the drawn bytes are not used.
func OpenVault(ctx context.Context, store SecretStore, random io.Reader) (*Vault, error) {
	fresh := make([]byte, 32)
	if _, err := io.ReadFull(random, fresh); err != nil {
		return nil, fmt.Errorf("draw the installation's secret: %w", err)
	}
	secret, err := store.Secret(ctx, "service", fresh)
	if err != nil {
		return nil, fmt.Errorf("read the installation's secret: %w", err)
	}
	return NewVault(secret, random), nil
}

// NewVault returns a Vault under a secret.
func NewVault(secret []byte, random io.Reader) *Vault { return &Vault{secret, random} }

// MintToken draws a secret with a prefix.
func (v *Vault) MintToken(prefix string) (Secret, error) {
	return MintToken(prefix, v.random)
}

// Suffix draws the random part of a version's address: 50 bits.
func (v *Vault) Suffix() string { return names.Random(10, v.Intn) }

// Keyed hashes text under the installation's secret, so that a short text such as an address cannot be found by trying.
// The hash is the same for the same purpose and text for ever; a hash for one purpose reveals nothing about another.
func (v *Vault) Keyed(purpose, text string) Digest {
	mac := hmac.New(sha256.New, v.secret)
	mac.Write([]byte(purpose + "\x00" + text))
	var d Digest
	mac.Sum(d[:0])
	return d
}

// Text draws n characters of alphabet, each equally likely. It fails only if the source of randomness does.
func (v *Vault) Text(alphabet string, n int) (string, error) {
	return RandomText(v.random, alphabet, n)
}

// MaxFormToken is the most bytes of a form token that a request may have.
const MaxFormToken = 64

// FormToken draws the token that lets a form of the website act once: 22 characters, 131 bits.
func (v *Vault) FormToken() (string, error) { return v.Text(names.Base62, 22) }

// Asker returns the caller as the counts of messages identify it; see Job. It holds no network in clear.
func (v *Vault) Asker(by Caller) Asker {
	a := Asker{Network: v.Keyed("mail network", customer(by.From.Network))}
	if !by.Nobody() {
		a.Kind = AskedWithKey
	}
	return a
}

// A Seal names everything that is needed to decrypt a stored text. The text is of no use without all of it.
type Seal struct {
	By     Caller // with the key as presented
	What   string // the purpose: a text is opened only for the same one
	Secret string // a secret that is not kept, such as the upload_id or the idempotency key
	Of     Digest // of the bytes, or of the request
}

// SealFor encrypts plain by HKDF (RFC 5869) and AES-GCM, so that this installation alone can read it. The same text
// sealed twice makes two different results.
func (v *Vault) SealFor(k Seal, plain []byte) ([]byte, error) {
	gcm, err := v.sealer(k)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := io.ReadFull(v.random, nonce); err != nil {
		return nil, fmt.Errorf("draw nonce: %w", err)
	}
	return gcm.Seal(nonce, nonce, plain, nil), nil
}

// UnsealFor decrypts the result of SealFor. It fails unless everything that k names is the same.
func (v *Vault) UnsealFor(k Seal, data []byte) ([]byte, error) {
	gcm, err := v.sealer(k)
	if err != nil {
		return nil, err
	}
	n := gcm.NonceSize()
	if len(data) < n {
		return nil, fmt.Errorf("unseal: %d bytes are too few", len(data))
	}
	plain, err := gcm.Open(nil, data[:n], data[n:], nil)
	if err != nil {
		return nil, fmt.Errorf("unseal: %w", err)
	}
	return plain, nil
}

// sealer derives the key for one sealed text from the installation's secret and all that k names.
func (v *Vault) sealer(k Seal) (cipher.AEAD, error) {
	secret := bytes.Join([][]byte{v.secret, []byte(k.By.Presented()), []byte(k.Secret)}, []byte{0})
	key, err := hkdf.Key(sha256.New, secret, k.Of[:], "sandlot "+k.What, 32)
	if err != nil {
		return nil, fmt.Errorf("derive sealing key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return cipher.NewGCM(block)
}

// Intn draws a number in [0,n), each equally likely, from the same source as everything else. If the source fails, it
// panics: such a machine cannot make keys.
func (v *Vault) Intn(n int) int {
	limit := uint32(1<<32 - 1<<32%uint64(n) - 1)
	for {
		var b [4]byte
		if _, err := io.ReadFull(v.random, b[:]); err != nil {
			panic("no randomness: " + err.Error())
		}
		if v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]); v <= limit {
			return int(v % uint32(n))
		}
	}
}

// customer returns the part of a network that one customer of a provider may have: an IPv4 address, or the 48 bits that
// some get of IPv6. Sharing it with a stranger costs a share only for mailboxes that the stranger asks for, too.
func customer(network string) string {
	p, err := netip.ParsePrefix(network)
	if ip, single := netip.ParseAddr(network); single == nil {
		p, err = netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	if err != nil || p.Addr().Is4() || p.Bits() < 48 {
		return network
	}
	return netip.PrefixFrom(p.Addr(), 48).Masked().String()
}
