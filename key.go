package sandlot

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"sandlot/internal/format/names"
)

// KeyKind is the extent of a key.
type KeyKind string

// The kinds of key.
const (
	AccountKey KeyKind = "account"    // everything of its account
	ProjectKey KeyKind = "project"    // one project
	EditToken  KeyKind = "edit_token" // the files of one project, for tools alone; see EditTokenIdle
)

// EditTokenIdle is how long an edit_token is valid after its last use, which is accurate to a day.
const EditTokenIdle = 30 * 24 * time.Hour

// Key is the record of a credential: only the hash of the credential is kept. A key covers its whole account, or one of
// its projects. One with a Client is the grant of a program, which presents access tokens in its place.
type Key struct {
	ID         int64
	Hash       Digest
	Kind       KeyKind
	Account    AccountID
	Project    ProjectID // for a ProjectKey and an EditToken
	Name       string
	Client     string // the client_id of the program that has the grant; empty for other keys
	LastFour   string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero when never
	Suspended  bool      // whether the account was suspended when the key was looked up
}

// Secret is a key in clear. Printing, logging and encoding show its prefix alone, also inside other values; only Reveal
// returns it.
type Secret string

// String hides the secret from formatted output.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "sl?_..."
}

// Format hides the secret from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// MarshalText hides the secret from encoders; a secret to be shown is revealed first.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal returns the secret in clear, for the one place that shows it to its owner.
func (s Secret) Reveal() string { return string(s) }

// Hash returns the hash by which the secret is stored and found. Keys are random, so a plain SHA-256 cannot be
// reversed.
func (s Secret) Hash() Digest { return DigestOf([]byte(s)) }

// DigestOf returns the SHA-256 of b.
func DigestOf(b []byte) Digest { return sha256.Sum256(b) }

// KeyPattern finds a key, a ticket, a token or a one-time code in any text; inspect.LooksLikeKey reports whether a
// match is a whole key.
var KeyPattern = regexp.MustCompile(`sl[aptecordf]_[0-9A-Za-z]{36}`)

// MintSecret draws a fresh key of a kind from random: 178 bits, and a checksum that detects a mistyped key without a
// look-up. It fails only if random does. The key is valid once its hash is recorded.
func MintSecret(kind KeyKind, random io.Reader) (Secret, error) {
	prefix := names.AccountPrefix
	if kind == ProjectKey {
		prefix = names.ProjectPrefix
	}
	return MintToken(prefix, random)
}

// MintToken draws a secret: a prefix, random characters, and their checksum.
func MintToken(prefix string, random io.Reader) (Secret, error) {
	body, err := RandomText(random, names.Base62, names.KeyRandom)
	if err != nil {
		return "", fmt.Errorf("mint key: %w", err)
	}
	return Secret(prefix + body + names.KeyChecksum(prefix+body)), nil
}

// RandomText draws n characters of alphabet, each equally likely.
func RandomText(random io.Reader, alphabet string, n int) (string, error) {
	limit := 256 - 256%len(alphabet)
	var out strings.Builder
	var b [64]byte
	for out.Len() < n {
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return "", err
		}
		for _, c := range b {
			if int(c) < limit && out.Len() < n {
				out.WriteByte(alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return out.String(), nil
}
